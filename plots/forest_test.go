package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestForestRejectsPairs that it cannot draw, and names them.
func TestForestRejectsPairs(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Input)
		want   string
	}{
		"nothing":      {func(in *Input) { in.Pairs = nil }, "no rows of pairs.csv compare ts with qats in ece"},
		"one method":   {func(in *Input) { in.Methods = in.Methods[:1] }, "1 method;"},
		"twice":        {func(in *Input) { in.Methods[1] = "ts" }, "listed twice"},
		"other metric": {func(in *Input) { in.Pairs = resultstest.Each(in.Pairs, func(p *results.Pair) { p.Metric = "aece" }) }, "no rows of pairs.csv"},
		"NaN":          {func(in *Input) { in.Pairs[3].Difference = math.NaN() }, "column difference: NaN is not finite"},
		"per cent":     {func(in *Input) { in.Pairs[3].Hi = 12 }, "column hi: 12 is outside [-2, 2]"},
		"swapped":      {func(in *Input) { in.Pairs[3].Lo, in.Pairs[3].Hi = .2, .1 }, "column hi: 0.1 is below lo, 0.2"},
		"source":       {func(in *Input) { in.Pairs[3].Source = "" }, `column source: "" is neither`},
		"mixed":        {func(in *Input) { in.Pairs[3].Source = simulated }, "simulated rows beside measured ones"},
		"only draws":   {func(in *Input) { in.Pairs = resultstest.Each(in.Pairs, func(p *results.Pair) { p.Variant.Split = 1 }) }, "no rows of pairs.csv"},
	} {
		in := sample(figure.Forest, "ts")
		c.change(&in)
		if f, err := Forest(in); err == nil || f != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "forest figure: ") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestForestIsTheSameFromBothSides: pairs made with the other baseline, and the same
// settings in another experiment, give the same figure.
func TestForestIsTheSameFromBothSides(t *testing.T) {
	in := sample(figure.Forest, "ts")
	want := encode(t, mustDraw(t, figure.Forest, in), SVG)
	other := in.from(measured)
	other.Pairs = resultstest.Each(other.Pairs, func(p *results.Pair) {
		*p = p.Turned()
	})
	for _, p := range in.Pairs {
		p.Experiment = "again"
		other.Pairs = append(other.Pairs, p)
	}
	if got := encode(t, mustDraw(t, figure.Forest, other), SVG); string(got) != string(want) {
		t.Error("the figure depends on the baseline of a pair")
	}
}

// TestForestRows: twelve clean sets have a row each, two corruptions at three
// severities share a row for each severity, one corruption has its own row.
func TestForestRows(t *testing.T) {
	in := sample(figure.Forest, "ts")
	f := mustDraw(t, figure.Forest, in)
	var seen []string
	for _, w := range words(t, f) {
		seen = append(seen, w.text)
	}
	for _, s := range []string{"CIFAR-10", "vit-b16 / severity 2 (2)", "vit-b16 / frost 4", "ECE: ts - qats (points)", "ts better", "qats better"} {
		if !slices.Contains(seen, s) {
			t.Errorf("%q is not in %q", s, seen)
		}
	}
	below, above := 0, 0
	for _, p := range in.Pairs {
		if p.Hi < 0 {
			below++
		}
		if p.Lo > 0 {
			above++
		}
	}
	if want := fmt.Sprintf(" better in %d of 19 settings, worse in %d: a filled dot.", below, above); below*above == 0 || !strings.Contains(f.Notes[1], want) {
		t.Errorf("notes %q, want %q", f.Notes, want)
	}
	rows, grouped := Input{}.forestRows([]results.Pair{
		{Setting: shifted([]string{"fog"}, 1)[0], Difference: 2}, {Setting: shifted([]string{"snow"}, 1)[0], Difference: -1}})
	if !grouped || len(rows) != 1 || rows[0].at != 50 || rows[0].lo != -100 || rows[0].hi != 200 || rows[0].kind != settingsRange {
		t.Errorf("%+v", rows)
	}
	for difference, want := range map[float64]bool{-5e-7: false, -2e-6: true} { // values within 1e-6 are a tie
		p := results.Pair{Method: "ts", Against: "qats", Metric: "ece", Difference: difference, Verdict: &metrics.Verdict{By: "sce_mass15", Lo: -2, Hi: -1}}
		if rows, _ := (Input{}).forestRows([]results.Pair{p}); rows[0].shown != want || rows[0].at != 100*difference {
			t.Errorf("%g: %+v", difference, rows)
		}
	}
}

