package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// rankings returns a folder with several methods, metrics, numbers of bins and fit times.
// The measured rows rank m0 first, the simulated ones last.
func rankings() *Folder {
	var f Folder
	for s, dataset := range []string{"a", "b", "c", "d"} {
		source := []string{"measured", "measured", "simulated", "simulated"}[s]
		at := results.Setting{Experiment: "e", Dataset: dataset, Backbone: "net", Loss: "ce"}
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
				f.Records = append(f.Records, results.Record{Setting: at, Method: method, Metric: metric, Value: value, N: 100, Source: source, Status: results.OK})
			}
			f.Times = append(f.Times, results.Time{Setting: at, Method: method, Source: source, Seconds: .001 * float64(1+i*i), Known: true, Rows: 50})
		}
	}
	return &f
}

// TestRankingViewsKeepSourcesApart: each view of the rankings is of one source.
func TestRankingViewsKeepSourcesApart(t *testing.T) {
	f := rankings()
	o := f.complete(Options{Against: "m2", Metrics: []string{"ece"}})
	list, notes := comparisonsOf(f, o)
	agreements, times := agreementsOf(f, o), timesOf(f, o)
	if len(list) != 2 || len(notes) != 0 || len(agreements) != 2 || len(times) != 2 {
		t.Fatalf("%d comparisons, %q, %d agreements, %d times", len(list), notes, len(agreements), len(times))
	}
	for i, first := range []string{"m0", "m4"} {
		c, a, p := list[i], agreements[i], times[i].Pareto
		if c.StrengthTable.Rows[0][0] != first || c.StrengthTable.Rows[0][1] != "100.0" || c.WinRates == "" || c.Strengths == "" {
			t.Errorf("%s: strengths %v", c.Source, c.StrengthTable.Rows)
		}
		if a.Source != c.Source || !slices.Equal(a.Names, []string{"ECE", "NLL"}) || a.Ranks.Rows[0][0] != first || a.Rows[0].Cells[1] != (shaded{"1.00", "h-4"}) {
			t.Errorf("%s: agreement %+v", c.Source, a)
		}
		if b := c.Bins; b == nil || !slices.Equal(b.Table.Head, []string{"Method", "5 bins", "15 bins", "100 bins"}) || !slices.Contains(b.Table.Rows[0], "2.00") ||
			!strings.Contains(b.Notes[0], "a Kendall's tau of 0.80 or more") {
			t.Errorf("%s: bins %+v", c.Source, b)
		}
		if p == nil || p.Table.Rows[0][0] != first || p.Table.Rows[0][3] != "no" || len(p.Notes) != 1 {
			t.Fatalf("%s: pareto %+v", c.Source, p)
		}
		beaten := 0
		for _, row := range p.Table.Rows {
			if row[3] == "yes" {
				beaten++
			}
		}
		// Measured, the fastest method is the best; simulated, the slowest is.
		if want := []int{4, 0}[i]; beaten != want {
			t.Errorf("%s: %d methods are beaten in both, want %d", c.Source, beaten, want)
		}
	}
}

