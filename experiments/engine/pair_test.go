package engine

import (
	"reflect"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// TestPairsOfAMethodDoNotDependOnTheOthers: one at a time has the numbers of all together, and a
// metric that is undefined for a method has no pair.
func TestPairsOfAMethodDoNotDependOnTheOthers(t *testing.T) {
	set := drawn().Rows(0, 600)
	var of []*metrics.Samples
	for _, s := range scores(t, set, ScoreOptions{}, "uncal", "ts", "hb-top") {
		of = append(of, metrics.Of(s))
	}
	o := metrics.PairOptions{Seed: 5, Resamples: 40}
	all, err := Pair(t.Context(), of[0], of[1:], o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"ece", "aece", "nll", "brier"}, {"ece", "aece"}} {
		var names []string
		for _, p := range all[i] {
			names = append(names, p.Metric)
		}
		if !reflect.DeepEqual(names, want) {
			t.Errorf("%d: pairs of %v, want %v", i, names, want)
		}
		alone, err := Pair(t.Context(), of[0], of[1+i:2+i], o)
		if err != nil {
			t.Fatal(err)
		}
		head := results.Pair{Method: "m", Against: "uncal", N: 600}
		if got, want := PairRows(head, alone[0]), PairRows(head, all[i]); len(want) == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%d: alone %+v, with others %+v", i, got, want)
		}
	}
	same := *of[2]
	if none, err := Pair(t.Context(), &same, nil, o); err != nil || len(none) != 0 {
		t.Errorf("without others: %v, %v", none, err)
	}
}

// TestPairRows: a row has the interval and the verdict of a pair, and why one is missing.
func TestPairRows(t *testing.T) {
	verdict := &metrics.Verdict{P: .01}
	rows := PairRows(results.Pair{Method: "m", Against: "ts", N: 7, Source: "measured"}, []metrics.Pair{
		{Metric: "ece", Difference: .5, Range: &metrics.Range{Lo: .1, Hi: .9}, Kind: metrics.Percentile, Verdict: verdict},
		{Metric: "nll", Difference: -1, Note: "few rows"},
	})
	want := []results.Pair{
		{Method: "m", Against: "ts", N: 7, Source: "measured", Metric: "ece", Difference: .5, Interval: metrics.Percentile, Lo: .1, Hi: .9, Verdict: verdict},
		{Method: "m", Against: "ts", N: 7, Source: "measured", Metric: "nll", Difference: -1, Note: results.Because("few rows")},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("%+v", rows)
	}
}
