package plots

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// QuantileGap draws accuracy minus confidence, in percentage points, against the
// quantile of confidence, from the mass15 bins of one cell (the first figure of
// the paper). Below zero a method is overconfident. There is one line for each
// method; methods whose gaps print alike are drawn around each other and named
// together above the panel. A bin is at the middle of the share of rows that it covers,
// in the method's own order of confidence. Empty bins have no point. It is a
// [QuantileGapGrid] of one panel.
func QuantileGap(in Input) (*Figure, error) {
	if _, err := in.oneCell("mass15"); err != nil {
		return nil, fmt.Errorf("quantile-gap figure: %w", err)
	}
	return QuantileGapGrid(in)
}

// curve is the line of one method: points (q, gap).
type curve struct {
	q, gap []float64 // quantile in (0, 1), percentage points
}

func gapCurve(s series) curve {
	var v curve
	before := 0
	for _, b := range s.bins {
		v.q = append(v.q, (float64(before)+float64(b.N)/2)/float64(s.n))
		v.gap = append(v.gap, 100*(b.Acc-b.Conf))
		before += b.N
	}
	return v
}

// equals reports whether two lines print the same numbers.
func (v curve) equals(other curve) bool {
	return slices.Equal(v.q, other.q) && slices.EqualFunc(v.gap, other.gap, printedEqual)
}

func (v curve) plotter(looks together) drawFunc {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		pts := make([]vg.Point, len(v.q))
		for i := range v.q {
			pts[i] = vg.Point{X: x(v.q[i]), Y: y(v.gap[i])}
		}
		looks.draw(c, pts, func(int) bool { return true })
	}
}

// dot draws the marker alone in a legend, for figures without lines.
func (l Look) dot(c draw.Canvas, r vg.Rectangle) {
	c.DrawGlyph(l.glyph(), vg.Point{X: r.Max.X - 3, Y: (r.Min.Y + r.Max.Y) / 2})
}

// zeroLine is perfect calibration.
var zeroLine drawFunc = func(c draw.Canvas, _, y func(float64) vg.Length) {
	c.StrokeLine2(stroke(ink, 0.7), c.Min.X, y(0), c.Max.X, y(0))
}
