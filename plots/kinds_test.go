package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestMeanNeedsAllCorruptions: means and quartiles are over all corruptions, or not
// drawn.
func TestMeanNeedsAllCorruptions(t *testing.T) {
	corruptions := []string{"a", "b", "c", "d"}
	in := Input{Records: testRecords("ece", shifted(corruptions, 1, 3), "ts")}
	for i, v := range []float64{.4, .2, .1, .2, .3, .2, .2, .2} { // a1 a3 b1 b3 c1 c3 d1 d3
		in.Records[i].Value = v
	}
	in.Records[5].Status = results.Fail // c3
	v, err := in.values("ece")
	if err != nil {
		t.Fatal(err)
	}
	s := v.spread(in.Records[0].Network(), v.methods[0], corruptions, []int{1, 3})
	// .1 .2 .3 .4: quartiles at .175 and .325. Severity 3 lacks one of four.
	if len(s) != 1 || s[0].x != 1 {
		t.Fatalf("points %v, want one of severity 1", s)
	}
	p := s[0]
	for i, d := range []float64{p.y - 25, p.lo - 17.5, p.hi - 32.5} {
		if !(math.Abs(d) <= 1e-12) {
			t.Errorf("%v: number %d is off by %v", p, i, d)
		}
	}
}

// TestQuantileInterpolates between neighbours.
func TestQuantileInterpolates(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		q, want float64
	}{
		{[]float64{3}, 0.25, 3}, {[]float64{1, 2}, 0.25, 1.25}, {[]float64{1, 2, 5}, 0.5, 2}, {[]float64{1, 2, 5}, 1, 5}, {[]float64{1, 2, 5}, 0, 1},
	} {
		if got := quantile(c.values, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.values, c.q, got, c.want)
		}
	}
}

// TestOrderOfCorruptions: the fifteen corruptions are in the order of the benchmark
// with their families below them. Others come last.
func TestOrderOfCorruptions(t *testing.T) {
	f := mustDraw(t, figure.Corruptions, sample(figure.Corruptions, "ts"))
	all := words(t, f)
	slices.SortStableFunc(all, func(a, b word) int { return int(a.Min.X - b.Min.X) })
	var names, groups []string
	for _, w := range all {
		switch {
		case slices.Contains([]string{"Noise", "Blur", "Weather", "Digital"}, w.text):
			groups = append(groups, w.text)
		case w.Min.Y > 12 && w.Min.Y < 20 && w.text != "0":
			names = append(names, w.text)
		}
	}
	if got := strings.Join(names[:15], " "); got != "Gauss. Shot Impulse Defocus Glass Motion Zoom Snow Frost Fog Bright Contrast Elastic Pixel JPEG" {
		t.Error(got)
	}
	if len(names) != 16 || !strings.HasPrefix(names[15], "speck") || strings.Join(groups, " ") != "Noise Blur Weather Digital" {
		t.Errorf("last names %q, families %q", names[15:], groups)
	}
}

// TestDominanceCounts the settings above zero, below and equal.
func TestDominanceCounts(t *testing.T) {
	cells := shifted([]string{"fog", "snow", "frost", "contrast", "pixelate"}, 1)
	cells[4].Experiment = "mine"
	in := Input{Records: testRecords("accuracy", cells, "qats", "featclip"), Methods: []string{"qats", "featclip"}, Names: testNames, Labels: map[string]string{"qats": "QaTS"}}
	for i, v := range []float64{.8, .7, .6, .6, .5, .55, .9, 0, .4, .3} {
		in.Records[i].Value = v
	}
	in.Records[7].Status = results.Skip
	f := mustDraw(t, figure.Dominance, in)
	want := []string{"QaTS above featclip in 2 of 4 settings (50.0 %).", "Below in 1, equal in 1.", "No value of featclip in CIFAR-100-C / vit-b16 / contrast 1."}
	if !slices.Equal(f.Notes, want) {
		t.Errorf("notes %q, want %q", f.Notes, want)
	}
	var seen []string
	for _, w := range words(t, f) {
		seen = append(seen, w.text)
	}
	for _, s := range []string{"QaTS above featclip in 2 of 4 settings (50.0 %)", "Shift 1/3", "mine 1/1", "Accuracy of QaTS - featclip (points)"} {
		if !slices.Contains(seen, s) {
			t.Errorf("%q is not in %q", s, seen)
		}
	}
}

