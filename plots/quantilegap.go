package plots

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
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
		return nil, figure.QuantileGap.Errorf("%w", err)
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

// QuantileGapGrid draws a panel of [QuantileGap] for each cell. The panels of a row have one
// axis, so that a row of small gaps is not flattened by another one. This is the paper's first figure for a group of data sets. Where two to
// four data sets share backbones, each data set is a column and each backbone a
// row, and a cell without rows leaves an empty place. Other cells fill rows of
// three.
//
// Nothing is averaged over backbones: gaps have signs, and the gaps of two networks
// could cancel, as if both were calibrated.
func QuantileGapGrid(in Input) (*Figure, error) {
	t, err := in.cells("mass15")
	if err != nil {
		return nil, figure.QuantileGapGrid.Errorf("%w", err)
	}
	places, columns := arrange(t.rows)
	if len(places) > maxGaps {
		return nil, figure.QuantileGapGrid.Errorf("%d panels, but a page holds %d; restrict the settings", len(places), maxGaps)
	}
	g := gapGrid{cells: t, places: places, columns: columns, width: pageWidth, y: rowSpans(places, columns)}
	if columns == 1 {
		g.width = columnWidth
	}
	for i, m := range t.methods {
		g.keys.keys = append(g.keys.keys, key{m.label, together{strands(t.methods)[i]}.sample})
	}
	s := sheet{title: "Below zero: overconfident", simulated: t.simulated, width: g.width, notes: t.notes, caption: g.wide(g.width).caption()}
	return s.laidOut(func(width vg.Length) (vg.Length, panels) {
		g := g.wide(width)
		rows := (len(places) + columns - 1) / columns
		return g.keys.height() + 4 + vg.Length(rows)*(g.title()+g.panel.Y+rowGap) - rowGap + xMargin, g.draw
	}), nil
}

// wide returns the grid on a page of a width.
func (g gapGrid) wide(width vg.Length) gapGrid {
	g.width, g.keys.width = width, width-8
	g.panel.X = (width - leftMargin - rightMargin - panelGap*vg.Length(g.columns-1)) / vg.Length(g.columns)
	g.panel.Y = min(140, 0.62*g.panel.X)
	if len(g.places) <= g.columns {
		g.panel.Y = min(140, 0.75*g.panel.X)
	}
	g.describe()
	return g
}

const (
	maxGaps            = 24 // panels of a page
	gapTitle vg.Length = 11 // above a panel with one line of title
	gapLine  vg.Length = 9.5
)

// arrange returns the cells by place, row by row, and the number of columns. An
// empty place is nil.
func arrange(rows []cellRow) (places []*cellRow, columns int) {
	sets := lists.Distinct(rows, func(r cellRow) string { return r.cell.Dataset })
	others := lists.Distinct(rows, func(r cellRow) results.Setting { // without a data set
		r.cell.Experiment, r.cell.Dataset = "", ""
		return r.cell
	})
	at := map[results.Setting]*cellRow{}
	for i, r := range rows {
		r.cell.Experiment = ""
		if at[r.cell] == nil {
			at[r.cell] = &rows[i]
		}
	}
	// A matrix needs one place for each cell, and at least two cells in one row.
	if len(sets) >= 2 && len(sets) <= 4 && len(at) == len(rows) && len(others) < len(rows) {
		for _, other := range others {
			for _, set := range sets {
				other.Dataset = set
				places = append(places, at[other])
			}
		}
		return places, len(sets)
	}
	for i := range rows {
		places = append(places, &rows[i])
	}
	return places, min(3, len(rows))
}

// rowSpans are the ranges of the gaps in each row of places, in percentage points.
func rowSpans(places []*cellRow, columns int) (spans []span) {
	for row := range slices.Chunk(places, columns) {
		var y span
		for _, place := range row {
			if place == nil {
				continue
			}
			for _, s := range place.series {
				for _, p := range gapCourse(*s) {
					y = y.holding(p.y)
				}
			}
		}
		spans = append(spans, y.roomy(6, onePoint))
	}
	return spans
}

// gapGrid is the layout of the figure.
type gapGrid struct {
	cells
	places  []*cellRow
	columns int
	width   vg.Length
	panel   vg.Point // its size
	keys    legend
	y       []span    // of each row
	alike   []string  // what coincides in each place, "" for nothing
	lines   int       // of the titles of all panels
	size    vg.Length // of the titles of all panels
}

