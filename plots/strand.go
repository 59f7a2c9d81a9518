package plots

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/lists"
)

// strand is the look of one of several lines in a panel. Each line is a little
// thinner than the one before it, and its markers are smaller, so that a line shows
// behind a later one that runs close to it.
type strand struct {
	Look
	scale vg.Length // of the line and its markers, at least 1
}

// strands returns the looks of the methods of a panel, in order.
func strands(methods []method) []strand {
	list := make([]strand, len(methods))
	for i, m := range methods {
		list[i] = strand{MethodLook(m.id), 1}
		if n := len(methods); n > 1 {
			list[i].scale += 0.3 * vg.Length(n-1-i) / vg.Length(n-1)
		}
	}
	return list
}

func (s strand) line() draw.LineStyle {
	sty := s.Look.line()
	sty.Width *= s.scale
	return sty
}

func (s strand) glyph() draw.GlyphStyle {
	sty := s.Look.glyph()
	sty.Radius *= s.scale
	return sty
}

// together are lines of a panel that coincide. They are drawn around each other, the
// first one widest, so that all are seen.
type together []strand

// course is the line of a method through points in the order of x; empty if it has none.
type course []point

// point has a value and, where the line has a band, the ends of the band.
type point struct {
	x, y, lo, hi float64
	apart        bool // no line leads to it from the point before
}

// equals reports whether two lines and their bands print the same numbers.
func (l course) equals(other course) bool {
	return slices.EqualFunc(l, other, func(a, b point) bool {
		return a.x == b.x && printedEqual(a.y, b.y) && printedEqual(a.lo, b.lo) && printedEqual(a.hi, b.hi)
	})
}

// coinciding groups the lines of a panel that are equal, by their places in the list. The
// groups are in the order of their first members. Empty lines are in none.
func coinciding(lines []course) [][]int {
	var groups [][]int
next:
	for i, line := range lines {
		if len(line) == 0 {
			continue
		}
		for k, g := range groups {
			if lines[g[0]].equals(line) {
				groups[k] = append(g, i)
				continue next
			}
		}
		groups = append(groups, []int{i})
	}
	return groups
}

// around returns the strands of a group, widened so that each shows around the next
// one.
func around(all []strand, group []int) together {
	list := make(together, len(group))
	for k, i := range group {
		list[k] = all[i]
		list[k].scale = 1 + 0.6*vg.Length(len(group)-1-k)
		if len(group) == 1 {
			list[k].scale = all[i].scale
		}
	}
	return list
}

// named joins the labels of methods that coincide, as in "TS = QaTS".
func named(methods []method, group []int) string {
	return strings.Join(lists.Values(group, func(i int) string { return methods[i].label }), " = ")
}

// plotter draws the line with the looks of the methods that have it, and then its markers.
func (l course) plotter(looks together) drawFunc {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		var pieces [][]vg.Point // that lines join
		for i, p := range l {
			if i == 0 || p.apart {
				pieces = append(pieces, nil)
			}
			last := &pieces[len(pieces)-1]
			*last = append(*last, vg.Point{X: x(p.x), Y: y(p.y)})
		}
		for _, s := range looks {
			for _, piece := range pieces {
				if len(piece) > 1 {
					c.StrokeLines(s.line(), piece)
				}
			}
		}
		for _, s := range looks {
			for _, at := range slices.Concat(pieces...) {
				c.DrawGlyph(s.glyph(), at)
			}
		}
	}
}

// sample draws the group in a legend.
func (t together) sample(c draw.Canvas, r vg.Rectangle) {
	y := (r.Min.Y + r.Max.Y) / 2
	for _, s := range t {
		c.StrokeLine2(s.line(), r.Min.X, y, r.Max.X, y)
	}
	for _, s := range t {
		c.DrawGlyph(s.glyph(), vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: y})
	}
}

// printedEqual reports whether two numbers of points or per cent are the same to the
// two decimals that tables print.
func printedEqual(a, b float64) bool { return a-b < 0.005 && b-a < 0.005 }

// translucent is the colour of one of n areas that lie over each other, through
// which lines and the other areas show.
func translucent(c color.RGBA, n int) color.NRGBA {
	return color.NRGBA{R: c.R, G: c.G, B: c.B, A: uint8(max(10, 64/n))}
}
