package plots

import (
	"fmt"

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

// gapCourse returns the line of a method: its gaps, in percentage points, over quantiles in
// (0, 1).
func gapCourse(s series) (line course) {
	before := 0
	for _, b := range s.bins {
		line = append(line, point{x: (float64(before) + float64(b.N)/2) / float64(s.n), y: 100 * (b.Acc - b.Conf)})
		before += b.N
	}
	return line
}

// dot draws the marker alone in a legend, for figures without lines.
func (l Look) dot(c draw.Canvas, r vg.Rectangle) {
	c.DrawGlyph(l.glyph(), vg.Point{X: r.Max.X - 3, Y: (r.Min.Y + r.Max.Y) / 2})
}

// zeroLine is perfect calibration.
var zeroLine drawFunc = func(c draw.Canvas, _, y func(float64) vg.Length) {
	c.StrokeLine2(stroke(ink, 0.7), c.Min.X, y(0), c.Max.X, y(0))
}
