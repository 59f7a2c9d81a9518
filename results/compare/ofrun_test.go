package compare

import (
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestTheBaselineIsThatOfTheRun: of the specs, the one with the most pairs, the first of
// equals; without specs qats, the most frequent baseline of the pairs, or the first method.
func TestTheBaselineIsThatOfTheRun(t *testing.T) {
	records := func(methods ...string) (list []results.Record) {
		for _, m := range methods {
			list = append(list, results.Record{Method: m})
		}
		return list
	}
	against := func(methods ...string) (list []results.Pair) {
		for _, m := range methods {
			list = append(list, results.Pair{Against: m})
		}
		return list
	}
	specs := func(baselines ...string) (list []results.RunSpec) {
		for _, b := range baselines {
			list = append(list, results.RunSpec{Baseline: b})
		}
		return list
	}
	for _, c := range []struct {
		specs   []results.RunSpec
		records []results.Record
		pairs   []results.Pair
		want    string
	}{
		{specs("ts"), records("uncal", "ts", "qats"), nil, "ts"},
		{specs("", "ts"), records("uncal", "ts", "qats"), nil, "ts"},
		{specs("uncal", "ts"), records("uncal", "ts", "qats"), against("ts"), "ts"},
		{specs("uncal", "ts"), records("uncal", "ts", "qats"), nil, "uncal"},
		{specs("ts"), records("uncal", "qats"), nil, "qats"}, // it has no rows
		{nil, records("uncal", "ts", "qats"), against("ts"), "qats"},
		{nil, records("uncal", "ts"), against("uncal", "ts", "ts"), "ts"},
		{nil, records("uncal", "ts"), nil, "uncal"},
		{nil, nil, nil, ""},
	} {
		if got := Baseline(c.specs, c.records, c.pairs); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
