package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
	"github.com/qats-bench/qats/results/table"
)

// rankings returns a folder with several methods, metrics, numbers of bins and fit times.
// The measured rows rank m0 first, the simulated ones last.
func rankings() *results.Rows {
	var f results.Rows
	for s, dataset := range []string{"a", "b", "c", "d"} {
		source := []string{"measured", "measured", "simulated", "simulated"}[s]
		at := resultstest.Setting("e", dataset, "net")
		for i := range 5 {
			method, place := fmt.Sprintf("m%d", i), i
			if source == "simulated" {
				place = 4 - i
			}
			for m, metric := range []string{"ece", "ece_5", "ece_100", "nll", "accuracy"} {
				value := .1 + .01*float64(place)
				if m == 2 && place < 2 { // by 100 bins the first two change places
					value = .1 + .01*float64(1-place)
				}
				f.Records = append(f.Records, resultstest.From(source, resultstest.Value(at, method, metric, value))...)
			}
			f.Times = append(f.Times, results.Time{Setting: at, Method: method, Source: source, Seconds: .001 * float64(1+i*i), Known: true, Rows: 50})
		}
	}
	return &f
}

// headings returns the headings of the charts of a comparison. A chart that cannot be
// drawn has none.
func headings(c comparison) (list []string) {
	for _, one := range c.Charts {
		if drawings(one.Figure) {
			list = append(list, one.Heading)
		}
	}
	return list
}

// drawings reports whether figures are drawn.
func drawings(figures ...picture) bool {
	return !slices.ContainsFunc(figures, func(f picture) bool {
		return !strings.HasPrefix(string(f.Element), `<svg class="figure" role="img" aria-label="`)
	})
}

// TestRankingViewsKeepSourcesApart: each view of the rankings is of one source.
func TestRankingViewsKeepSourcesApart(t *testing.T) {
	f := rankings()
	o := complete(f, Options{Against: "m2", Metrics: []string{"ece"}}).judge(f)
	list, notes := comparisonsOf(f, o)
	agreements, times := agreementsOf(f, o), timesOf(f, o)
	if len(list) != 2 || len(notes) != 0 || len(agreements) != 2 || len(times) != 2 {
		t.Fatalf("%d comparisons, %q, %d agreements, %d times", len(list), notes, len(agreements), len(times))
	}
	for i, first := range []string{"m0", "m4"} {
		c, a, p := list[i], agreements[i], times[i].Pareto
		judged := c.Source == "measured"
		if cellOf(c.Table, 0, "Method") != first || cellOf(c.Table, 0, "rank") != "1.00" {
			t.Errorf("%s: ranks %v", c.Source, c.Table.Rows)
		}
		if strings.Contains(c.Text, "Win rates and strengths") {
			t.Errorf("%s: the page has win rates, which only --full prints", c.Source)
		}
		charts := []string{"Mean rank by the number of bins"}
		if judged {
			charts = append([]string{"Mean ranks with the critical difference", "Shift to m2"}, charts...)
		}
		if got := headings(c); !slices.Equal(got, charts) {
			t.Errorf("%s: charts %q", c.Source, got)
		}
		if a.Source != c.Source || !strings.Contains(a.Chart.Text, "Mean rank by   ECE   NLL\n") || !strings.Contains(a.Chart.Text, "\n"+first+"            1.00  1.00\n") || !drawings(a.Chart.Figure) {
			t.Errorf("%s: agreement %+v", c.Source, a)
		}
		if b := c.Charts[len(c.Charts)-1]; !regexp.MustCompile(`\nm2 +3.00 +3.00 +3.00\n`).MatchString(b.Text) {
			t.Errorf("%s: bins %+v", c.Source, b)
		}
		if p == nil || cellOf(p.Table, 0, "Method") != first || !drawings(p.Figure) || len(p.Table.Columns) != len(p.Table.Rows[0].Cells) {
			t.Fatalf("%s: pareto %+v", c.Source, p)
		}
		for place, row := range p.Table.Rows { // measured, the fastest method is the best
			if cells := row.Cells; judged != (len(cells) > 3) || judged && cells[3].Value != (place > 0) {
				t.Errorf("%s: %v", c.Source, row)
			}
		}
	}
}