func (g gapGrid) caption() string {
	text := fmt.Sprintf("Accuracy minus confidence in 15 bins of equal mass, against the quantile of confidence, for %s.", english.List(labels(g.methods)))
	if len(g.places) > 1 {
		text += " Each panel is a setting."
	}
	if len(g.y) > 1 {
		text += " Each row has an axis of its own."
	}
	if slices.ContainsFunc(g.alike, func(s string) bool { return s != "" }) {
		text += " Lines that coincide are drawn around each other; the methods are named above the panel."
	}
	return text
}

// title is the height of the titles of a panel: the data set, the network, and the lines
// that coincide, if any.
func (g gapGrid) title() vg.Length {
	return gapLine*vg.Length(g.lines) + 3
}

// describe finds the methods that coincide in each panel, and the size in which all
// titles fit.
func (g *gapGrid) describe() {
	g.alike = make([]string, len(g.places))
	for i, place := range g.places {
		if place == nil {
			continue
		}
		var names []string
		_, groups := g.groups(place)
		for _, group := range groups {
			if len(group) > 1 {
				names = append(names, named(g.methods, group))
			}
		}
		g.alike[i] = strings.Join(names, "; ")
	}
	// In two lines, if the methods that coincide fit beside the network.
	for g.lines = 2; g.lines <= 3; g.lines++ {
		g.size = smallSize
		whole := true
		for i := range g.places {
			for _, line := range g.titleOf(i) {
				sty, cut := fit(line, g.panel.X, write(smallSize, ink))
				g.size = min(g.size, sty.Font.Size)
				whole = whole && cut == line
			}
		}
		if whole && g.size > 6.8 {
			return
		}
	}
	g.lines = 3
}

// titleOf returns the title of place i, line by line.
func (g gapGrid) titleOf(i int) []string {
	if g.places[i] == nil {
		return nil
	}
	lines := slices.Clone(g.places[i].lines[:])
	switch {
	case g.alike[i] == "":
	case g.lines == 2:
		lines[1] += ": " + g.alike[i]
	default:
		lines = append(lines, g.alike[i])
	}
	return lines
}

// groups returns the lines of the methods in a panel, and which of them coincide.
func (g gapGrid) groups(place *cellRow) (lines []course, groups [][]int) {
	for _, m := range g.methods {
		var line course
		if s := place.series[m.id]; s != nil {
			line = gapCourse(*s)
		}
		lines = append(lines, line)
	}
	return lines, coinciding(lines)
}

func (g gapGrid) draw(c draw.Canvas, top vg.Length) {
	g.keys.draw(c, c.Min.X+4, top)
	top -= g.keys.height() + 4
	for i := range g.places {
		row := vg.Length(i / g.columns)
		left := c.Min.X + leftMargin + (g.panel.X+panelGap)*vg.Length(i%g.columns)
		g.drawPanel(c, i, left, top-row*(g.title()+g.panel.Y+rowGap))
	}
	xTitle(c, (c.Min.X+leftMargin+c.Max.X-rightMargin)/2, c.Min.Y+2, "Quantile of confidence")
	yTitle(c, between(c.Min.X, c.Min.Y+xMargin, c.Max.X, top-g.title()), "Accuracy - confidence (points)")
}

// drawPanel draws the panel of place i with its upper left corner at (left, top).
func (g gapGrid) drawPanel(c draw.Canvas, i int, left, top vg.Length) {
	place := g.places[i]
	area := between(left, top-g.title()-g.panel.Y, left+g.panel.X, top-g.title())
	x, y := span{min: 0, max: 1, ticks: ticks(0, 1, 5)}, g.y[i/g.columns]
	x.bare = i+g.columns < len(g.places) // the panel below has the numbers
	y.bare = i%g.columns > 0
	if place == nil {
		panel(c, area, x, y)
		blank(c, area)
		return
	}
	layers := []plot.Plotter{gridLines(y), zeroLine}
	lines, groups := g.groups(place)
	for _, group := range groups {
		layers = append(layers, lines[group[0]].plotter(around(strands(g.methods), group)))
	}
	panel(c, area, x, y, layers...)
	for k, line := range g.titleOf(i) {
		sty, text := fit(line, g.panel.X, write(g.size, ink))
		if k > 0 {
			sty.Color = faint
		}
		c.FillText(sty, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: top - gapLine*vg.Length(k+1)}, text)
	}
}

// blank writes that there are no rows to show in an area.
func blank(c draw.Canvas, area vg.Rectangle) {
	c.FillText(write(footSize, faint), vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: (area.Min.Y+area.Max.Y)/2 - footSize/2}, "no rows")
}
