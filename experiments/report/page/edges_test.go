package page

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/paper/claims"
)

// TestTwoNumbersOfBinsAreEnough for the chart by the number of bins.
func TestTwoNumbersOfBinsAreEnough(t *testing.T) {
	f := rankings()
	f.Records = slices.DeleteFunc(f.Records, func(r results.Record) bool { return r.Metric == "ece_100" })
	o := complete(f, Options{Against: "m2", Metrics: []string{"ece"}})
	if b := binsOf(f, o, "ece", "measured"); len(b) != 1 || !strings.Contains(b[0].Text, "Mean rank by") {
		t.Errorf("%d charts", len(b))
	}
}

// TestAgreementIsByTheMetricsOfItsSource: a source without enough metrics or methods has
// none, and the other one has its own.
func TestAgreementIsByTheMetricsOfItsSource(t *testing.T) {
	of := func(measured, simulated []string, methods int) []agreement {
		f := rankings()
		for i, r := range f.Records {
			if r.Metric == "accuracy" {
				f.Records[i].Metric = "brier"
			}
		}
		f.Records = slices.DeleteFunc(f.Records, func(r results.Record) bool {
			if r.Source == "simulated" {
				return !slices.Contains(simulated, r.Metric)
			}
			return !slices.Contains(measured, r.Metric) || r.Method >= fmt.Sprintf("m%d", methods)
		})
		return agreementsOf(f, complete(f, Options{Against: "m1"}))
	}
	if list := of([]string{"ece", "nll"}, []string{"ece", "brier"}, 5); len(list) != 2 || !strings.Contains(list[0].Chart.Text, "Mean rank by   ECE   NLL\n") || !strings.Contains(list[1].Chart.Text, "Mean rank by   ECE  Brier score\n") {
		t.Errorf("%+v", list)
	}
	if list := of([]string{"ece"}, []string{"ece", "brier"}, 5); len(list) != 1 || list[0].Source != "simulated" {
		t.Errorf("one measured metric: %+v", list)
	}
	if list := of([]string{"ece", "nll"}, []string{"ece", "brier"}, 2); len(list) != 1 || list[0].Source != "simulated" {
		t.Errorf("two measured methods: %+v", list)
	}
}

// TestMetricsWithoutTheComparedMethodAreLeftOut without a note, and those after them
// are compared.
func TestMetricsWithoutTheComparedMethodAreLeftOut(t *testing.T) {
	f := rankings()
	for i, r := range f.Records {
		switch {
		case r.Method == "m2" && r.Metric == "nll":
			f.Records[i].Metric = "brier" // which only m2 has
		case r.Method == "m2" && r.Metric == "accuracy":
			f.Records[i].Status = results.Skip
		}
	}
	list, notes := comparisonsOf(f, complete(f, Options{Against: "m2", Metrics: []string{"absent", "nll", "accuracy", "ece"}}))
	if len(list) != 2 || len(notes) != 0 || list[0].Title != "ECE, methods against m2" {
		t.Errorf("%d comparisons, %q", len(list), notes)
	}
	for i := range f.Records {
		if f.Records[i].Metric == "nll" || f.Records[i].Metric == "brier" {
			f.Records[i].Metric = "unknown"
		}
	}
	list, notes = comparisonsOf(f, complete(f, Options{Against: "m2", Metrics: []string{"unknown", "ece"}}))
	if len(list) != 2 || len(notes) != 1 || !strings.HasPrefix(notes[0], "No comparison by unknown: ") {
		t.Errorf("%d comparisons, %q", len(list), notes)
	}
}

// TestOneMethodHasNoShifts.
func TestOneMethodHasNoShifts(t *testing.T) {
	f := rankings()
	f.Records = slices.DeleteFunc(f.Records, func(r results.Record) bool { return r.Method != "m2" })
	list, notes := comparisonsOf(f, complete(f, Options{Against: "m2", Metrics: []string{"ece"}}))
	if len(list) != 2 || len(notes) != 0 || len(list[0].Charts) != 0 {
		t.Errorf("%+v, %q", list, notes)
	}
}

