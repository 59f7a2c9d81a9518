package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/resultstest"
)

// A p-value at a border is not printed as one below it.
func TestProbabilitiesAtTheBordersOfTheirPrint(t *testing.T) {
	for p, want := range map[float64][2]string{
		4.9e-5: {"<.0001", "< .001"}, 5e-5: {".0001", "< .001"}, .00099: {".0010", "< .001"},
		.001: {".0010", "= .001"}, .0994: {".0994", "= .099"}, .0995: {".0995", "= .10"}, 1: {"1.0000", "= 1.00"},
	} {
		relation, short := shortP(p)
		if got := [2]string{probability(p), relation + " " + short}; got != want {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
}

// A difference is shown at p = .05, not only below.
func TestVerdictsAtTheLevel(t *testing.T) {
	v := View{Comparison: &Comparison{Options: Options{Against: "ts"}, Better: metrics.Lower, Rows: make([]Row, 1)}, Labels: map[string]string{"ts": "TS", "x": "X"}}
	for _, c := range []struct {
		holm, shift float64
		want        string
	}{
		{Alpha, -1, "X is better"}, {Alpha, 1, "TS is better"}, {.0501, -1, "no difference shown"}, {.0501, 1, "no difference shown"},
	} {
		r := Row{Method: "x", Blocks: 8, Holm: c.holm, Shift: significance.Shift{Estimate: c.shift}}
		if got := v.verdict(r).String(); got != c.want {
			t.Errorf("p = %v, shift %v: %s", c.holm, c.shift, got)
		}
	}
}

// A printed zero has no sign that another could contradict. Of blocks that pull alike
// the first is named.
func TestApartOfAZeroAndOfEqualBlocks(t *testing.T) {
	sign := func(x float64) int {
		switch {
		case x < 0:
			return -1
		case x > 0:
			return 1
		}
		return 0
	}
	r := Row{Difference: .01, BlockDifference: []float64{-.5, .5, .5}, BlockNames: []string{"a", "b", "c"}}
	if block, _, ok := r.Apart(sign); ok {
		t.Errorf("a shift of 0: block %s", block)
	}
	r.Shift.Estimate = -.01
	if block, difference, ok := r.Apart(sign); !ok || block != "b" || difference != .5 {
		t.Errorf("block %s, %v, %t", block, difference, ok)
	}
}

// Twelve names are printed in full.
func TestNamesCountsThoseBeyondTwelve(t *testing.T) {
	for n, want := range map[int]string{12: "", 13: ", 1 more"} {
		var list []results.Setting
		for i := range n {
			list = append(list, cell(fmt.Sprintf("d%02d", i), "x"))
		}
		got := names(list)
		if _, more, _ := strings.Cut(got, "d11/x"); more != want {
			t.Errorf("%d settings: %s", n, got)
		}
	}
}

// The notes about p-values by the number of blocks, and about methods without
// intervals.
func TestNotesOfFewBlocksAndOfMissingIntervals(t *testing.T) {
	for n, want := range map[int]string{
		1: "1 independent data set cannot be tested: that takes 6 independent data sets.",
		5: "With 5 independent data sets no p can be below .0625, so none can reach .05: that takes 6 independent data sets. There is no 95 % interval of a shift.",
		6: "With 6 independent data sets no p can be below .0312.",
		8: "",
	} {
		v := View{Comparison: &Comparison{Blocks: make([]string, n), Rows: []Row{{Method: "x", Blocks: n}}}}
		if got := strings.Join(v.powerNotes(), " "); got != want {
			t.Errorf("%d blocks: %q, want %q", n, got, want)
		}
	}
}

// Nemenyi's test tells apart all, no, or some methods.
func TestRankingNotesByTheGroupsOfNemenyi(t *testing.T) {
	methods := []string{"a", "b", "c"}
	for _, c := range []struct {
		groups [][]int
		want   string
	}{
		{nil, "Nemenyi's test tells all methods apart."},
		{[][]int{{0, 1, 2}}, "Nemenyi's test distinguishes no two methods."},
		{[][]int{{0, 1}}, "Not distinguished by Nemenyi's test, in the order of ranks: a to b."},
		{[][]int{{0, 1}, {1, 2}}, "Not distinguished by Nemenyi's test, in the order of ranks: a to b; b to c."},
	} {
		v := View{Comparison: &Comparison{}, Labels: map[string]string{"a": "a", "b": "b", "c": "c"}}
		v.Ranking = Ranking{Methods: methods, Groups: c.groups, Blocks: make([]string, 7), Test: significance.RankTest{Methods: 3, Blocks: 7}}
		for least, few := range map[float64]bool{.0156: false, .03125: true} {
			v.Ranking.LeastP = least // times two comparisons: .031 and .063
			notes := v.RankingNotes()
			if !slices.Contains(notes, c.want) || strings.Contains(strings.Join(notes, " "), "distinguishes no two methods.") != (few || len(c.groups) == 1 && len(c.groups[0]) == 3) {
				t.Errorf("groups %v, least p %v: %q", c.groups, least, notes)
			}
		}
	}
}

// Redrawn splits without intervals have no number for the part of the rows.
func TestSplitsWithoutResamplingPrintADash(t *testing.T) {
	v := View{Comparison: &Comparison{Percent: true, Digits: 2}, Splits: []Split{{Method: "x", Deviation: .01, Draws: 3}}}
	if rows := v.SplitTable().Rows; len(rows) != 1 || rows[0].Cells[10].Text != "-" {
		t.Errorf("%+v", rows)
	}
	var text strings.Builder
	if err := v.JSON(&text); err != nil || !strings.Contains(text.String(), `"kind":"splits"`) || !strings.Contains(text.String(), `"sd_fit_fixed":null`) {
		t.Errorf("%s (%v)", text.String(), err)
	}
}

// A comparison without warnings and redrawn splits has no headings for them.
func TestNoHeadingsWithoutRows(t *testing.T) {
	var records []results.Record
	for i := range 6 {
		c := cell(fmt.Sprint(i), "x")
		records = append(records, record(c, "qats", .1), record(c, "ts", .2))
	}
	v := judged(t, records, nil, ece)
	var text, latex strings.Builder
	if err := v.Text(&text); err != nil || strings.Contains(text.String(), "Redrawn splits") || strings.Contains(text.String(), "Win, tie, loss:") {
		t.Errorf("%s (%v)", text.String(), err)
	}
	if err := v.LaTeX(&latex); err != nil || strings.Contains(latex.String(), "Warnings of fits") {
		t.Errorf("%s (%v)", latex.String(), err)
	}
}

// A mean and a shift are contrary as they are printed: a printed zero is neither. A
// ratio is above or below 1, and one that is printed as 1 is neither.
func TestContraryNumbersAreThoseOfThePrint(t *testing.T) {
	for _, c := range []struct {
		ratio             bool
		difference, shift float64
		want              bool
	}{
		{false, .02, -.01, true}, {false, -.02, .01, true}, {false, .02, .01, false}, {false, -.0000001, .01, false}, {false, .02, -.0000001, false},
		{true, math.Log(2), math.Log(.5), true}, {true, math.Log(.5), math.Log(2), true}, {true, math.Log(2), math.Log(3), false},
		{true, -1e-9, math.Log(2), false}, {true, math.Log(.5), 1e-9, false},
		{true, math.Log(.9996), math.Log(2), false}, {true, math.Log(.9994), math.Log(2), true}, {true, math.Log(1.006), math.Log(.5), true},
	} {
		away := c.difference * 3
		r := Row{Method: "x", Blocks: 8, Difference: c.difference, Shift: significance.Shift{Estimate: c.shift}, BlockNames: []string{"b"}, BlockDifference: []float64{away}}
		v := View{Comparison: &Comparison{Options: Options{Against: "ts"}, Rows: []Row{r}, Ratio: c.ratio, Digits: 4}}
		if got := v.contrary(); (len(got) > 0) != c.want {
			t.Errorf("ratio %v, difference %v, shift %v: %q", c.ratio, c.difference, c.shift, got)
		}
	}
}

// Times of a run are explained, and so is what verdicts rest on and where there are none.
func TestNotesOnVerdictsFitTheNumbers(t *testing.T) {
	own, squares := metrics.Basis{Name: "nll", Label: "NLL"}, metrics.Basis{Name: "sce", Label: "squared error", Squared: true}
	for name, c := range map[string]struct {
		ratio     bool
		basis     metrics.Basis
		files     string
		noVerdict int
		why       string
		want, not string
	}{
		"times of a run":    {true, metrics.Basis{}, timesFile, 2, "", "A time is of one fit", "Without a verdict"},
		"times of others":   {true, metrics.Basis{}, "other.csv", 2, "", "gives no verdicts on single settings", "A time is of one fit"},
		"errors in times":   {false, squares, timesFile, 2, "", "Without a verdict (times.csv has no pairs): x.", "A time is of one fit"},
		"all have verdicts": {false, squares, "", 0, "", "It rests on the difference in the squared error: its 95 % interval", "Without a verdict"},
		"by itself":         {false, own, "", 0, "", "It rests on the difference in N: its 95 % interval", "root mean square"},
		"of squares":        {false, squares, "", 0, "", "as the root mean square of its gaps", "Without a verdict"},
		"some have none":    {false, squares, "", 1, "", "Without a verdict (pairs.csv has no pairs in ece against ts): x in 1 setting.", "A time is of one fit"},
		"too few rows":      {false, squares, "", 1, "9 wrong predictions", "Without a verdict (9 wrong predictions): x in 1 setting.", "A time is of one fit"},
		"no such metric":    {false, metrics.Basis{}, "", 2, "", "N gives no verdicts on single settings: no interval", "Without a verdict"},
	} {
		v := View{Comparison: &Comparison{Options: Options{Metric: "ece", Against: "ts", Files: c.files, Block: BySetting}, MetricLabel: "N", By: c.basis, Ratio: c.ratio, Blocks: make([]string, 12), Verdicts: 2 - c.noVerdict,
			Rows: []Row{{Method: "x", Settings: 2, NoVerdict: c.noVerdict, Why: c.why, Blocks: 12}}}, Labels: map[string]string{"ts": "ts", "x": "x"}}
		text := strings.Join(v.legend(), "\n")
		if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s: %s", name, text)
		}
	}
	records := resultstest.By(results.TimeMetric, record(cell("a", "x"), "qats", 1), record(cell("a", "x"), "ts", 2))
	if c := comparison(t, records, nil, Options{Metric: results.TimeMetric, Against: "qats"}); c.Files != timesFile {
		t.Errorf("times are read from %q", c.Files)
	}
	if c := comparison(t, records, nil, Options{Metric: results.TimeMetric, Against: "qats", Files: "mine.csv"}); c.Files != "mine.csv" {
		t.Errorf("times of mine.csv are read from %q", c.Files)
	}
}

// Long lists of places are broken so that no line is wider than the text.
func TestPlacesOfMethodsAlikeFitTheWidth(t *testing.T) {
	n := 61
	c := &Comparison{Options: Options{Against: "m0"}, Rows: nil, Better: metrics.Lower, Ranking: Ranking{Ranks: make([]float64, n), Means: make([]float64, n)}}
	for i := range n {
		name := fmt.Sprint("m", i)
		c.Ranking.Methods = append(c.Ranking.Methods, name)
		c.Ranking.Apart = append(c.Ranking.Apart, make([]bool, n))
		for j := range n {
			c.Ranking.Apart[i][j] = j%2 == 1 && i != j
		}
	}
	c.Rows = []Row{{Method: "m2", Blocks: 8, Settings: 8}}
	var text strings.Builder
	methods := (View{Comparison: c, Labels: labels}).methods(c.Ranking.Methods)
	if err := methods.Text(&text, width); err != nil {
		t.Fatal(err)
	}
	tests := strings.Split(text.String(), "\n")
	for _, l := range tests {
		if len([]rune(l)) > width {
			t.Errorf("%d columns: %s", len([]rune(l)), l)
		}
	}
	if len(tests) < 2*n+5 {
		t.Errorf("%d lines", len(tests))
	}
}

// Warnings name their settings where their method is the one compared against, or methods
// were asked for by name.
func TestWarningsNameTheirSettings(t *testing.T) {
	c := &Comparison{Settings: 3, Warnings: []Warning{{Method: "ts", Text: "far away", Settings: []results.Setting{{Dataset: "d", Backbone: "net"}}}}}
	for _, o := range []struct {
		against string
		methods []string
		named   bool
	}{{"ts", nil, true}, {"qats", nil, false}, {"qats", []string{"ts"}, true}} {
		c.Against, c.Methods = o.against, o.methods
		list := View{Comparison: c, Labels: labels}.warnings()
		if len(list) != 1 || strings.Contains(list[0], "net") != o.named {
			t.Errorf("against %s, methods %v: %q", o.against, o.methods, list)
		}
	}
}
