package metrics

import (
	"fmt"
	"math"
)

var mceEntry = Entry{
	Name:      "mce",
	Group:     Binned,
	Outputs:   []Output{{"mce", "MCE", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "largest gap among 15 bins of equal width; it often depends on a bin with few rows",
	Aliases:   []string{"maximum-calibration-error"},

	Compute: valueOrError(func(s *Samples) (float64, error) { return MCE(s, 15, 1) }),
}

// mce30Entry uses only bins with enough rows: a gap over 30 rows has a standard
// error of 9 points at most.
//
//   - Metric: mce_30
//   - Formula: mce over the bins with 30 rows or more
//   - Reference: Naeini et al. 2015
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: the least number of rows
var mce30Entry = Entry{
	Name:      "mce_30",
	Sized:     true,
	Group:     Binned,
	Outputs:   []Output{{"mce_30", "MCE (30 rows)", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "largest gap among those of 15 bins of equal width that have 30 rows or more",

	Compute: valueOrError(func(s *Samples) (float64, error) { return MCE(s, 15, 30) }),
}

// MCE returns the maximum calibration error, in [0, 1], among those of bins >= 1 bins
// of equal width that have least samples or more. The definition has least = 1, where a
// bin of one sample may decide the value. It is an error if no bin has least samples.
//
//   - Metric: mce
//   - Formula: max over bins of |acc_b - conf_b|, 15 bins of equal width
//   - Reference: Naeini et al. 2015
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: none
func MCE(s *Samples, bins, least int) (float64, error) {
	worst := -1.0
	for _, b := range WidthBins(s, bins) {
		if b.N >= max(1, least) {
			worst = max(worst, math.Abs(b.Acc-b.Conf))
		}
	}
	switch {
	case s.Len() == 0:
		return 0, ErrNoSamples
	case worst < 0:
		return 0, fmt.Errorf("undefined: no bin has %d rows", least)
	}
	return worst, nil
}
