package plots

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
)

// Ranks draws the mean ranks of a comparison as Demsar (2006) does: the methods on
// an axis, the best at the left, and a bar over each group of methods that
// Nemenyi's test does not distinguish. The labels are by method id. The notes of missing
// values stand at the foot. If there is no ranking, the error says why.
func Ranks(c *compare.Comparison, byID map[string]string, notes ...string) (*Figure, error) {
	k := c.Ranking
	switch {
	case !c.Judged():
		return nil, figure.CriticalDifference.Errorf("%w", ErrSimulated)
	case k.Methods == nil:
		return nil, figure.CriticalDifference.Errorf("%s", k.None)
	case !k.Tested():
		return nil, figure.CriticalDifference.Errorf("a ranking of two methods shows nothing more than their comparison")
	}
	view := compare.View{Comparison: c, Labels: byID}
	list := labelled(view, k.Methods)
	d := rankDiagram{methods: list, Ranking: k, levels: levels(k.Groups), coloured: coloured(k.Methods, append([]string{c.Against}, c.Methods...)...)}
	shown := rankNotes(view)
	if len(d.coloured) < len(list) {
		shown = append(shown, greyNote(view))
	}
	blocks := english.Count(len(k.Blocks), "block")
	s := sheet{title: fmt.Sprintf("%s, mean rank over %s", c.MetricLabel, blocks), width: pageWidth, notes: append(shown, notes...),
		caption: fmt.Sprintf("Mean ranks of %s by %s over %s; 1 is best. A bar joins methods that Nemenyi's test does not tell apart at the level .05.", english.Count(len(list), "method"), c.MetricLabel, k.Extent)}
	return s.figure(d.height(), d.draw), nil
}

// greyNote says which methods are not grey.
func greyNote(v compare.View) string {
	names := []string{"the three best", "TS", "QaTS"}
	for _, m := range append([]string{v.Against}, v.Methods...) {
		if m != "ts" && m != "qats" && !slices.Contains(v.Ranking.Methods[:3], m) && slices.Contains(v.Ranking.Methods, m) {
			names = append(names, printable(v.Label(m)))
		}
	}
	return "Grey: all but " + english.List(names) + "."
}

// rankNotes says what the diagram shows. The page of the comparison has the tests and
// the reasons why methods and settings are left out.
func rankNotes(v compare.View) []string {
	k := v.Ranking
	notes := []string{fmt.Sprintf("Mean ranks over %s; 1 is best, ties share. A bar joins methods that Nemenyi's test does not tell apart at .05.", k.Extent)}
	aside := lists.Values(slices.Concat(k.ByNature, k.Aside), func(l compare.Lacking) string { return printable(v.Label(l.Method)) })
	if len(aside) > 0 {
		notes = append(notes, "Not ranked, because values are missing: "+english.List(aside)+".")
	}
	lost := 0
	for _, l := range k.Missing {
		lost += len(l.Settings)
	}
	if lost > 0 {
		notes = append(notes, fmt.Sprintf("Left out, because a method has no value: %s.", english.Count(lost, "setting")))
	}
	return notes
}

// labelled returns methods with the labels of a view.
func labelled(v compare.View, ids []string) []method {
	return lists.Values(ids, func(id string) method { return method{id, printable(v.Label(id))} })
}

// levels returns a line for each group, so that groups on the same line do not
// touch.
func levels(groups [][]int) []int {
	var ends []int // last member on each line
	at := make([]int, len(groups))
	for i, g := range groups {
		first, last := g[0], g[len(g)-1]
		at[i] = len(ends)
		for l, end := range ends {
			if first > end {
				at[i] = l
				break
			}
		}
		if at[i] == len(ends) {
			ends = append(ends, 0)
		}
		ends[at[i]] = last
	}
	return at
}

const (
	rankAxis   vg.Length = 38 // from the top to the axis, for its numbers and the critical difference
	rankLevel  vg.Length = 5  // between group bars
	rankRow    vg.Length = 11
	rankMargin vg.Length = 120 // on each side, for names, at most
)

// rankDiagram is the panel of the figure.
type rankDiagram struct {
	compare.Ranking
	methods  []method
	levels   []int
	coloured []string // methods that are not grey
}

func (d rankDiagram) bars() vg.Length {
	if len(d.levels) == 0 {
		return 4
	}
	return rankLevel*vg.Length(1+slices.Max(d.levels)) + 4
}

// left is the number of methods whose names are at the left.
func (d rankDiagram) left() int { return (len(d.methods) + 1) / 2 }

func (d rankDiagram) height() vg.Length {
	return rankAxis + d.bars() + rankRow*vg.Length(d.left()) + 6
}

