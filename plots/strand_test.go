package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestEqualLinesAreNamedTogether: methods with the same values have one line in the
// legend, with both names, and no line is drawn beside its values.
func TestEqualLinesAreNamedTogether(t *testing.T) {
	in := sample(figure.Severity, "uncal", "ts", "qats")
	for i, r := range in.Records {
		if r.Method == "qats" {
			in.Records[i].Value = in.Records[i-1].Value + 1e-6 // of ts; below what is printed
		}
	}
	in.Labels = map[string]string{"ts": "TS", "qats": "QaTS"}
	f := mustDraw(t, figure.Severity, in)
	if !slices.Contains(f.Notes, "TS = QaTS: equal to two decimals at every severity.") {
		t.Errorf("notes %q", f.Notes)
	}
	if !has(t, f, "TS = QaTS") || !has(t, f, "uncal") || has(t, f, "TS") || has(t, f, "QaTS") {
		t.Error("the legend does not name the methods together")
	}

	grid := sample(figure.QuantileGapGrid, "ts", "qats")
	first := grid.Bins[0].Setting
	at := map[results.Bin]results.Bin{} // of ts
	key := func(b results.Bin) results.Bin {
		return results.Bin{Setting: b.Setting, Binning: b.Binning, Bin: b.Bin}
	}
	for _, b := range grid.Bins {
		if b.Method == "ts" {
			at[key(b)] = b
		}
	}
	for i, b := range grid.Bins {
		if b.Method == "qats" && b.Setting == first {
			grid.Bins[i] = at[key(b)]
			grid.Bins[i].Method = "qats"
		}
	}
	f = mustDraw(t, figure.QuantileGapGrid, grid)
	if !has(t, f, "resnet50: ts = qats") || !has(t, f, "vit-b16") || !strings.Contains(f.Caption, "drawn around each other") {
		t.Errorf("the panel does not name the methods that coincide: %s", f.Caption)
	}
}

// has reports whether a text stands in a figure.
func has(t *testing.T, f *Figure, text string) bool {
	return slices.ContainsFunc(words(t, f), func(w word) bool { return w.text == text })
}

// TestCoincidingStrandsShowAroundEachOther: each is wider than the next one.
func TestCoincidingStrandsShowAroundEachOther(t *testing.T) {
	all := strands([]method{{id: "ts"}, {id: "ir"}, {id: "qats"}})
	group := around(all, []int{0, 2})
	if group[0].line().Width < 1.5*group[1].line().Width || group[0].glyph().Radius < 1.5*group[1].glyph().Radius {
		t.Errorf("%v", group)
	}
	at := func(y float64) course { return course{{x: 1, y: y}} }
	groups := coinciding([]course{at(1), at(2), at(1.002), nil, at(2), at(1)})
	if len(groups) != 2 || !slices.Equal(groups[0], []int{0, 2, 5}) || !slices.Equal(groups[1], []int{1, 4}) {
		t.Errorf("%v", groups)
	}
}

// TestBulkEndsBeforeFewOutlyingValues, and not before values that belong together.
func TestBulkEndsBeforeFewOutlyingValues(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		largest float64
		clipped bool
	}{
		{[]float64{3, 1, 2, 2, 3, 40}, 3, true},
		{[]float64{3, 1, 2, 2, 3, 6}, 6, false},
		{[]float64{3, 1, 40}, 40, false},               // too few to say
		{[]float64{3, 1, 2, 2, 30, 40}, 40, false},     // two of six are not few
		{[]float64{.1, .1, .1, .1, .1, .5}, .5, false}, // below a point nothing is flattened
		{nil, 0, false},
	} {
		if got, clipped := bulk(c.values, onePoint); got != c.largest || clipped != c.clipped {
			t.Errorf("bulk(%v) = %v, %v", c.values, got, clipped)
		}
	}
}

// TestOutlierIsAnArrowWithItsNumber in losses and forest, and the caption says so.
func TestOutlierIsAnArrowWithItsNumber(t *testing.T) {
	in := sample(figure.Losses, "ts", "qats")
	in.Records = resultstest.Each(in.Records, func(r *results.Record) { r.Value /= 4 })
	in.Records[3].Value = .987
	f := mustDraw(t, figure.Losses, in)
	if !has(t, f, "98.7") || !strings.HasSuffix(f.Caption, clippedNote) {
		t.Errorf("losses: %s", f.Caption)
	}
	in = sample(figure.Forest, "ts")
	in.Pairs[3].Difference, in.Pairs[3].Lo, in.Pairs[3].Hi = -.6, -.62, -.58
	f = mustDraw(t, figure.Forest, in)
	if !has(t, f, "-60.0 [-62.0, -58.0]") || !strings.HasSuffix(f.Caption, clippedNote) {
		t.Errorf("forest: %s", f.Caption)
	}
}

// TestLeadersDoNotCoincide where methods have equal ranks.
func TestLeadersDoNotCoincide(t *testing.T) {
	var d rankDiagram
	d.methods = make([]method, 5)
	d.Ranks = []float64{2, 2, 2, 2.01, 5}
	list := d.leaders(func(rank float64) vg.Length { return vg.Length(100 * rank) })
	for i := range 4 {
		if list[i+1]-list[i] < 3 {
			t.Errorf("leaders %v", list)
		}
	}
	if !(math.Abs(float64(list[4]-500)) <= 1e-9) {
		t.Errorf("a leader without neighbours moved: %v", list)
	}
}
