package main

import (
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// binJSON is a bin of rows, with the interval of its accuracy. A bin without rows has edges alone.
type binJSON struct {
	Lo    float64  `json:"lo"`
	Hi    float64  `json:"hi"`
	N     int      `json:"n"`
	Conf  *float64 `json:"conf"`
	Acc   *float64 `json:"acc"`
	AccLo *float64 `json:"acc_lo"`
	AccHi *float64 `json:"acc_hi"`
}

// binsJSON returns bins as JSON has them.
func binsJSON(bins []results.Bin) []binJSON {
	return lists.Values(bins, func(b results.Bin) binJSON {
		x := binJSON{Lo: report.Rounded(b.Lo, jsonDigits), Hi: report.Rounded(b.Hi, jsonDigits), N: b.N}
		if interval, ok := b.AccInterval(); ok {
			x.Conf, x.Acc, x.AccLo, x.AccHi = nineDigits(b.Conf), nineDigits(b.Acc), nineDigits(interval.Lo), nineDigits(interval.Hi)
		}
		return x
	})
}