// TestSmallestDifferencesAreToTheMethodOfMostPairs of the metric and the source, the
// first of equals, and shown where half of the methods have one.
func TestSmallestDifferencesAreToTheMethodOfMostPairs(t *testing.T) {
	f := rankings()
	pairs := func(source, metric, against string, n int) {
		for _, m := range []string{"m0", "m1", "m2", "m3", "m4"} {
			for _, dataset := range []string{"a", "b", "c", "d"} {
				if m == against || n == 0 || (source == "measured") != (dataset < "c") {
					continue
				}
				n--
				at := results.Setting{Experiment: "e", Dataset: dataset, Backbone: "net", Loss: "ce"}
				f.Pairs = append(f.Pairs, results.Pair{Setting: at, Method: m, Against: against, Metric: metric, Difference: .01, N: 100, Source: source,
					Verdict: &metrics.Verdict{By: metric, Lo: 0, Hi: .02, P: .1}})
			}
		}
	}
	pairs("simulated", "ece", "m3", 8) // whose intervals are not read
	pairs("measured", "nll", "m0", 8)
	pairs("measured", "ece", "m1", 6)
	pairs("measured", "ece", "m0", 6)
	o := complete(f, Options{Against: "m2", Metrics: []string{"ece"}})
	list, err := compare.Of(f.Records, f.Pairs, compare.Options{Metric: "ece", Against: "m2"})
	if err != nil {
		t.Fatal(err)
	}
	for i, against := range []string{"m1", ""} {
		if found := smallestOf(f, o, list[i]); found.against != against {
			t.Errorf("%s: %+v, want %s", list[i].Source, found, against)
		}
	}

	c := &compare.Comparison{Ranking: compare.Ranking{Methods: []string{"m0", "m1", "m2", "m3"}}, Rows: []compare.Row{{Method: "m0", Smallest: .1}, {Method: "m1", Smallest: .2}, {Method: "m2"}, {Method: "x", Smallest: .3}}}
	if found := smallestIn(c, c); !maps.Equal(found.byMethod, map[string]string{"m0": "0", "m1": "0"}) {
		t.Errorf("half of the methods: %+v", found)
	}
	c.Rows = c.Rows[1:]
	if found := smallestIn(c, c); found.byMethod != nil {
		t.Errorf("a quarter of the methods: %+v", found)
	}
}

// TestABrokenFileIsAnError though the page needs results.csv alone.
func TestABrokenFileIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := results.WriteResults(filepath.Join(dir, "results.csv"), folder().Records); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bins.csv"), []byte("not,bins\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(results.Folder(dir)); err == nil || !strings.Contains(err.Error(), "bins.csv") {
		t.Errorf("error %v", err)
	}
}

// TestVerdictsOnSimilarDataSetsAreCounted: each claim has its number, and the counts of
// a strip are those of its marks.
func TestVerdictsOnSimilarDataSetsAreCounted(t *testing.T) {
	f := rankings()
	for i, r := range f.Records {
		f.Records[i].Method = map[string]string{"m0": "qats", "m1": "ts", "m2": "uncal", "m3": "ir", "m4": "hts"}[r.Method]
	}
	if v, rows, err := verdictsOf(f); v != nil || rows != nil || err != nil {
		t.Errorf("no set is like one of the paper's: %+v, %v", v, err)
	}
	f.Run = &results.Run{Specs: []results.RunSpec{{Like: map[string]string{"z": "cifar100"}}}}
	if v, rows, err := verdictsOf(f); v != nil || rows != nil || err != nil {
		t.Errorf("no measured set is like one of the paper's: %+v, %v", v, err)
	}
	f.Run = &results.Run{Specs: []results.RunSpec{{Like: map[string]string{"a": "cifar10", "z": "cifar100"}}}}
	v, rows, err := verdictsOf(f)
	if err != nil || v == nil || rows != nil || !strings.Contains(v.Note, "(a is similar to CIFAR-10)") {
		t.Fatalf("%+v, %v", v, err)
	}
	for _, s := range v.Strips {
		counts := map[string]int{}
		for _, j := range s.Judgements {
			counts[class(j.Truth)]++
		}
		if s.Holds != counts["holds"] || s.Fails != counts["fails"] || s.Open != counts["open"] || len(s.Judgements) != len(v.Claims) {
			t.Errorf("%s: %d, %d and %d of %v", s.Name, s.Holds, s.Fails, s.Open, counts)
		}
	}
	if a, b := v.Strips[0], v.Strips[1]; a.Holds == 0 || a.Fails == 0 || b.Open == 0 {
		t.Errorf("nothing to count: %+v", v.Strips)
	}
}

// TestVerdictsHaveASign that says them without colour.
func TestVerdictsHaveASign(t *testing.T) {
	for truth, want := range map[claims.Truth]string{claims.Holds: "✓", claims.Fails: "✗", claims.Unjudged: "?"} {
		if got := sign(truth); got != want {
			t.Errorf("%s: %s, want %s", truth, got, want)
		}
	}
}

// TestPointsArePercentages with two decimals.
func TestPointsArePercentages(t *testing.T) {
	if x := points(1234); x != 12.34 {
		t.Errorf("%v", x)
	}
}
