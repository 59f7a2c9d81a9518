package plots

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
)

// TestFiguresTakeAnyLayout: every kind draws within a page of another width, and the kinds
// that stretch within another height; a heading can be another one, or none.
func TestFiguresTakeAnyLayout(t *testing.T) {
	none, other := "", "Another heading"
	for _, e := range Registry() {
		f := mustDraw(t, e.Kind, sample(e.Kind, "uncal", "ts", "qats"))
		for _, l := range []Layout{{Width: 4.5}, {Width: 9}, {Heading: &none}, {Heading: &other}, {Width: 5, Height: 4}} {
			g, err := f.With(l)
			if l.Height != 0 && !e.Stretches {
				if err == nil || !strings.Contains(err.Error(), "give only a width") {
					t.Errorf("%s: a height: %v", e.Name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			if l.Width != 0 && g.Width != vg.Length(l.Width)*vg.Inch || l.Height != 0 && g.Height != vg.Length(l.Height)*vg.Inch {
				t.Errorf("%s: %v became %v x %v", e.Name, l, g.Width, g.Height)
			}
			if l.Heading == &none && g.Height >= f.Height || l.Heading == &other && !has(t, g, other) {
				t.Errorf("%s: heading %q: %v high, was %v", e.Name, *l.Heading, g.Height, f.Height)
			}
			for _, w := range words(t, g) {
				if w.Min.X < -.5 || w.Max.X > g.Width+.5 || w.Min.Y < -.5 || w.Max.Y > g.Height+.5 {
					t.Errorf("%s %v: %q at %v on a page of %v x %v", e.Name, l, w.text, w.Rectangle, g.Width, g.Height)
				}
			}
			if g.Caption != f.Caption || len(g.Notes) != len(f.Notes) {
				t.Errorf("%s: the caption or the notes changed", e.Name)
			}
		}
		for _, l := range []Layout{{Width: 1}, {Height: .5}} {
			if _, err := f.With(l); err == nil {
				t.Errorf("%s: %v is no page", e.Name, l)
			}
		}
	}
}

// TestSimulatedFiguresSayItWithoutAHeading too.
func TestSimulatedFiguresSayItWithoutAHeading(t *testing.T) {
	none := ""
	f, err := mustDraw(t, figure.Severity, sample(figure.Severity, "ts", "qats").from(simulated)).With(Layout{Heading: &none})
	if err != nil {
		t.Fatal(err)
	}
	if !has(t, f, simulated) {
		t.Error("the word is not in the figure")
	}
}

// TestNamesOfSettings stand in headings, in place of ids.
func TestNamesOfSettings(t *testing.T) {
	in := sample(figure.Reliability, "ts")
	in.Names = results.Names{"cifar10": "My images", "resnet50": "ResNet"}
	if f := mustDraw(t, figure.Reliability, in); !has(t, f, "My images / ResNet") {
		t.Error("the heading has no names")
	}
}
