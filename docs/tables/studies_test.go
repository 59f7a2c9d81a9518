package main

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestFilesOfStudiesHaveTheirForm: studies are run by hand, and write files of results/shown. Each file
// has the listed columns. A mark after a name says what a column holds: x# has a number in each row, x#?
// a number or nothing, and x#1 a share from 0 to 1. A share may be 1 minus a sum of shares, so it may
// miss the range by rounding.
func TestFilesOfStudiesHaveTheirForm(t *testing.T) {
	for file, form := range map[string]string{
		"advice.csv":             "rows# rule draws# none# worse_ts#1 worse_ts_lo#1 worse_ts_hi#1 worse_uncal#1 worse_uncal_lo#1 worse_uncal_hi#1 claimed_worse#1 above_ts#1 above_uncal#1 better_ts#1 nll# chosen",
		"advice-kinds.csv":       "kind rows# rule sets_of draws# models# each data_sets# tested# test_rows# worse_uncal#1 worse_uncal_hi#1 worse_ts#1 worse_ts_hi#1 above_uncal#1 above_ts#1 harm_uncal# harm_ts# nll# brier#",
		"advice-candidates.csv":  "kind begins threshold# by test methods failed_choosing# failed_judging# nll_judging# brier_judging# eligible",
		"agreement.csv":          "date method code version network rows# classes# largest# median#?",
		"agreement-methods.csv":  "method code version networks# equal# largest date",
		"agreement-packages.csv": "package version what difference# why date",
		"certain.csv":            "backbone bound rows# ones#1 near#1 wrong# costly# costly_share#?",
		"equivalence.csv":        "blocks# distribution spread# margin# different#1 alike#1 detected#1",
		"intervals.csv":          "network classes# rows# of calibrators quantity interval target truth# sets# withheld#1 coverage#1 below#1 above#1 excludes_zero#1 width#",
		"speed.csv":              "date machine versions rounds# goal quantity side limit#? median# least# most# met",
		"speed-methods.csv":      "date machine rounds# method reference reference_seconds# qats_seconds# ratio#",
	} {
		rows, columns, err := read(filepath.Join("..", "..", "results", "shown"), file)
		if err != nil {
			t.Error(err)
			continue
		}
		var want []string
		for _, column := range strings.Fields(form) {
			name, mark, number := strings.Cut(column, "#")
			want = append(want, name)
			for i, r := range rows {
				v, err := strconv.ParseFloat(r[name], 64)
				switch {
				case !number || mark == "?" && r[name] == "":
				case err != nil || math.IsNaN(v) || math.IsInf(v, 0) || mark == "1" && (v < -1e-12 || v > 1+1e-12):
					t.Errorf("%s:%d: %s is %q, want a number%s", file, i+2, name, r[name], map[bool]string{true: " from 0 to 1"}[mark == "1"])
				}
			}
		}
		if !slices.Equal(columns, want) {
			t.Errorf("%s has the columns %s, want %s", file, columns, want)
		}
	}
}
