package page

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/compare/significance"
)

// ticks returns the texts of class tick of a drawing.
func ticks(drawing string) (list []string) {
	for _, m := range regexp.MustCompile(`<text class="tick"[^>]*>([^<]*)`).FindAllStringSubmatch(drawing, -1) {
		list = append(list, m[1])
	}
	return list
}

// ids returns n identifiers of methods and their ranks 1 to n.
func ids(n int) (methods []string, ranks []float64) {
	for i := range n {
		methods, ranks = append(methods, fmt.Sprintf("m%d", i)), append(ranks, float64(i+1))
	}
	return methods, ranks
}

// TestTicksOfRanksAreWholeAndFew: up to 17 ranks (13 of the chart by bins) have a tick
// each; more have one at each multiple of a step, and the chart of ranks one at 1.
func TestTicksOfRanksAreWholeAndFew(t *testing.T) {
	for n, want := range map[int]string{13: "1 2 3 4 5 6 7 8 9 10 11 12 13", 20: "2 4 6 8 10 12 14 16 18 20"} {
		methods, ranks := ids(n)
		text := string(binsChart(&compare.Agreement{Methods: methods, Ranks: [][]float64{ranks, ranks}}, Options{}, []int{5, 15}, "ECE"))
		if got := strings.Join(ticks(text), " "); got != want+" 5 15" {
			t.Errorf("by bins, %d methods: ticks %s", n, got)
		}
		if height := 10 + 44 + math.Max(220, 16.5*float64(n)); !strings.Contains(text, fmt.Sprintf(`viewBox="0 0 680 %s"`, short(height))) {
			t.Errorf("%d methods: %.100s", n, text)
		}
	}
	for n, want := range map[int]string{17: "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", 18: "1 2 4 6 8 10 12 14 16 18"} {
		methods, ranks := ids(n)
		v := compare.View{Comparison: &compare.Comparison{Ranking: compare.Ranking{Methods: methods, Ranks: ranks, Critical: 3}}}
		text, _ := ranksChart(v, smallest{})
		got := slices.DeleteFunc(ticks(string(text)), func(s string) bool { return strings.Contains(s, ".") })
		if strings.Join(got, " ") != want {
			t.Errorf("%d methods: ticks %s", n, got)
		}
	}
}

// TestEqualRanksHaveAnAxis: where all methods tie with a whole rank, the axis goes to the
// next rank.
func TestEqualRanksHaveAnAxis(t *testing.T) {
	methods, _ := ids(3)
	same := []float64{2, 2, 2}
	text := string(binsChart(&compare.Agreement{Methods: methods, Ranks: [][]float64{same, same}}, Options{}, []int{5, 15}, "ECE"))
	if got := ticks(text); strings.Contains(text, "NaN") || !slices.Equal(got, []string{"2", "3", "5", "15"}) {
		t.Errorf("ticks %q in %s", got, text)
	}
}

// TestTwoNumbersOfBinsAreEnough for the chart by the number of bins.
func TestTwoNumbersOfBinsAreEnough(t *testing.T) {
	f := rankings()
	f.Records = slices.DeleteFunc(f.Records, func(r results.Record) bool { return r.Metric == "ece_100" })
	o := f.complete(Options{Against: "m2", Metrics: []string{"ece"}})
	if b := binsOf(f, o, "ece", "measured"); b == nil || len(b.Table.Head) != 3 {
		t.Errorf("%+v", b)
	}
}

