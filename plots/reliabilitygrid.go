package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/figure"
)

// ReliabilityGrid draws small diagrams of [Reliability] for several cells, with a
// row for each cell and a column for each method, all on the same axes. The ECE is
// above each diagram. The share of rows in each bin is below it, on an axis that
// ends at the largest share in the row of diagrams. This is the paper's grid of
// four data sets. A method without bins in a cell leaves its place empty.
func ReliabilityGrid(in Input) (*Figure, error) {
	t, err := in.cells("width15")
	if err != nil {
		return nil, figure.ReliabilityGrid.Errorf("%w", err)
	}
	if len(t.rows) > maxDiagramRows || len(t.methods) > maxDiagramColumns {
		return nil, figure.ReliabilityGrid.Errorf("%d settings x %d methods, but a page holds %d x %d; restrict the settings or the methods",
			len(t.rows), len(t.methods), maxDiagramRows, maxDiagramColumns)
	}
	g := diagramGrid{cells: t}
	n := vg.Length(len(t.methods))
	g.panel = min((pageWidth-diagramMargin-rightMargin-diagramGap*(n-1))/n, 100)
	width := max(diagramMargin+rightMargin+n*g.panel+(n-1)*diagramGap, columnWidth)
	s := sheet{title: "ECE above each diagram", simulated: t.simulated, width: width, keys: legend{keys: reliabilityKeys(Input{}.axes()), width: width}, notes: t.notes,
		caption: fmt.Sprintf("Reliability diagrams with their ECE: one row for each setting, one column for each of %s. %s", english.List(labels(t.methods)), intervalsOf("accuracy"))}
	return s.laidOut(func(wide vg.Length) (vg.Length, panels) {
		g := g
		if wide != width {
			g.panel = (wide - diagramMargin - rightMargin - diagramGap*(n-1)) / n
		}
		return diagramHead + vg.Length(len(t.rows))*g.rowHeight() - diagramRowGap + xMargin, g.draw
	}), nil
}

// Lengths of the grid, in points.
const (
	maxDiagramRows    = 6
	maxDiagramColumns = 8

	diagramMargin vg.Length = 59 // name of the cell in two lines, title and numbers of the y axis
	diagramGap    vg.Length = 9
	diagramHead   vg.Length = 13 // names of the methods
	diagramECE    vg.Length = 10
	diagramShare  vg.Length = 13 // height of the histogram
	diagramRowGap vg.Length = 7
)

// diagramGrid is the layout of the figure.
type diagramGrid struct {
	cells
	panel vg.Length // side of a diagram
}

func (g diagramGrid) rowHeight() vg.Length {
	return diagramECE + g.panel + 2 + diagramShare + diagramRowGap
}

func (g diagramGrid) draw(c draw.Canvas, top vg.Length) {
	top -= diagramHead
	for j, m := range g.methods {
		sty, label := fit(m.label, g.panel, write(titleSize, ink))
		c.FillText(sty, vg.Point{X: g.left(c, j) + g.panel/2, Y: top + 1}, label)
	}
	for i := range g.rows {
		g.drawRow(c, i, top-g.rowHeight()*vg.Length(i))
	}
	right := g.left(c, len(g.methods)-1) + g.panel
	xTitle(c, (c.Min.X+diagramMargin+right)/2, c.Min.Y+2, "Confidence")
}

func (g diagramGrid) left(c draw.Canvas, column int) vg.Length {
	return c.Min.X + diagramMargin + (g.panel+diagramGap)*vg.Length(column)
}

// drawRow draws the cell i with its upper edge at top.
func (g diagramGrid) drawRow(c draw.Canvas, i int, top vg.Length) {
	row := g.rows[i]
	most := row.largestShare()
	var upper vg.Rectangle
	for j, m := range g.methods {
		left := g.left(c, j)
		upper = between(left, top-diagramECE-g.panel, left+g.panel, top-diagramECE)
		g.drawPanel(c, row.series[m.id], upper, most, j == 0, i == len(g.rows)-1)
	}
	middle := (upper.Min.Y+upper.Max.Y)/2 - (diagramShare+2)/2
	for k, line := range row.lines {
		sty, text := fit(line, g.rowHeight()-4, write(smallSize, ink))
		turned(c, sty, c.Min.X+10+10*vg.Length(k), middle, text)
	}
	turned(c, write(smallSize, faint), c.Min.X+34, (upper.Min.Y+upper.Max.Y)/2, "Accuracy")
}

// drawPanel draws one diagram and its histogram, whose axis ends at most, in per
// cent.
func (g diagramGrid) drawPanel(c draw.Canvas, s *series, upper vg.Rectangle, most float64, first, last bool) {
	two := []float64{0, 0.5, 1}
	y := span{min: 0, max: 1, ticks: two, bare: !first}
	lower := between(upper.Min.X, upper.Min.Y-2-diagramShare, upper.Max.X, upper.Min.Y-2)
	above, below := span{min: 0, max: 1, ticks: two, bare: true}, span{min: 0, max: 1, ticks: two, bare: !last}
	share := span{min: 0, max: most}
	if s == nil {
		panel(c, upper, above, y)
		blank(c, upper)
		panel(c, lower, below, share)
		return
	}
	panel(c, upper, above, y, gridLines(y), bars(s.bins))
	sty, ece := fit(fmt.Sprintf("%.2f %%", 100*s.ece()), g.panel, write(smallSize, ink))
	c.FillText(sty, vg.Point{X: (upper.Min.X + upper.Max.X) / 2, Y: upper.Max.Y + 1.5}, ece)
	panel(c, lower, below, share, histogram(*s))
}
