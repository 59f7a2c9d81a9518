package plots

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/results/table"
)

// QuantileGap draws accuracy minus confidence, in percentage points, against the
// quantile of confidence, from the mass15 bins of one cell (the first figure of
// the paper). Below zero a method is overconfident. There is one line for each
// method; methods whose gaps print alike are drawn around each other and named
// together. A bin is at the middle of the share of rows that it covers, in the
// method's own order of confidence. Empty bins have no point.
func QuantileGap(in Input) (*Figure, error) {
	t, err := in.cellBins("mass15")
	if err != nil {
		return nil, fmt.Errorf("quantile-gap figure: %w", err)
	}
	curves := make([]curve, len(t.series))
	keys := legend{width: columnWidth - 8}
	y := span{}
	for i, s := range t.series {
		curves[i] = gapCurve(s)
		y = y.holding(curves[i].gap)
	}
	groups := coinciding(len(curves), func(i, j int) bool { return curves[i].equals(curves[j]) })
	for _, group := range groups {
		keys.keys = append(keys.keys, key{named(t.methods(), group), around(strands(t.methods()), group).sample})
	}
	y = y.roomy(6, onePoint)

	const panel = 140
	s := sheet{title: t.title, simulated: t.simulated, width: columnWidth, keys: keys,
		caption: fmt.Sprintf("Accuracy minus confidence in 15 bins of equal mass, against the quantile of confidence, for %s.", table.List(labels(t.methods())))}
	return s.figure(4+panel+xMargin, func(c draw.Canvas, _ vg.Length) {
		area := onePanel(c, panel)
		p := axes(span{min: 0, max: 1, ticks: ticks(0, 1, 5)}, y)
		p.Add(gridLines(y), zeroLine)
		for _, group := range groups {
			p.Add(curves[group[0]].plotter(around(strands(t.methods()), group)))
		}
		drawAt(p, c, area)
		xTitle(c, (area.Min.X+area.Max.X)/2, c.Min.Y+2, "Quantile of confidence")
		yTitle(c, c.Min.X+10, (area.Min.Y+area.Max.Y)/2, "Accuracy - confidence (points)")
	}), nil
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
