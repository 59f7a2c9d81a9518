package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/table"
)

// RankBins draws the mean rank of each method against the number of bins of the ECE,
// or of the AECE where in.Metrics names it. One line is a method; its name stands at
// the right, in the order of the ranks there. Of many methods only some have colours:
// the three best by their mean over the numbers of bins, TS and QaTS. The rows must have the metric ece_bins,
// or aece_bins.
func RankBins(in Input) (*Figure, error) {
	if _, err := in.values(in.metric()); err != nil {
		return nil, figure.RankBins.Errorf("%w", err)
	}
	names, bins := compare.BinFamily(in.metric(), in.Records)
	if names == nil {
		return nil, figure.RankBins.Errorf("%s has no numbers of bins; only ece and aece have", in.metric())
	}
	if len(names) < 2 {
		return nil, figure.RankBins.Errorf("only %d bins have values: the spec must name the metric %s_bins", bins[0], in.metric())
	}
	a, v, err := in.agreement(names)
	if err != nil {
		return nil, figure.RankBins.Errorf("%w", err)
	}
	if len(a.Metrics) < len(names) {
		return nil, figure.RankBins.Errorf("a number of bins has no ranking: %s", strings.Join(a.Without, "; "))
	}
	return RankBinsOf(a, in.metric(), bins, v.labels(), v.none...)
}

// RankBinsOf draws the rankings of an agreement by a metric with each number of bins, as
// RankBins does. The labels are by method id, and notes are of missing values.
func RankBinsOf(a *compare.Agreement, name string, bins []int, labels map[string]string, missing ...string) (*Figure, error) {
	metric := results.Name("metric", name)
	list := labelled(compare.View{Labels: labels}, a.Methods)
	usual := slices.Index(bins, 15)
	least := 1.0
	for i := range bins {
		least = min(least, a.Tau[usual][i])
	}
	notes := []string{fmt.Sprintf("Mean ranks over %s; 1 is best. The ranking by another number of bins has a Kendall's tau of %s or more with the ranking by 15.",
		a.Extent, table.Fixed(least, 2))}
	g := rankLines{Agreement: a, methods: list, bins: bins, coloured: coloured(byMeanRank(a))}
	if len(g.coloured) < len(list) {
		notes = append(notes, "Grey: all but the three best by the mean over the numbers of bins, TS and QaTS.")
	}
	notes = append(notes, missing...)
	g.height = max(140, 9.2*vg.Length(len(list)))
	for _, m := range list {
		g.right = max(g.right, min(120, write(smallSize, ink).Width(m.label)+30))
	}
	s := sheet{title: fmt.Sprintf("%s, mean rank by the number of bins, %s", metric, english.Count(len(a.Blocks), "block")), simulated: a.Source == simulated, width: pageWidth, stretches: figure.RankBins.Stretches, notes: notes,
		caption: fmt.Sprintf("Mean ranks of %s by %s with %d to %d bins over %s; 1 is best.", english.Count(len(list), "method"), metric, bins[0], bins[len(bins)-1], a.Extent)}
	return s.figure(8+g.height+roomyMargin, g.draw), nil
}

// rankLines is the panel of the figure.
type rankLines struct {
	*compare.Agreement
	methods       []method
	bins          []int
	coloured      []string  // methods that are not grey
	height, right vg.Length // of the panel; of the names
}

// fewLines is the number of lines up to which all of them have their colours.
const fewLines = 8

// coloured returns those of some methods, the best first, that are drawn with their looks; those
// that were asked for by name always are.
func coloured(order []string, asked ...string) []string {
	if len(order) <= fewLines {
		return order
	}
	return lists.Where(order, func(m string) bool {
		return slices.Contains(order[:3], m) || m == "ts" || m == "qats" || slices.Contains(asked, m)
	})
}

// byMeanRank returns the methods of an agreement in the order of their mean over the rankings.
func byMeanRank(a *compare.Agreement) []string {
	order, sums := slices.Clone(a.Methods), map[string]float64{}
	for j, m := range a.Methods {
		for _, ranks := range a.Ranks {
			sums[m] += ranks[j]
		}
	}
	slices.SortStableFunc(order, func(m, o string) int { return cmp.Compare(sums[m], sums[o]) })
	return order
}