// TestTheFooterNamesTheFiles that the page is made from, and no others.
func TestTheFooterNamesTheFiles(t *testing.T) {
	f := rankings()
	for want, times := range map[string][]results.Time{"pairs.csv, times.csv. The": f.Times, "pairs.csv. The": nil} {
		var b strings.Builder
		f.Times = times
		if err := Write(&b, f, Options{}); err != nil || !strings.Contains(b.String(), "results.csv, bins.csv, "+want) {
			t.Errorf("%s is not in the footer: %v", want, err)
		}
	}
}

// TestNoRankingNoViews: with one data set nothing is ranked, and without times nothing
// is set beside them.
func TestNoRankingNoViews(t *testing.T) {
	f := rankings()
	f.Records = slices.DeleteFunc(f.Records, func(r results.Record) bool { return r.Dataset != "a" })
	f.Times = nil
	o := complete(f, Options{Against: "m2", Metrics: []string{"ece"}}).judge(f)
	list, _ := comparisonsOf(f, o)
	if len(list) != 1 || !slices.Equal(headings(list[0]), []string{"Shift to m2"}) || agreementsOf(f, o) != nil || timesOf(f, o) != nil {
		t.Errorf("%+v", list)
	}
	var b strings.Builder
	if err := Write(&b, f, Options{}); err != nil || strings.Contains(b.String(), "win rates and strengths") {
		t.Error("the page has win rates", err)
	}
}

// TestTimesAsAMetricHaveRanksAndNoShift: differences of times are ratios, which the
// chart of shifts has no axis for.
func TestTimesAsAMetricHaveRanksAndNoShift(t *testing.T) {
	f := rankings()
	f.Records = append(f.Records, results.TimeRecords(f.Times, f.Records)...)
	o := complete(f, Options{Against: "m2", Metrics: []string{results.TimeMetric}}).judge(f)
	list, notes := comparisonsOf(f, o)
	if len(list) != 2 || len(notes) != 0 {
		t.Fatalf("%d comparisons, %q", len(list), notes)
	}
	if c := list[0]; !slices.Equal(headings(c), []string{"Mean ranks with the critical difference"}) || cellOf(c.Table, 0, "Method") != "m0" {
		t.Errorf("%+v", c)
	}
	if times := timesOf(f, o); len(times) != 2 || times[0].Pareto != nil {
		t.Errorf("%d times, with a chart of times against times", len(times))
	}
}

// TestSmallestDifferencesAreToTheMethodOfThePairs: the pairs of a run are against its
// baseline, which need not be the method that the page compares with.
func TestSmallestDifferencesAreToTheMethodOfThePairs(t *testing.T) {
	f := folder()
	for _, against := range []string{"qats", "ts"} {
		list, _ := comparisonsOf(f, complete(f, Options{Against: against, Metrics: []string{"ece"}}).judge(f))
		c := list[0]
		if !strings.Contains(c.Charts[0].Note, "in points (per cent): how far a method must be from TS on one setting") {
			t.Errorf("against %s: %s", against, c.Charts[0].Note)
		}
		heading, none := "smallest", ""
		if against == "qats" {
			heading, none = "smallest to TS", "-"
		}
		for i := range c.Table.Rows {
			want := "12.25" // the root of half the interval from -.01 to .02
			if cellOf(c.Table, i, "Method") == "TS" {
				want = none
			}
			if got := cellOf(c.Table, i, heading); got != want {
				t.Errorf("against %s: %q, want %s", against, got, want)
			}
		}
	}
	f.Pairs = nil
	if list, _ := comparisonsOf(f, complete(f, Options{Metrics: []string{"ece"}}).judge(f)); list[0].Charts[0].Note != "" || slices.ContainsFunc(list[0].Table.Columns, func(c table.Column) bool { return strings.HasPrefix(c.Head, "smallest to") }) {
		t.Errorf("without pairs: %s, %v", list[0].Charts[0].Note, list[0].Table.Columns)
	}
}

// cellOf returns the text of a row under a heading.
func cellOf(t *table.Table, row int, head string) string {
	j := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Head == head })
	return t.Rows[row].Cells[j].Text
}