// margin is the width of the names with their ranks and the lines to them.
func (d rankDiagram) margin() vg.Length {
	width := vg.Length(60)
	for _, m := range d.methods {
		width = max(width, write(smallSize, ink).Width(m.label+"  00.00")+24)
	}
	return min(width, rankMargin)
}

func (d rankDiagram) draw(c draw.Canvas, top vg.Length) {
	n := float64(len(d.methods))
	from, to := c.Min.X+d.margin(), c.Max.X-d.margin()
	x := func(rank float64) vg.Length { return from + (to-from)*vg.Length((rank-1)/(n-1)) }
	axis := top - rankAxis
	line := stroke(ink, axisWidth)
	c.StrokeLine2(line, from, axis, to, axis)
	step := max(1, int(n)/12)
	for r := 1; r <= len(d.methods); r += step {
		at := x(float64(r))
		c.StrokeLine2(line, at, axis, at, axis+4)
		c.FillText(write(smallSize, ink), vg.Point{X: at, Y: axis + 6}, strconv.Itoa(r))
	}
	d.difference(c, x, axis+22)
	for i, g := range d.Groups {
		y := axis - 4 - rankLevel*vg.Length(d.levels[i])
		c.StrokeLine2(stroke(ink, 2.2), x(d.Ranks[g[0]])-2, y, x(d.Ranks[g[len(g)-1]])+2, y)
	}
	d.names(c, x, axis)
}

// difference draws the critical difference as a bar on the scale of the ranks.
func (d rankDiagram) difference(c draw.Canvas, x func(float64) vg.Length, y vg.Length) {
	label := fmt.Sprintf("critical difference %.2f", d.Critical)
	sty := write(smallSize, ink)
	sty.XAlign = draw.XLeft
	start, end := x(1), x(1+d.Critical)
	if d.Critical > float64(len(d.methods)-1) { // longer than the axis
		c.FillText(sty, vg.Point{X: start, Y: y - 3}, label+": longer than the axis")
		return
	}
	line := stroke(ink, axisWidth)
	c.StrokeLine2(line, start, y, end, y)
	c.StrokeLine2(line, start, y-2.5, start, y+2.5)
	c.StrokeLine2(line, end, y-2.5, end, y+2.5)
	c.FillText(sty, vg.Point{X: min(end+5, c.Max.X-sty.Width(label)-2), Y: y - 3}, label)
}

// leaders returns where the lines from the ranks to the names run down, at least a
// little apart, so that the lines of equal ranks do not coincide.
func (d rankDiagram) leaders(x func(float64) vg.Length) []vg.Length {
	const apart = 3.2
	list := make([]vg.Length, len(d.methods))
	for i := range list {
		list[i] = x(d.Ranks[i])
	}
	spreadOut(list, apart, x(1)-rankMargin, x(float64(len(list)))+rankMargin)
	return list
}

// names draws a line from each rank to the name of its method. The names of the
// better half are at the left and the others at the right, so that no two lines
// cross.
func (d rankDiagram) names(c draw.Canvas, x func(float64) vg.Length, axis vg.Length) {
	top := axis - d.bars()
	leaders := d.leaders(x)
	grey := func(i int) bool { return !slices.Contains(d.coloured, d.methods[i].id) }
	for _, under := range []bool{true, false} { // the grey marks lie below the others
		for i := range d.methods {
			if grey(i) == under {
				d.name(c, i, x(d.Ranks[i]), leaders[i], axis, top, under)
			}
		}
	}
}

// name draws the name of method i, whose rank is at a place of the axis, and the line to it,
// which runs down at leader.
func (d rankDiagram) name(c draw.Canvas, i int, at, leader, axis, top vg.Length, grey bool) {
	m, look, ink := d.methods[i], MethodLook(d.methods[i].id), ink
	if grey {
		look.Color, ink = barColor, faint
	}
	row, side, edge := i, draw.XRight, c.Min.X+d.margin()-8
	if i >= d.left() {
		row, side, edge = len(d.methods)-1-i, draw.XLeft, c.Max.X-d.margin()+8
	}
	y := top - rankRow*vg.Length(row) - rankRow/2
	line := draw.LineStyle{Color: look.Color, Width: 0.7}
	c.StrokeLines(line, []vg.Point{{X: at, Y: axis}, {X: leader, Y: top + 1}, {X: leader, Y: y}, {X: edge, Y: y}})
	c.DrawGlyph(look.glyph(), vg.Point{X: at, Y: axis})
	number := strconv.FormatFloat(d.Ranks[i], 'f', 2, 64)
	num, away := write(smallSize, faint), vg.Length(1)
	if side == draw.XRight {
		away = -1
	}
	sty, label := fit(m.label, d.margin()-8-4-num.Width(number+"  ")-4, write(smallSize, ink))
	textAt(c, num, side, edge+2*away, y-3, number)
	textAt(c, sty, side, edge+(2+num.Width(number)+5)*away, y-3, label)
}