// TestExperimentColoursForEveryEye: every eye can distinguish the colours of the
// paper's groups of settings.
func TestExperimentColoursForEveryEye(t *testing.T) {
	for name, eye := range eyes {
		for i, a := range experimentLooks {
			for _, b := range experimentLooks[:i] {
				if d := distance(seen(a.look.Color, eye), seen(b.look.Color, eye)); d < 10 {
					t.Errorf("%s: %s and %s differ by %.1f", name, a.name, b.name, d)
				}
			}
		}
	}
}

// TestArrangePutsDataSetsSideBySide where cells share backbones.
func TestArrangePutsDataSetsSideBySide(t *testing.T) {
	row := func(names ...string) (rows []cellRow) {
		for _, n := range names {
			set, backbone, _ := strings.Cut(n, "/")
			rows = append(rows, cellRow{cell: resultstest.Setting("e", set, backbone)})
		}
		return rows
	}
	for _, c := range []struct {
		rows    []cellRow
		want    string
		columns int
	}{
		{row("a/x", "a/y", "b/x", "b/y", "c/x", "c/y"), "a/x b/x c/x a/y b/y c/y", 3},
		{row("a/x", "b/x", "b/y"), "a/x b/x - b/y", 2},                                // a/y is an empty place
		{row("a/x", "b/y", "c/z", "d/w"), "a/x b/y c/z d/w", 3},                       // nothing is shared
		{row("a/x", "a/y"), "a/x a/y", 2},                                             // one data set
		{row("a/x", "b/x", "c/x", "d/x", "e/x", "a/y"), "a/x b/x c/x d/x e/x a/y", 3}, // five columns are too many
		{row("a/x"), "a/x", 1},
	} {
		places, columns := arrange(c.rows)
		var got []string
		for _, p := range places {
			name := "-"
			if p != nil {
				name = p.cell.Dataset + "/" + p.cell.Backbone
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != c.want || columns != c.columns {
			t.Errorf("%q in %d columns, want %q in %d", got, columns, c.want, c.columns)
		}
	}
}

// TestReliabilityGridECE: the grid prints the same numbers as the single figures.
func TestReliabilityGridECE(t *testing.T) {
	in := sample(figure.ReliabilityGrid, "uncal", "qats")
	bins := in.Bins[len(in.Bins)-60:] // the last cell
	for i := range bins {
		bins[i].Acc *= 0.9
	}
	tab, err := Input{Bins: bins}.oneCell("width15")
	if err != nil {
		t.Fatal(err)
	}
	all := words(t, mustDraw(t, figure.ReliabilityGrid, in))
	for _, s := range tab.rows[0].series {
		want := fmt.Sprintf("%.2f %%", 100*s.ece())
		if n := len(slices.DeleteFunc(slices.Clone(all), func(w word) bool { return w.text != want })); n != 1 {
			t.Errorf("%s: %q stands %d times", s.id, want, n)
		}
	}
}

// TestSkippedCellIsNoted: a cell without bins is noted if it has records.
func TestSkippedCellIsNoted(t *testing.T) {
	for _, kind := range []figure.Kind{figure.QuantileGapGrid, figure.ReliabilityGrid} {
		in := sample(kind, "ts")
		in.Records = []results.Record{resultstest.Skip(resultstest.Setting("standard", "ham10000", "resnet50"), "ts", "ece", "no logits")}
		if f := mustDraw(t, kind, in); !slices.Equal(f.Notes, []string{"No value of ts in HAM10000 / resnet50."}) {
			t.Errorf("%s: notes %q", kind.Name, f.Notes)
		}
	}
}

// TestNotesFitTheFigure: notes are broken into lines of its width, and long words cut.
func TestNotesFitTheFigure(t *testing.T) {
	f := newFoot([]string{"One two three.", "Four " + strings.Repeat("x", 200)}, 60)
	if len(f.lines) < 3 || f.lines[0] != "One two three." {
		t.Fatalf("%q", f.lines)
	}
	for _, l := range f.lines {
		if w := write(footSize, ink).Width(l); w > 60-2*footPad {
			t.Errorf("%q is %.1f wide", l, w)
		}
	}
	if h := newFoot(nil, 60).height(); h != vg.Length(0) {
		t.Errorf("no notes take %v", h)
	}
}
