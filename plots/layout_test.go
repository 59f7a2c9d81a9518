package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// word is a text on the page with the rectangle of its ink, without the line gap.
type word struct {
	vg.Rectangle
	text string
	size vg.Length
}

// words draws f into a recorder and returns every text. Figures turn text by a
// quarter turn or not at all.
func words(t *testing.T, f *Figure) []word {
	t.Helper()
	var rec recorder.Canvas
	f.draw(draw.NewCanvas(&rec, f.Width, f.Height))
	var out []word
	turned := false
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Rotate:
			turned = true
		case *recorder.Pop:
			turned = false
		case *recorder.FillString:
			sty := write(a.Size, ink)
			w, p := sty.Width(a.String), a.Point
			high, low := 0.73*a.Size, 0.1*a.Size // capitals; commas
			r := vg.Rectangle{Min: vg.Point{X: p.X, Y: p.Y - low}, Max: vg.Point{X: p.X + w, Y: p.Y + high}}
			if turned {
				r = vg.Rectangle{Min: vg.Point{X: -p.Y - high, Y: p.X}, Max: vg.Point{X: -p.Y + low, Y: p.X + w}}
			}
			out = append(out, word{r, a.String, a.Size})
		}
	}
	return out
}

// renamed returns c with long ids that have no name in print.
func renamed(c results.Setting) results.Setting {
	for _, id := range []*string{&c.Dataset, &c.Backbone, &c.Loss, &c.Corruption} {
		if *id != "" && *id != "ce" {
			*id += "-has-a-longer-name-than-most"
		}
	}
	return c
}

// TestTextIsLegible: no text is clipped, overlaps another or is smaller than 6 pt,
// for any number of methods, label and n.
func TestTextIsLegible(t *testing.T) {
	ids := []string{"uncal", "ts", "ir", "tta-ts", "gc-split", "featclip", "hfe-target", "qats", "qats-pw4", "qats-transductive", "ts-ecegrid", "irova"}
	labels := map[string]string{"qats-transductive": "QaTS (transductive)", "irova": "A label that is far too long for any panel or legend of any figure, or so one hopes"}
	for _, e := range Registry() {
		for n := 1; n <= len(ids); n++ {
			if testing.Short() && n != 1 && n != 5 && n != len(ids) {
				continue
			}
			methods := ids[:n]
			if n == 1 {
				methods = ids[len(ids)-1:]
			}
			if e.Name == "reliability-grid" && n > maxDiagramColumns {
				continue // refused
			}
			plain := sample(e.Kind, methods...)
			source := simulated
			if e.Judges {
				source = measured
			}
			long := plain.from(source)
			long.Bins = resultstest.Each(long.Bins, func(b *results.Bin) { b.N *= 10000; b.Setting = renamed(b.Setting) })
			long.Records = resultstest.Each(long.Records, func(r *results.Record) { r.Setting = renamed(r.Setting) })
			long.Pairs = resultstest.Each(long.Pairs, func(p *results.Pair) { p.Setting = renamed(p.Setting) })
			for i := range long.Records {
				if i%7 == 1 && e.Metrics == 0 { // these leave such settings out for all
					long.Records[i].Status = results.Skip
				}
			}
			for _, in := range []Input{plain, long} {
				in.Labels = labels
				f, err := e.Draw(in)
				if err != nil {
					t.Fatalf("%s of %d: %v", e.Name, n, err)
				}
				all := words(t, f)
				for i, a := range all {
					if a.Min.X < 0 || a.Max.X > f.Width || a.Min.Y < 0 || a.Max.Y > f.Height {
						t.Errorf("%s of %d: %q at %v leaves the page of %.0f x %.0f", e.Name, n, a.text, a.Rectangle, f.Width, f.Height)
					}
					if a.size < 6 {
						t.Errorf("%s of %d: %q has %.1f pt", e.Name, n, a.text, a.size)
					}
					for _, b := range all[:i] {
						if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
							t.Errorf("%s of %d: %q and %q overlap", e.Name, n, a.text, b.text)
						}
					}
				}
			}
		}
	}
}

// TestDataAreaIsExact: ticks and numbers are outside of it.
func TestDataAreaIsExact(t *testing.T) {
	want := vg.Rectangle{Min: vg.Point{X: 40, Y: 30}, Max: vg.Point{X: 130, Y: 170}}
	for _, x := range []span{{min: 0, max: 1, ticks: []float64{0, 1}}, {min: -31, max: 1e4, ticks: []float64{0, 1e4}}, {min: 0, max: 1, bare: true}} {
		var got vg.Rectangle
		panel(draw.NewCanvas(&recorder.Canvas{}, 200, 200), want, x, x, drawFunc(func(c draw.Canvas, _, _ func(float64) vg.Length) { got = c.Rectangle }))
		for _, d := range []vg.Point{got.Min.Sub(want.Min), got.Max.Sub(want.Max)} {
			if math.Hypot(float64(d.X), float64(d.Y)) > 1e-6 {
				t.Errorf("data area %v, want %v", got, want)
			}
		}
	}
}

// TestTicksAreRoundNumbers, about as many as asked for.
func TestTicksAreRoundNumbers(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   []float64
	}{
		{0, 1, 5, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{0, 1, 2, []float64{0, 0.5, 1}},
		{0, 102, 2, []float64{0, 100}},
		{-33, 3, 6, []float64{-30, -20, -10, 0}},
		{-1.12, 1.12, 6, []float64{-1, -0.5, 0, 0.5, 1}},
		{0, 0.3, 3, []float64{0, 0.1, 0.2, 0.3}},
	} {
		if got := ticks(c.lo, c.hi, c.n); !slices.Equal(got, c.want) {
			t.Errorf("ticks(%v, %v, %d) = %v, want %v", c.lo, c.hi, c.n, got, c.want)
		}
	}
	if s := fmt.Sprint(ticks(-1, 1, 2)); strings.Contains(s, "-0") {
		t.Error(s)
	}
}

// TestPanelsFillRowsEvenly: at most five in a row.
func TestPanelsFillRowsEvenly(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 2: {1, 2}, 5: {1, 5}, 6: {2, 3}, 9: {2, 5}, 11: {3, 4}} {
		g := newGrid(cells{methods: make([]method, n), rows: make([]cellRow, 1)})
		if rows := (n + g.columns - 1) / g.columns; rows != want[0] || g.columns != want[1] {
			t.Errorf("%d methods: %d rows of %d, want %v", n, rows, g.columns, want)
		}
	}
}

// TestSpreadOutMovesNamesIntoTheLimits also where they are far enough apart.
func TestSpreadOutMovesNamesIntoTheLimits(t *testing.T) {
	for _, c := range []struct{ places, want []vg.Length }{
		{[]vg.Length{0, 50}, []vg.Length{5, 50}}, {[]vg.Length{50, 100}, []vg.Length{50, 95}}, {[]vg.Length{0}, []vg.Length{5}}, {nil, nil},
	} {
		spreadOut(c.places, 10, 5, 95)
		if !slices.Equal(c.places, c.want) {
			t.Errorf("%v, want %v", c.places, c.want)
		}
	}
}

// TestSpreadOutKeepsOrderAndLimits of names beside lines.
func TestSpreadOutKeepsOrderAndLimits(t *testing.T) {
	places := []vg.Length{10, 10, 11, 50, 50, 50, 98, 99}
	spreadOut(places, 10, 5, 95)
	for i, p := range places {
		if p < 5-.1 || p > 95+.1 || i > 0 && p-places[i-1] < 10-.1 {
			t.Errorf("%v", places)
		}
	}
}
