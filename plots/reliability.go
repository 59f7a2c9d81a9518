package plots

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
)

// Reliability draws the reliability diagram of one cell (Niculescu-Mizil and
// Caruana 2005; Guo et al. 2017) from the width15 bins, with a panel for each
// method. A panel has a bar as high as the accuracy of each bin, the gap between
// accuracy and mean confidence shaded by its sign, and the diagonal. Below, on the
// same axis, is the share of rows in each bin. A gap ends at the mean confidence of
// the bin and not at its middle, so that the areas of the gaps, weighted by the
// histogram, are the ECE. The ECE is computed from the bins shown and printed above
// the panel, in per cent, with n. Empty bins are blank. Bins of fewer than 30 rows
// are pale, because their accuracy is mostly noise. A line through the end of each bar is
// Wilson's 95 % interval of the accuracy ([results.Bin.AccInterval]).
//
// With in.Positive the bins are the positive15 bins: the share of rows of that class against its
// mean probability. With in.Curves a panel has, in place of bars, the CORP curve of the method and its band
// ([metrics.CORPCurve]), and above it the miscalibration of the CORP decomposition, which no
// choice of bins decides.
//
// One method makes a figure of column width. Several methods make one of page
// width, in rows of at most five panels that share all axes.
func Reliability(in Input) (*Figure, error) {
	words := in.axes()
	t, err := in.oneCell(words.binning)
	if err != nil {
		return nil, figure.Reliability.Errorf("%w", err)
	}
	g := newGrid(t)
	g.words = words
	layout := func(width vg.Length) (vg.Length, panels) {
		g := g.wide(width)
		return g.rowHeight()*vg.Length(g.lines) - rowGap, g.draw
	}
	if in.Curves != nil {
		g.curves = in.Curves
		on, singular, plural, what := "correctness on confidence", "confidence", "confidences", "the top label"
		if in.Positive != "" {
			on, singular, plural, what = "the label on the "+words.x, "probability", "probabilities", in.Positive
		}
		s := sheet{title: t.rows[0].title, simulated: t.simulated, width: g.width, keys: legend{keys: curveKeys(t.methods), width: g.width},
			caption: fmt.Sprintf("Reliability curves (CORP: isotonic regression of %s) above the share of rows in each of 15 bins, for %s. Bands: 95 %% of the curves of a calibrated model with the same %s, at each %s by itself. MCB: miscalibration, a part of the Brier score of %s.", on, english.List(labels(t.methods)), plural, singular, what)}
		return s.laidOut(layout), nil
	}
	s := sheet{title: t.rows[0].title, simulated: t.simulated, width: g.width, keys: legend{keys: reliabilityKeys(words), width: g.width},
		caption: fmt.Sprintf("%s against %s in 15 bins of equal width, above the share of rows in each bin, for %s. %s", capital(words.y), words.x, english.List(labels(t.methods)), intervalsOf(words.y))}
	return s.laidOut(layout), nil
}

// Lengths of the panels, in points.
const (
	leftMargin  = 35 // y title and numbers
	rightMargin = 6  // half the width of the last number of the x axis
	panelGap    = 10
	titleHeight = 23 // label, and ECE with n
	maxMain     = 165
	barHeight   = 40 // of the histogram
	barGap      = 9
	xMargin     = 24 // numbers and title of the x axis
	roomyMargin = 30 // the same, in figures of ranks and of times
	rowGap      = 8
)

// grid is the layout of a reliability figure.
type grid struct {
	cells
	width          vg.Length
	lines, columns int       // of panels
	panel, main    vg.Length // width of a panel, height of its upper part
	share          span      // y axis of the histograms, per cent
	curves         map[string]Curve
	words          axes
}

func newGrid(t cells) grid {
	g := grid{cells: t, width: columnWidth, columns: 1}
	n := len(t.methods)
	if n > 1 {
		g.width = pageWidth
	}
	g.lines = (n + 4) / 5
	g.columns = (n + g.lines - 1) / g.lines
	g = g.wide(g.width)
	most := t.rows[0].largestShare()
	g.share = span{min: 0, max: 1.05 * most, ticks: ticks(0, 1.05*most, 2)}
	return g
}

// wide returns the grid on a page of a width.
func (g grid) wide(width vg.Length) grid {
	g.width = width
	g.panel = (g.width - leftMargin - rightMargin - panelGap*vg.Length(g.columns-1)) / vg.Length(g.columns)
	g.main = min(g.panel, maxMain)
	return g
}

func (g grid) rowHeight() vg.Length {
	return titleHeight + g.main + barGap + barHeight + xMargin + rowGap
}

func (g grid) draw(c draw.Canvas, top vg.Length) {
	for i, m := range g.methods {
		row, col := i/g.columns, i%g.columns
		left := c.Min.X + leftMargin + (g.panel+panelGap)*vg.Length(col)
		g.drawPanel(c, *g.rows[0].series[m.id], left, top-g.rowHeight()*vg.Length(row), col == 0)
	}
}