// TestSpreadMovesNamesIntoTheLimits also where they are far enough apart.
func TestSpreadMovesNamesIntoTheLimits(t *testing.T) {
	for _, c := range []struct{ heights, want []float64 }{{[]float64{0, 50}, []float64{5, 50}}, {[]float64{50, 100}, []float64{50, 95}}} {
		spread(c.heights, 10, 0, 100)
		if !slices.Equal(c.heights, c.want) {
			t.Errorf("%v, want %v", c.heights, c.want)
		}
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
		return agreementsOf(f, f.complete(Options{Against: "m1"}))
	}
	if list := of([]string{"ece", "nll"}, []string{"ece", "brier"}, 5); len(list) != 2 || !slices.Equal(list[0].Names, []string{"ECE", "NLL"}) || !slices.Equal(list[1].Names, []string{"ECE", "Brier score"}) {
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
	list, notes := comparisonsOf(f, f.complete(Options{Against: "m2", Metrics: []string{"absent", "nll", "accuracy", "ece"}}))
	if len(list) != 2 || len(notes) != 0 || list[0].Title != "ECE, methods against m2" {
		t.Errorf("%d comparisons, %q", len(list), notes)
	}
	for i := range f.Records {
		if f.Records[i].Metric == "nll" || f.Records[i].Metric == "brier" {
			f.Records[i].Metric = "unknown"
		}
	}
	list, notes = comparisonsOf(f, f.complete(Options{Against: "m2", Metrics: []string{"unknown", "ece"}}))
	if len(list) != 2 || len(notes) != 1 || !strings.HasPrefix(notes[0], "No comparison by unknown: ") {
		t.Errorf("%d comparisons, %q", len(list), notes)
	}
}

// TestOneMethodHasNoShifts.
func TestOneMethodHasNoShifts(t *testing.T) {
	f := rankings()
	f.Records = slices.DeleteFunc(f.Records, func(r results.Record) bool { return r.Method != "m2" })
	list, notes := comparisonsOf(f, f.complete(Options{Against: "m2", Metrics: []string{"ece"}}))
	if len(list) != 2 || len(notes) != 0 || list[0].Forest != "" || len(list[0].ForestTable.Rows) != 0 {
		t.Errorf("%+v, %q", list, notes)
	}
}

// TestTheNameOfTheCriticalDifferenceStandsWhereItFits: beside the bar up to the limit.
func TestTheNameOfTheCriticalDifferenceStandsWhereItFits(t *testing.T) {
	const to = 400.0
	ends := to + 6 + textWidth("critical difference 9.58", tickSize, false)
	for limit, want := range map[float64]string{ends: `text-anchor="start" x="406" y="28"`, ends - 1: `text-anchor="end" x="400" y="39"`, to: `x1="400" y1="20" x2="400" y2="28"`} {
		s := &svg{}
		s.critical(9.58, 150, to, limit)
		if got := s.b.String(); !strings.Contains(got, want) || strings.Contains(got, "cd-end") {
			t.Errorf("limit %v: %s", limit, got)
		}
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
				f.Pairs = append(f.Pairs, results.Pair{Setting: at, Method: m, Against: against, Metric: metric, Difference: .01, Lo: 0, Hi: .02, N: 100, Source: source})
			}
		}
	}
	pairs("simulated", "ece", "m3", 8)
	pairs("measured", "nll", "m0", 8)
	pairs("measured", "ece", "m1", 6)
	pairs("measured", "ece", "m0", 6)
	o := f.complete(Options{Against: "m2", Metrics: []string{"ece"}})
	list, err := compare.Of(f.Records, f.Pairs, compare.Options{Metric: "ece", Against: "m2"})
	if err != nil {
		t.Fatal(err)
	}
	for i, against := range []string{"m1", "m3"} {
		if found := smallestOf(f, o, list[i]); found.against != against {
			t.Errorf("%s: %+v, want %s", list[i].Source, found, against)
		}
	}

	methods, _ := ids(4)
	c := &compare.Comparison{Ranking: compare.Ranking{Methods: methods}, Rows: []compare.Row{{Method: "m0", Smallest: .1}, {Method: "m1", Smallest: .2}, {Method: "m2"}, {Method: "x", Smallest: .3}}}
	if found := smallestIn(c, c); !maps.Equal(found.byMethod, map[string]string{"m0": "0", "m1": "0"}) {
		t.Errorf("half of the methods: %+v", found)
	}
	c.Rows = c.Rows[1:]
	if found := smallestIn(c, c); found.byMethod != nil {
		t.Errorf("a quarter of the methods: %+v", found)
	}
}

