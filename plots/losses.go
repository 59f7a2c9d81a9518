package plots

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
)

// Losses draws the ECE, in per cent, of networks trained with different losses. It
// has a panel for each network, a line for each loss, and on the line a marker for
// each method. With the methods uncal and qats it is the paper's figure of
// training losses with and without QaTS. All panels have the same axes and the
// same losses, in the order of their first row. A loss without rows has an empty
// line.
func Losses(in Input) (*Figure, error) {
	v, err := in.values("ece")
	if err != nil {
		return nil, figure.Losses.Errorf("%w", err)
	}
	largest, clipped := v.largest()
	g := lossGrid{values: v, x: fromZero(largest, 3)}
	s := sheet{simulated: v.simulated, keys: v.dots(pageWidth - 8), notes: v.notes,
		caption: fmt.Sprintf("ECE of networks trained with different losses, for %s. Each panel is a network, each line a loss.", english.List(labels(v.methods)))}
	if clipped {
		s.notes = append([]string{clippedNote}, s.notes...)
		s.caption += " " + clippedNote
	}
	sets := lists.Distinct(v.cells, func(c results.Setting) string { return c.Dataset })
	g.losses = lists.Distinct(v.cells, func(c results.Setting) string { return c.Loss })
	g.networks = lists.Distinct(v.cells, func(c results.Setting) results.Setting {
		c.Loss = ""
		return c
	})
	for _, c := range g.networks {
		title := in.cellName(c)
		if len(sets) == 1 && c == c.Network() {
			s.title = in.Names.Name("dataset", c.Dataset)
			title = printable(in.Names.InDataset(c, " / "))
		}
		g.titles = append(g.titles, title)
	}
	for _, loss := range g.losses {
		name := printable(in.Names.Name("loss", loss))
		g.names = append(g.names, name)
		g.margin = max(g.margin, write(smallSize, ink).Width(name)+10)
	}
	g.margin = min(g.margin, 90)
	rows := (len(g.networks) + 4) / 5
	g.columns = (len(g.networks) + rows - 1) / rows
	g.panel.X = (pageWidth - g.margin - lossGap*vg.Length(g.columns)) / vg.Length(g.columns)
	g.panel.X = min(g.panel.X, 200)
	g.panel.Y = lossRow * vg.Length(len(g.losses))
	s.width = g.margin + vg.Length(g.columns)*(g.panel.X+lossGap)
	s.keys.width = s.width - 8
	natural := s.width
	return s.laidOut(func(width vg.Length) (vg.Length, panels) {
		g := g
		g.panel.X += (width - natural) / vg.Length(g.columns)
		return 4 + vg.Length(rows)*(gapTitle+g.panel.Y+lossAxis) + 12, g.draw
	}), nil
}

const (
	lossRow  vg.Length = 13 // a line of a panel
	lossGap  vg.Length = 9  // to the right of a panel
	lossAxis vg.Length = 14 // numbers under a panel
)

// lossGrid is the panels of the figure.
type lossGrid struct {
	values
	networks      []results.Setting // without a loss
	titles        []string          // of the panels
	losses, names []string
	margin        vg.Length
	columns       int
	panel         vg.Point // its size
	x             span
}

func (g lossGrid) draw(c draw.Canvas, top vg.Length) {
	for i := range g.networks {
		left := c.Min.X + g.margin + (g.panel.X+lossGap)*vg.Length(i%g.columns)
		g.drawPanel(c, i, left, top-4-vg.Length(i/g.columns)*(gapTitle+g.panel.Y+lossAxis))
	}
	xTitle(c, (c.Min.X+g.margin+c.Max.X-lossGap)/2, c.Min.Y+2, "ECE (%)")
}

// drawPanel draws network i with its upper left corner at (left, top).
func (g lossGrid) drawPanel(c draw.Canvas, i int, left, top vg.Length) {
	area := between(left, top-gapTitle-g.panel.Y, left+g.panel.X, top-gapTitle)
	n := len(g.losses)
	panel(c, area, g.x, span{min: 0, max: float64(n)}, drawFunc(func(c draw.Canvas, _, y func(float64) vg.Length) {
		for j := 1; j < n; j += 2 {
			rect(c, stripe, c.Min.X+axisWidth/2, y(float64(n-j)), c.Max.X, y(float64(n-j-1)))
		}
	}), gridColumns(g.x), drawFunc(func(c draw.Canvas, x, y func(float64) vg.Length) {
		for j, loss := range g.losses {
			g.drawLine(c, g.networks[i], loss, x, y(float64(n-j)-0.5))
		}
	}))
	sty, title := fit(g.titles[i], g.panel.X, write(smallSize, ink))
	c.FillText(sty, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: area.Max.Y + 2}, title)
	if i%g.columns > 0 {
		return
	}
	for j, name := range g.names {
		sty, name := fit(name, g.margin-8, write(smallSize, ink))
		textAt(c, sty, draw.XRight, left-4, area.Max.Y-lossRow*(vg.Length(j)+0.5)-4, name)
	}
}

// drawLine draws the markers of one network and loss at the height y.
func (g lossGrid) drawLine(c draw.Canvas, network results.Setting, loss string, x func(float64) vg.Length, y vg.Length) {
	network.Loss = loss
	var found []method
	var all []float64
	for _, m := range g.methods {
		if v, ok := g.at[results.Place{Setting: network, Method: m.id}]; ok {
			found, all = append(found, m), append(all, v)
		}
	}
	if len(found) == 0 {
		return
	}
	c.StrokeLine2(stroke(barColor, 1.4), x(slices.Min(all)), y, x(min(slices.Max(all), g.x.max)), y)
	pitch := min(3.6, (lossRow-4)/vg.Length(len(g.methods)))
	var outside []float64
	var heights []vg.Length
	var colors []color.Color
	for i, m := range found {
		at := vg.Point{X: x(all[i]), Y: y}
		if len(g.methods) <= 4 { // no marker hides another; the height within a line means nothing
			at.Y -= beside(slices.Index(g.methods, m), len(g.methods), pitch)
		}
		if all[i] > g.x.max {
			outside, heights, colors = append(outside, all[i]), append(heights, at.Y), append(colors, MethodLook(m.id).Color)
			continue
		}
		c.DrawGlyph(MethodLook(m.id).glyph(), at)
	}
	if len(outside) > 0 {
		beyond(c, x(g.x.max), y, heights, colors, numbers(outside, 1), false)
	}
}
