package main

import (
	"fmt"
	"strconv"
)

// adviceFile has what the advice of qats try does in a simulation (experiments/trial/study).
var adviceFile = shown{"advice.csv", ',', []string{"rows", "rule", "draws", "none", "worse_ts", "worse_ts_lo", "worse_ts_hi", "worse_uncal", "worse_uncal_lo", "worse_uncal_hi",
	"claimed_worse", "above_ts", "above_uncal", "better_ts", "nll", "chosen"}, []string{"rows", "rule"}}

// adviceTable is the table of advice.csv: a row for each size and rule.
func (w *words) adviceTable() (string, error) {
	rows, err := w.rows(adviceFile)
	if err != nil {
		return "", err
	}
	table := [][]string{{"rows", "rule", "draws", "worse than TS", "better than TS", "worse than no calibration", "so, with a gain claimed", "mean NLL"}}
	for _, r := range rows {
		percent := func(column string) string {
			x, parsed := strconv.ParseFloat(r[column], 64)
			if err == nil {
				err = parsed
			}
			return strconv.FormatFloat(100*x, 'f', 1, 64)
		}
		within := func(column string) string {
			return fmt.Sprintf("%s (%s to %s)", percent(column), percent(column+"_lo"), percent(column+"_hi"))
		}
		rule := map[string]string{"verdict": "`qats try`", "uncal-first": "uncal first", "lowest": "lowest NLL"}[r["rule"]]
		nll, parsed := strconv.ParseFloat(r["nll"], 64)
		table = append(table, []string{r["rows"], rule, r["draws"], within("worse_ts"), percent("better_ts"), within("worse_uncal"), percent("claimed_worse"), strconv.FormatFloat(nll, 'f', 3, 64)})
		if err != nil || parsed != nil {
			return "", fmt.Errorf("advice.csv: rows %s, %s: a number is missing", r["rows"], r["rule"])
		}
	}
	return markdown(table), nil
}