// drawPanel draws one method with the upper left corner of its panel at (left,
// top). The first panel of a row has the numbers and titles of the y axis.
func (g grid) drawPanel(c draw.Canvas, s series, left, top vg.Length, first bool) {
	right := left + g.panel
	upper := between(left, top-titleHeight-g.main, right, top-titleHeight)
	lower := between(left, upper.Min.Y-barGap-barHeight, right, upper.Min.Y-barGap)
	middle := (left + right) / 2

	sty, label := fit(s.label, g.panel, write(titleSize, ink))
	c.FillText(sty, vg.Point{X: middle, Y: top - 10}, label)
	main, summary := bars(s.bins), fmt.Sprintf("ECE %.2f %%, n = %d", 100*s.ece(), s.n)
	if g.curves != nil {
		curve := g.curves[s.id]
		main, summary = curve.plotter(MethodLook(s.id)), fmt.Sprintf("MCB %.2f %%, n = %d", 100*curve.Miscalibration, s.n)
	}
	sty, label = fit(summary, g.panel, write(smallSize, faint))
	c.FillText(sty, vg.Point{X: middle, Y: top - 20}, label)

	unit := span{min: 0, max: 1, ticks: ticks(0, 1, 5)}
	x := unit
	if g.panel < 110 {
		x.ticks = ticks(0, 1, 2)
	}
	bareX := x
	bareX.bare = true
	unit.bare = !first
	panel(c, upper, bareX, unit, gridLines(unit), main)

	share := g.share
	share.bare = !first
	panel(c, lower, x, share, gridLines(share), histogram(s))

	xTitle(c, middle, lower.Min.Y-xMargin+2, capital(g.words.x))
	if first {
		yTitle(c, upper, capital(g.words.y))
		yTitle(c, lower, "Rows (%)")
	}
}

// intervalsOf explains the lines through the ends of bars in captions.
func intervalsOf(y string) string {
	return "Lines through the ends of bars: 95 % intervals of the " + y + " (Wilson)."
}

// capital returns words with a capital.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// bars draws accuracy bars, gaps, the diagonal over the unit square, and above all of them
// the intervals of the accuracies.
func bars(bins []results.Bin) drawFunc {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		for _, b := range bins {
			x0, x1 := x(b.Lo)+0.4, x(b.Hi)-0.4
			shade := func(clr color.RGBA) color.RGBA { return clr }
			if b.N < fewRows {
				shade = pale
			}
			rect(c, shade(barColor), x0, y(0), x1, y(b.Acc))
			rect(c, shade(gapFill(b)), x0, y(b.Acc), x1, y(b.Conf))
			c.StrokeLine2(stroke(shade(barEdge), 1.1), x0, y(b.Acc), x1, y(b.Acc))
		}
		c.StrokeLine2(diagonal, x(0), y(0), x(1), y(1))
		for _, b := range bins {
			clr := ink
			if b.N < fewRows {
				clr = faint
			}
			if r, ok := b.AccInterval(); ok {
				whisker(c, clr, x((b.Lo+b.Hi)/2), y(r.Lo), y(r.Hi), min(1.4, (x(b.Hi)-x(b.Lo))/4))
			}
		}
	}
}

// whisker draws an upright interval at x with ends that reach half a width to each side.
func whisker(c draw.Canvas, clr color.Color, x, lo, hi, half vg.Length) {
	line := stroke(clr, 0.6)
	c.StrokeLine2(line, x, lo, x, hi)
	for _, y := range []vg.Length{lo, hi} {
		c.StrokeLine2(line, x-half, y, x+half, y)
	}
}

// gapFill is the colour of an overconfident or an underconfident bin.
func gapFill(b results.Bin) color.RGBA {
	if b.Conf > b.Acc {
		return overFill
	}
	return underFill
}

// fewRows is the number of rows below which a bin is pale: the standard error of
// its accuracy can exceed 9 points.
const fewRows = 30

// pale mixes a colour with white.
func pale(c color.RGBA) color.RGBA {
	mix := func(v uint8) uint8 { return uint8((int(v) + 2*255) / 3) }
	return color.RGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: 255}
}

// diagonal is the line of perfect calibration.
var diagonal = draw.LineStyle{Color: ink, Width: 0.7, Dashes: []vg.Length{3, 2}}

// histogram draws the share of rows in each bin, per cent.
func histogram(s series) drawFunc {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		for _, b := range s.bins {
			rect(c, barEdge, x(b.Lo)+0.4, y(0), x(b.Hi)-0.4, y(100*float64(b.N)/float64(s.n)))
		}
	}
}

// reliabilityKeys is the legend of the upper panels.
func reliabilityKeys(words axes) []key {
	filled := func(fill, edge color.Color) func(draw.Canvas, vg.Rectangle) {
		return func(c draw.Canvas, r vg.Rectangle) {
			rect(c, fill, r.Min.X+4, r.Min.Y, r.Max.X, r.Max.Y)
			c.StrokeLine2(stroke(edge, 1.1), r.Min.X+4, r.Max.Y, r.Max.X, r.Max.Y)
		}
	}
	return []key{
		{words.y, filled(barColor, barEdge)},
		{"95 % interval", func(c draw.Canvas, r vg.Rectangle) {
			whisker(c, ink, (r.Min.X+r.Max.X)/2+2, r.Min.Y, r.Max.Y, 1.4)
		}},
		{words.over, filled(overFill, overFill)},
		{words.under, filled(underFill, underFill)},
		{fmt.Sprintf("< %d rows", fewRows), filled(pale(barColor), pale(barEdge))},
		{"perfect", func(c draw.Canvas, r vg.Rectangle) {
			y := (r.Min.Y + r.Max.Y) / 2
			c.StrokeLine2(diagonal, r.Min.X, y, r.Max.X, y)
		}},
	}
}