// TestTheFooterNamesTheFiles that the page is made from, and no others.
func TestTheFooterNamesTheFiles(t *testing.T) {
	f := rankings()
	for want, times := range map[string][]results.Time{"pairs.csv, times.csv. The": f.Times, "pairs.csv. The": nil} {
		var b strings.Builder
		f.Times = times
		if err := f.Write(&b, Options{}); err != nil || !strings.Contains(b.String(), "results.csv, bins.csv, "+want) {
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
	o := f.complete(Options{Against: "m2", Metrics: []string{"ece"}})
	list, _ := comparisonsOf(f, o)
	if len(list) != 1 || list[0].WinRates != "" || list[0].Bins != nil || agreementsOf(f, o) != nil || timesOf(f, o) != nil {
		t.Errorf("%+v", list)
	}
	var b strings.Builder
	if err := f.Write(&b, Options{}); err != nil || strings.Contains(b.String(), "<h4>Win rates") {
		t.Error("the page has win rates", err)
	}
}

// TestTimesAsAMetricHaveRanksAndNoShift: differences of times are ratios, which the
// chart of shifts has no axis for.
func TestTimesAsAMetricHaveRanksAndNoShift(t *testing.T) {
	f := rankings()
	f.Records = append(f.Records, results.TimeRecords(f.Times, f.Records)...)
	o := f.complete(Options{Against: "m2", Metrics: []string{results.TimeMetric}})
	list, notes := comparisonsOf(f, o)
	if len(list) != 2 || len(notes) != 0 {
		t.Fatalf("%d comparisons, %q", len(list), notes)
	}
	if c := list[0]; c.Forest != "" || c.Ranks == "" || c.WinRates == "" || c.RankTable.Rows[0][0] != "m0" {
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
		list, _ := comparisonsOf(f, f.complete(Options{Against: against, Metrics: []string{"ece"}}))
		c := list[0]
		if !strings.Contains(c.Smallest, "in points (per cent): how far a method must be from TS on one setting") {
			t.Errorf("against %s: %s", against, c.Smallest)
		}
		for _, row := range c.RankTable.Rows {
			want := "1.50" // half of the interval from -.01 to .02
			if row[0] == "TS" {
				want = "-"
			}
			if row[3] != want {
				t.Errorf("against %s: %q, want %s", against, row, want)
			}
		}
	}
	f.Pairs = nil
	if list, _ := comparisonsOf(f, f.complete(Options{Metrics: []string{"ece"}})); list[0].Smallest != "" || len(list[0].RankTable.Head) != 3 {
		t.Errorf("without pairs: %s, %q", list[0].Smallest, list[0].RankTable.Head)
	}
}

// TestNamesOfTheParetoChartCoverNothing: as long as there is room, no name covers
// another name or a mark.
func TestNamesOfTheParetoChartCoverNothing(t *testing.T) {
	area := box{0, 0, 800, 400}
	var taken []box
	for i := range 30 {
		x, y := 380+7*float64(i%6), 180+6*float64(i/6)
		taken = append(taken, box{x - 3, y - 3, x + 3, y + 3})
	}
	for i := range 20 {
		at, _, _ := placeOf(380+7*float64(i%6), 180+6*float64(i/6), 29, area, taken)
		if i := slices.IndexFunc(taken, at.meets); i >= 0 {
			t.Errorf("name at %v covers %v", at, taken[i])
		}
		taken = append(taken, at)
	}
}

// TestSpreadKeepsOrderAndLimits of names beside lines.
func TestSpreadKeepsOrderAndLimits(t *testing.T) {
	heights := []float64{10, 10, 11, 50, 50, 50, 98, 99}
	spread(heights, 10, 0, 100)
	for i, h := range heights {
		if h < 5-.1 || h > 95+.1 || i > 0 && h-heights[i-1] < 10-.1 {
			t.Errorf("%v", heights)
		}
	}
}

// TestLongNamesAreCutInChartsWithTheWholeNameInATitle.
func TestLongNamesAreCutInChartsWithTheWholeNameInATitle(t *testing.T) {
	s := &svg{}
	s.label(138, 0, "a method with <a> very long name", true)
	want := `<text class="label own" text-anchor="end" x="138" y="0">a method with &lt;a…<title>a method with &lt;a&gt; very long name</title></text>`
	if got := s.b.String(); got != want {
		t.Errorf("%s", got)
	}
	for _, name := range []string{"Scaling-binning-top", "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii", "WWWWWWWWWWWWWWWW"} {
		if shown := cut(name, 138, true); textWidth(shown, labelSize, true) > 138 || shown != name && textWidth(shown+"W", labelSize, true) < 138 {
			t.Errorf("%s is cut to %s", name, shown)
		}
	}
}

// TestTheCriticalDifferenceStaysInItsColumn: its bar and its name end before limit.
func TestTheCriticalDifferenceStaysInItsColumn(t *testing.T) {
	for to, want := range map[float64]string{
		400: `<line class="cd" x1="150" y1="24" x2="400" y2="24"/><line class="cd" x1="400" y1="20" x2="400" y2="28"/><text class="tick" text-anchor="start" x="406" y="28">`,
		640: `<line class="cd" x1="150" y1="24" x2="640" y2="24"/><line class="cd" x1="640" y1="20" x2="640" y2="28"/><text class="tick" text-anchor="end" x="640" y="39">`,
		700: `<line class="cd" x1="150" y1="24" x2="652" y2="24"/><path class="cd-end" d="M656 24 l-8 -5 v10 z"/><text class="tick" text-anchor="end" x="656" y="39">`,
	} {
		s := &svg{}
		s.critical(9.58, 150, to, 656)
		if got := s.b.String(); got != `<line class="cd" x1="150" y1="20" x2="150" y2="28"/>`+want+"critical difference 9.58</text>" {
			t.Errorf("%v: %s", to, got)
		}
	}
}