// TestTheAxisOfShiftsHasATickAtItsEnd where the end is a multiple of the step.
func TestTheAxisOfShiftsHasATickAtItsEnd(t *testing.T) {
	c := &compare.Comparison{}
	for _, x := range []float64{1, 1, 1, 1, 9} {
		c.Rows = append(c.Rows, compare.Row{Shift: significance.Shift{Estimate: x}})
	}
	text, _ := forestChart(compare.View{Comparison: c})
	if got := strings.Join(ticks(string(text)), " "); got != "−2 −1.5 −1 −0.5 0 0.5 1 1.5 2 +9" {
		t.Errorf("ticks %s", got)
	}
}

// TestAShiftAtTheEndOfTheAxisHasNoArrow, one beyond it has.
func TestAShiftAtTheEndOfTheAxisHasNoArrow(t *testing.T) {
	const dot, left, right = `<rect class="dot" x="%d" y="6" width="8" height="8"/>`, `<path class="arrow" d="M%d 10 l8 -5 v10 z"/>`, `<path class="arrow" d="M%d 10 l-8 -5 v10 z"/>`
	const whisker, number = `<line class="whisker" x1="%d" y1="10" x2="%d" y2="10"/>`, `<text class="tick" text-anchor="%s" x="%d" y="14">%s</text>`
	for _, c := range []struct {
		lo, mid, hi float64
		want        string
	}{
		{-2, 0, 2, fmt.Sprintf(whisker, 100, 300) + fmt.Sprintf(dot, 196)},
		{-2, -2, -1, fmt.Sprintf(whisker, 100, 150) + fmt.Sprintf(dot, 96)},
		{1, 2, 2, fmt.Sprintf(whisker, 250, 300) + fmt.Sprintf(dot, 296)},
		{-3, 0, 3, fmt.Sprintf(whisker, 100, 300) + fmt.Sprintf(left, 100) + fmt.Sprintf(right, 300) + fmt.Sprintf(dot, 196)},
		{1, 3, 4, fmt.Sprintf(whisker, 250, 300) + fmt.Sprintf(right, 300) + fmt.Sprintf(number, "end", 244, "+3.0")},
		{-4, -3, -1, fmt.Sprintf(whisker, 100, 150) + fmt.Sprintf(left, 100) + fmt.Sprintf(number, "start", 156, "-3.0")},
	} {
		s := &svg{}
		x := func(d float64) float64 { return 200 + 50*math.Max(-2, math.Min(2, d)) }
		s.shift(significance.Shift{Estimate: c.mid / 10, Lo: c.lo / 10, Hi: c.hi / 10, Bounded: true}, 10, 2, x, 10, 1)
		if got := s.b.String(); got != c.want {
			t.Errorf("%v [%v, %v]: got\n%s\nwant\n%s", c.mid, c.lo, c.hi, got, c.want)
		}
	}
}

// TestTheTickAtZeroHasNoSign.
func TestTheTickAtZeroHasNoSign(t *testing.T) {
	for at, want := range map[float64]string{math.Copysign(0, -1): "0", -1e-17: "0", .6000000001: "0.6", -.4: "−0.4"} {
		if got := tick(at, .2); got != want {
			t.Errorf("%v: %s, want %s", at, got, want)
		}
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
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "bins.csv") {
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
		for i, m := range s.Marks {
			counts[m.Class]++
			if m.Number != i+1 || m.Class == "holds" && m.Sign != "✓" || m.Class == "fails" && m.Sign != "✗" {
				t.Errorf("mark %+v", m)
			}
		}
		if s.Holds != counts["holds"] || s.Fails != counts["fails"] || s.Open != counts["open"] || len(s.Marks) != len(v.Claims) {
			t.Errorf("%s: %d, %d and %d of %v", s.Name, s.Holds, s.Fails, s.Open, counts)
		}
	}
	if a, b := v.Strips[0], v.Strips[1]; a.Holds == 0 || a.Fails == 0 || b.Open == 0 {
		t.Errorf("nothing to count: %+v", v.Strips)
	}
}

// TestPointsArePercentages with two decimals.
func TestPointsArePercentages(t *testing.T) {
	if x := points(1234); x != 12.34 {
		t.Errorf("%v", x)
	}
}
