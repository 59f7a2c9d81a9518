package plots

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// coinciding groups n lines of a panel by same, which reports whether two of them
// coincide. The groups are in the order of their first members.
func coinciding(n int, same func(i, j int) bool) [][]int {
	var groups [][]int
next:
	for i := range n {
		for k, g := range groups {
			if same(g[0], i) {
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
	var list []string
	for _, i := range group {
		list = append(list, methods[i].label)
	}
	return strings.Join(list, " = ")
}

// draw draws the lines through the points, and then their markers. A line is broken
// between two points that joined does not join.
func (t together) draw(c draw.Canvas, pts []vg.Point, joined func(i int) bool) {
	for _, s := range t {
		for from := 0; from < len(pts); {
			to := from + 1
			for to < len(pts) && joined(to-1) {
				to++
			}
			if to > from+1 {
				c.StrokeLines(s.line(), pts[from:to])
			}
			from = to
		}
	}
	for _, s := range t {
		for _, p := range pts {
			c.DrawGlyph(s.glyph(), p)
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