func (g rankLines) draw(page draw.Canvas, top vg.Length) {
	x := span{label: func(v float64) string { return strconv.Itoa(int(math.Round(math.Exp(v)))) }}
	x.ticks = lists.Values(g.bins, func(m int) float64 { return math.Log(float64(m)) })
	x.min, x.max = x.ticks[0], x.ticks[len(x.ticks)-1]
	edge := .02 * (x.max - x.min) // room for the marks
	x.min, x.max = x.min-edge, x.max+edge
	best, worst := g.Ranks[0][0], g.Ranks[0][0]
	for _, ranks := range g.Ranks {
		best, worst = min(best, slices.Min(ranks)), max(worst, slices.Max(ranks))
	}
	best = math.Floor(best)
	worst = max(math.Ceil(worst), best+1)
	// The best rank is at the top, so the axis is of ranks below zero.
	y := span{min: -worst - .2, max: -best + .2, label: func(v float64) string { return strconv.Itoa(int(-v)) }}
	for rank := int(best); rank <= int(worst); rank += max(1, int(worst-best+5)/10) {
		y.ticks = append(y.ticks, -float64(rank))
	}
	area := onePanel(page, y, g.right, roomyMargin, top-8)
	panel(page, area, x, y, gridLines(y), drawFunc(func(_ draw.Canvas, x, y func(float64) vg.Length) { g.lines(page, x, y, area) }))
	xTitle(page, (area.Min.X+area.Max.X)/2, page.Min.Y+3, "number of bins")
	yTitle(page, area, "mean rank (1 is best)")
}

// lines draws the line of each method and, to the right of the area, its name.
func (g rankLines) lines(c draw.Canvas, x, y func(float64) vg.Length, area vg.Rectangle) {
	last := g.Ranks[len(g.bins)-1]
	order := make([]int, len(last))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(last[b], last[a]), b-a) }) // heights ascend
	heights := make([]vg.Length, len(order))
	for i, j := range order {
		heights[i] = y(-last[j])
	}
	spreadOut(heights, 8.6, area.Min.Y-2, area.Max.Y+2)
	grey := func(j int) bool { return !slices.Contains(g.coloured, g.methods[j].id) }
	for _, j := range order { // the grey lines lie below the others
		if grey(j) {
			c.StrokeLines(draw.LineStyle{Color: gridColor, Width: 0.8}, g.points(j, x, y))
		}
	}
	for i, j := range order {
		look, text, points := MethodLook(g.methods[j].id), ink, g.points(j, x, y)
		leader := draw.LineStyle{Color: look.Color, Width: 0.5}
		if grey(j) {
			leader.Color, text = gridColor, faint
		} else {
			c.StrokeLines(look.line(), points)
			for _, p := range points {
				c.DrawGlyph(look.glyph(), p)
			}
		}
		end, right := points[len(points)-1], area.Max.X
		c.StrokeLines(leader, []vg.Point{{X: end.X + 3, Y: end.Y}, {X: right + 10, Y: heights[i]}, {X: right + 14, Y: heights[i]}})
		sty, label := fit(g.methods[j].label, g.right-20, write(smallSize, text))
		textAt(c, sty, draw.XLeft, right+16, heights[i]-4, label)
	}
}

// points are the places of a method on the page.
func (g rankLines) points(j int, x, y func(float64) vg.Length) []vg.Point {
	list := make([]vg.Point, len(g.bins))
	for b, m := range g.bins {
		list[b] = vg.Point{X: x(math.Log(float64(m))), Y: y(-g.Ranks[b][j])}
	}
	return list
}

// spreadOut moves ascending places apart by at least a distance, within the limits as
// far as they have room.
func spreadOut(places []vg.Length, apart, least, most vg.Length) {
	last := len(places) - 1
	if last < 0 {
		return
	}
	limit := func() {
		places[0] = max(places[0], least)
		places[last] = min(places[last], most)
	}
	limit() // names that are far enough apart may be outside
	for range 200 {
		moved := false
		for i := 1; i <= last; i++ {
			if short := apart - (places[i] - places[i-1]); short > 0.01 {
				places[i-1] -= short / 2
				places[i] += short / 2
				moved = true
			}
		}
		if !moved {
			return
		}
		limit()
	}
}
