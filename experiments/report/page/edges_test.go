package page

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/resultstest"
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
	list, notes := comparisonsOf(f, complete(f, Options{Against: "m2", Metrics: []string{"absent", "nll", "accuracy", "ece"}}).judge(f))
	if len(list) != 2 || len(notes) != 0 || list[0].Title != "ECE, methods against m2" {
		t.Errorf("%d comparisons, %q", len(list), notes)
	}
	for i := range f.Records {
		if f.Records[i].Metric == "nll" || f.Records[i].Metric == "brier" {
			f.Records[i].Metric = "unknown"
		}
	}
	list, notes = comparisonsOf(f, complete(f, Options{Against: "m2", Metrics: []string{"unknown", "ece"}}).judge(f))
	if len(list) != 2 || len(notes) != 1 || !strings.HasPrefix(notes[0], "No comparison by unknown: ") {
		t.Errorf("%d comparisons, %q", len(list), notes)
	}
}

// TestOneMethodHasNoShifts.
func TestOneMethodHasNoShifts(t *testing.T) {
	f := rankings()
	f.Records = slices.DeleteFunc(f.Records, func(r results.Record) bool { return r.Method != "m2" })
	list, notes := comparisonsOf(f, complete(f, Options{Against: "m2", Metrics: []string{"ece"}}).judge(f))
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
				p := resultstest.Pair(resultstest.Setting("e", dataset, "net"), m, against, metric, .01, 0, .02)
				p.Source = source
				f.Pairs = append(f.Pairs, p)
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

// TestVerdictsAreCounted: the counts of a strip are those of its marks, and the page has a mark
// and a row for each claim, the numbers of others, and the summary of the half its counts.
func TestVerdictsAreCounted(t *testing.T) {
	judgement := func(truth Truth) Judgement { return Judgement{truth, "3 of <4>"} }
	v := &Verdicts{Note: "of another's networks", Here: "measured here", On: "on the records", Claims: []Claim{
		{"first & best", "section 1", "is lowest", judgement(Holds), judgement(Fails)}, {"second", "section 2", "is second", judgement(Holds), judgement(Open)}, {"third", "", "", judgement(Open), judgement(Fails)}}}
	for i, want := range [][3]int{{2, 0, 1}, {0, 2, 1}} {
		if s := v.Strips()[i]; [3]int{s.Holds, s.Fails, s.Open} != want || len(s.Judgements) != 3 || !s.Judged() {
			t.Errorf("%+v, want %v", s, want)
		}
	}
	here := 1.25
	v.Numbers = []Reference{{Table: "Table 9", Row: "a row", Label: "QaTS", Value: 1.5, Here: &here}}
	var b strings.Builder
	if err := Write(&b, rankings(), Options{Against: "m0", Verdicts: func(*results.Rows) (*Verdicts, error) { return v, nil }}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"of another&#39;s networks", `<tr id="claim-3">`, "<q>first &amp; best</q> (section 1)", "3 of &lt;4&gt;", "<strong>on the records</strong>: 0 hold, 2 do not hold, 1 cannot be judged", `{"t":"Table 9","r":"a row","m":"QaTS","p":1.5,"h":1.25,"lo":null,"hi":null}`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	b.Reset()
	if err := Write(&b, rankings(), Options{Against: "m0"}); err != nil || strings.Contains(b.String(), `id="claims"`) {
		t.Errorf("a page without a paper has claims (%v)", err)
	}
	broken := errors.New("broken")
	if err := Write(&b, rankings(), Options{Verdicts: func(*results.Rows) (*Verdicts, error) { return nil, broken }}); err != broken {
		t.Errorf("error %v", err)
	}
}

// TestVerdictsHaveASign that says them without colour.
func TestVerdictsHaveASign(t *testing.T) {
	for truth, want := range map[Truth]string{Holds: "✓", Fails: "✗", Open: "?"} {
		if got := sign(truth); got != want {
			t.Errorf("%s: %s, want %s", truth, got, want)
		}
	}
}