// TestGroupsOnOneLineDoNotTouch checks the lines of rank groups.
func TestGroupsOnOneLineDoNotTouch(t *testing.T) {
	for _, c := range []struct {
		groups [][]int
		want   []int
	}{
		{[][]int{{0, 1}, {1, 2}, {2, 3}}, []int{0, 1, 0}},
		{[][]int{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 5}}, []int{0, 1, 2, 0}},
		{nil, []int{}},
	} {
		if got := levels(c.groups); !slices.Equal(got, c.want) {
			t.Errorf("levels(%v) = %v, want %v", c.groups, got, c.want)
		}
	}
}

// compared is a comparison of the methods with qats over datasets.
func compared(t *testing.T, source string, methods ...string) *compare.Comparison {
	t.Helper()
	in := sample(figure.CriticalDifference, append(methods, "qats")...).from(source)
	list, err := compare.Of(in.Records, nil, compare.Options{Metric: "ece", Against: "qats"})
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// TestComparisonFiguresAreLegible for few and many methods.
func TestComparisonFiguresAreLegible(t *testing.T) {
	for _, methods := range [][]string{{"ts", "ir"}, {"uncal", "ts", "ir", "tta-ts", "gc-split", "featclip", "hfe-target", "qats-pw4", "ts-ecegrid", "irova", "hts", "mine", "another"}} {
		c := compared(t, measured, methods...)
		labels := map[string]string{"ts": "A label that is far too long for any panel or legend of any figure, or so one hopes"}
		ranks, err := Ranks(c, labels)
		if err != nil {
			t.Fatal(err)
		}
		differences, err := Differences(c, labels)
		if err != nil {
			t.Fatal(err)
		}
		if grey := slices.Contains(ranks.Notes, "Grey: all but the three best, TS and QaTS."); grey != (len(methods) > 8) {
			t.Errorf("of %d methods some are grey: %v", len(methods), grey)
		}
		for name, f := range map[string]*Figure{"ranks": ranks, "differences": differences} {
			all := words(t, f)
			for i, a := range all {
				if a.Min.X < 0 || a.Max.X > f.Width || a.Min.Y < 0 || a.Max.Y > f.Height || a.size < vg.Length(6) {
					t.Errorf("%s of %d: %q at %v, %.1f pt, on a page of %.0f x %.0f", name, len(methods), a.text, a.Rectangle, a.size, f.Width, f.Height)
				}
				for _, b := range all[:i] {
					if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
						t.Errorf("%s of %d: %q and %q overlap", name, len(methods), a.text, b.text)
					}
				}
			}
		}
	}
	c := compared(t, measured, "ts")
	c.Percent = false
	f, err := Differences(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(words(t, f), func(w word) bool { return strings.Contains(w.text, "points") }) || !has(t, f, "0.1") {
		t.Error("differences of a metric that is no fraction are drawn in points")
	}
	c.Ratio = true
	if _, err := Differences(c, nil); err == nil {
		t.Error("ratios of times are drawn as differences")
	}
	if _, err := Differences(compared(t, simulated, "ts"), nil); !errors.Is(err, ErrSimulated) {
		t.Errorf("differences of simulated rows: %v", err)
	}
	c.Ranking = compare.Ranking{None: "for a reason"}
	if _, err := Ranks(c, nil); err == nil || !strings.Contains(err.Error(), "for a reason") {
		t.Errorf("no ranking: %v", err)
	}
}
