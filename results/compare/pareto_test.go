package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestFrontHoldsEqualPointsAndNoBeatenOnes: a method is beaten by one that is as fast
// and better, or as good and faster, but not by its equal.
func TestFrontHoldsEqualPointsAndNoBeatenOnes(t *testing.T) {
	seconds := []float64{3, 1, 2, 2, 4, 1}
	values := []float64{2, 5, 3, 4, 2, 5}
	if got := front(seconds, values, false); !slices.Equal(got, []int{1, 5, 2, 0}) {
		t.Errorf("lower is better: %v", got)
	}
	if got := front(seconds, values, true); !slices.Equal(got, []int{1, 5}) {
		t.Errorf("higher is better: %v", got)
	}
}

// TestParetoLeavesOutWhatHasNoTime: a method without times, and a setting on which one
// method has none.
func TestParetoLeavesOutWhatHasNoTime(t *testing.T) {
	var records []results.Record
	for i, d := range []string{"a", "b", "c", "d", "e", "f"} {
		at := cell(d, "x")
		records = append(records, better(at, "ece", "qats", "ts", "ir")...)
		for j, m := range []string{"qats", "ts"} {
			if i == 0 && m == "ts" {
				continue
			}
			records = append(records, resultstest.Value(at, m, results.TimeMetric, []float64{.004, .001}[j]))
		}
	}
	p, err := ParetoOf(records, Options{Metric: "ece", Against: "qats"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Methods, []string{"qats", "ts"}) || !slices.Equal(p.Untimed, []string{"ir"}) || p.Lost != 1 || !slices.Equal(p.Front, []int{1, 0}) {
		t.Errorf("%+v", p)
	}
	untimed := slices.DeleteFunc(slices.Clone(records), func(r results.Record) bool { return r.Metric == results.TimeMetric })
	if _, err := ParetoOf(untimed, Options{Metric: "ece", Against: "qats"}); err == nil || !strings.Contains(err.Error(), "no fit times: times.csv has none of these settings") {
		t.Error(err)
	}
}

// With the fit times of one method alone there is nothing to compare, and the error does
// not say that there are none.
func TestParetoOfOneTimedMethod(t *testing.T) {
	var records []results.Record
	for _, d := range []string{"a", "b", "c", "d", "e", "f"} {
		at := cell(d, "x")
		records = append(records, better(at, "ece", "qats", "ts")...)
		records = append(records, resultstest.Value(at, "qats", results.TimeMetric, .004))
	}
	if _, err := ParetoOf(records, Options{Metric: "ece", Against: "qats"}); err == nil || !strings.Contains(err.Error(), "two or more methods") {
		t.Error(err)
	}
}

// TestRankableLeavesOutSparseMetrics, accuracy, metrics without a direction, and other
// numbers of bins.
func TestRankableLeavesOutSparseMetrics(t *testing.T) {
	var records []results.Record
	for i, d := range []string{"a", "b", "c", "d", "e"} {
		for _, m := range []string{"nll", "gap", "ece", "accuracy", "ece_5", "brier", "miou"} {
			if m == "brier" && i > 3 || m == "miou" && i > 2 {
				continue
			}
			records = append(records, better(cell(d, "x"), m, "qats", "ts")...)
		}
	}
	if got, sparse, err := Rankable(records, nil); err != nil || !slices.Equal(got, []string{"nll", "ece", "brier"}) || !slices.Equal(sparse, []string{"miou"}) {
		t.Errorf("%q, sparse %q", got, sparse)
	}
	a := Agreement{Sparse: []string{"miou"}}
	if notes := a.Notes(); notes[len(notes)-1] != "Left out, without a value on more than a fifth of the settings: mIoU." {
		t.Errorf("%q", notes)
	}
	if names, bins := BinFamily("ece", records); !slices.Equal(names, []string{"ece_5", "ece"}) || !slices.Equal(bins, []int{5, 15}) {
		t.Errorf("%q %v", names, bins)
	}
	if names, _ := BinFamily("nll", records); names != nil {
		t.Errorf("%q", names)
	}
}

// TestParetoKnowsTheMethodsWithValues: a time that failed is none, and a method that is
// named and has no value is left out.
func TestParetoKnowsTheMethodsWithValues(t *testing.T) {
	var records []results.Record
	for _, d := range []string{"a", "b", "c"} {
		at := cell(d, "x")
		records = append(records, absent(at, "gc"))
		records = append(records, better(at, "ece", "qats", "ts", "ir")...)
		records = append(records, better(at, results.TimeMetric, "qats", "ts", "ir")...)
		records[len(records)-1].Status = results.Fail
	}
	for name, o := range map[string]Options{
		"all":     {Metric: "ece", Against: "gc"},
		"a named": {Metric: "ece", Against: "qats", Methods: []string{"ts", "ir", "gc"}},
	} {
		p, err := ParetoOf(records, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(p.Methods, []string{"qats", "ts"}) || !slices.Equal(p.Untimed, []string{"ir"}) {
			t.Errorf("%s: methods %v, without a time %v", name, p.Methods, p.Untimed)
		}
	}
	if p, err := ParetoOf(records, Options{Metric: "ece", Against: "qats", Methods: []string{"ts"}}); err != nil || !slices.Equal(p.Methods, []string{"qats", "ts"}) || len(p.Untimed) != 0 {
		t.Errorf("ts alone: %+v, %v", p, err)
	}
}

// TestRankableLooksAtCompleteSets: values of redrawn sets, and rows without a value, are
// no settings.
func TestRankableLooksAtCompleteSets(t *testing.T) {
	split := better(cell("a", "x"), "brier", "qats", "ts")
	failed := better(cell("b", "x"), "brier", "qats", "ts")
	for i := range split {
		split[i].Variant.Split, failed[i].Status = 1, results.Fail
	}
	records := slices.Concat(split, failed, better(cell("a", "x"), "nll", "qats", "ts"))
	if got, sparse, err := Rankable(records, nil); err != nil || !slices.Equal(got, []string{"nll"}) || len(sparse) > 0 {
		t.Errorf("%q", got)
	}
}
