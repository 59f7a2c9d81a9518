package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/metrics"
)

// Curve is the CORP curve of a method, which takes the single rows of a test set.
type Curve struct {
	Points         []metrics.CurvePoint
	Miscalibration float64 // MCB of the CORP decomposition
}

// bandColor is what is consistent with calibration.
var bandColor = hex(0xDDE1E6)

// plotter draws the band, the diagonal and the curve over the unit square. A curve of one
// point is a marker with an upright band.
func (curve Curve) plotter(look Look) drawFunc {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		var line, lo, hi []vg.Point
		for _, p := range curve.Points {
			line = append(line, vg.Point{X: x(p.Conf), Y: y(p.Acc)})
			lo = append(lo, vg.Point{X: x(p.Conf), Y: y(p.Lo)})
			hi = append(hi, vg.Point{X: x(p.Conf), Y: y(p.Hi)})
		}
		if len(line) > 1 {
			outline := lo
			for i := range hi {
				outline = append(outline, hi[len(hi)-1-i])
			}
			c.FillPolygon(bandColor, outline)
		} else if len(line) == 1 {
			c.StrokeLine2(stroke(bandColor, 3), lo[0].X, lo[0].Y, hi[0].X, hi[0].Y)
		}
		c.StrokeLine2(diagonal, x(0), y(0), x(1), y(1))
		if len(line) > 1 {
			c.StrokeLines(draw.LineStyle{Color: look.Color, Width: 1.4}, line)
		} else if len(line) == 1 {
			c.DrawGlyph(look.glyph(), line[0])
		}
	}
}

// curveKeys is the legend of the curves.
func curveKeys(methods []method) []key {
	var colors []color.Color
	for _, m := range methods {
		colors = append(colors, MethodLook(m.id).Color)
	}
	return []key{
		{"CORP curve", func(c draw.Canvas, r vg.Rectangle) { // a piece in the colour of each method
			width := (r.Max.X - r.Min.X) / vg.Length(len(colors))
			for i, clr := range colors {
				left := r.Min.X + width*vg.Length(i)
				c.StrokeLine2(stroke(clr, 1.4), left, (r.Min.Y+r.Max.Y)/2, left+width, (r.Min.Y+r.Max.Y)/2)
			}
		}},
		{"95 % if calibrated", func(c draw.Canvas, r vg.Rectangle) { rect(c, bandColor, r.Min.X, r.Min.Y, r.Max.X, r.Max.Y) }},
		{"perfect", func(c draw.Canvas, r vg.Rectangle) {
			y := (r.Min.Y + r.Max.Y) / 2
			c.StrokeLine2(diagonal, r.Min.X, y, r.Max.X, y)
		}},
	}
}
