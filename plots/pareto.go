package plots

import (
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
)

// Pareto draws each method at its fit time and its ECE, or another metric that
// in.Metrics names. Both are means over blocks, over the settings on which every shown
// method has both; the mean of times is geometric. A line joins the methods that no other
// method beats in both, unless the values are simulated. The time axis is logarithmic. The rows must have times
// ([results.TimeRecords]); a method without one is left out and noted.
func Pareto(in Input) (*Figure, error) {
	p, v, err := in.timed()
	if err != nil {
		return nil, figure.Pareto.Errorf("%w", err)
	}
	notes := rankNotes(compare.View{Comparison: p.All, Labels: v.labels()})[1:]
	return ParetoOf(p, v.labels(), append(notes, v.none...)...)
}

// timed compares the methods of the figure by its metric and by fit time. It returns the
// values of the metric too.
func (in Input) timed() (*compare.Pareto, values, error) {
	v, records, err := in.ranked(in.metric(), results.TimeMetric)
	if err != nil {
		return nil, v, err
	}
	p, err := compare.ParetoOf(records, in.options(v.methods[0].id))
	return p, v, err
}

// ParetoOf draws values and fit times as Pareto does. The labels are by method id, and
// notes say what the caller left out.
func ParetoOf(p *compare.Pareto, labels map[string]string, notes ...string) (*Figure, error) {
	quality := p.Quality
	view := compare.View{Comparison: quality, Labels: labels}
	list := labelled(view, p.Methods)
	programs := ""
	if len(p.Programs) > 0 {
		names := lists.Values(p.Programs, func(m string) string { return printable(view.Label(m)) })
		programs = fmt.Sprintf(" Times of %s include the start of an external program.", english.List(names))
	}
	if len(p.Untimed) > 0 {
		untimed := lists.Values(p.Untimed, func(m string) string { return printable(view.Label(m)) })
		notes = append(notes, fmt.Sprintf("Without a fit time in some setting: %s.", english.List(untimed)))
	}
	if p.Lost > 0 {
		notes = append(notes, fmt.Sprintf("Left out, because a method has no fit time: %s.", english.Count(p.Lost, "setting")))
	}
	g := paretoPlot{methods: list, axis: quality.MetricLabel}
	blocks := english.Count(len(quality.Ranking.Blocks), "block")
	scale := 1.0
	if quality.Percent {
		scale = 100
		g.axis += " (%)"
	}
	for i := range p.Methods {
		g.logs, g.values = append(g.logs, math.Log10(p.Seconds[i])), append(g.values, scale*p.Values[i])
	}
	g.front = p.Front
	line := ""
	if p.Front != nil {
		line = " The line joins the methods that no other one beats in both."
	}
	s := sheet{title: fmt.Sprintf("%s against fit time, %s, %s", quality.MetricLabel, english.Count(len(list), "method"), blocks), simulated: quality.Source == simulated, width: pageWidth, stretches: figure.Pareto.Stretches,
		notes: append([]string{fmt.Sprintf("Means over %s; the means of times are geometric.%s Times are processor time of one fit, as measured when it was made.%s",
			quality.Ranking.Extent, line, programs)}, notes...),
		caption: fmt.Sprintf("%s against the processor time of a fit, means over %s.%s%s", quality.MetricLabel, quality.Ranking.Extent, line, programs)}
	return s.figure(paretoHeight+roomyMargin, g.draw), nil
}

const paretoHeight vg.Length = 230

// paretoPlot is the panel of the figure.
type paretoPlot struct {
	methods []method
	logs    []float64 // of the fit times in seconds, to the base 10
	values  []float64
	front   []int
	axis    string
}

func (g paretoPlot) draw(page draw.Canvas, top vg.Length) {
	least, most := slices.Min(g.values), slices.Max(g.values)
	room := max(.06*(most-least), 1e-3)
	ys := span{min: least - room, max: most + room}
	ys.ticks = ticks(ys.min, ys.max, 6)
	area := onePanel(page, ys, rightMargin+30, roomyMargin, top) // with room for the name of the slowest method at the right
	xs := span{min: slices.Min(g.logs) - .15, max: slices.Max(g.logs) + .25, label: duration}
	xs.ticks = timeTicks(xs.min, xs.max)
	panel(page, area, xs, ys, gridLines(ys), gridColumns(xs), drawFunc(func(_ draw.Canvas, x, y func(float64) vg.Length) {
		at := make([]vg.Point, len(g.methods))
		for i := range at {
			at[i] = vg.Point{X: x(g.logs[i]), Y: y(g.values[i])}
		}
		var line []vg.Point
		for i, j := range g.front { // a step: between two methods of the front the value is that of the faster one
			if i > 0 {
				line = append(line, vg.Point{X: at[j].X, Y: line[len(line)-1].Y})
			}
			line = append(line, at[j])
		}
		page.StrokeLines(draw.LineStyle{Color: barEdge, Width: 0.8, Dashes: dashed}, line)
		g.names(page, at, area, line)
	}))
	xTitle(page, (area.Min.X+area.Max.X)/2, page.Min.Y+3, "processor time of a fit (geometric mean)")
	yTitle(page, area, g.axis)
}

// names draws the marks and the name of each method beside its mark, where it covers no
// other name, mark or line: to the right, to the left, above or below, or a little further
// away with a line to the mark.
func (g paretoPlot) names(c draw.Canvas, marks []vg.Point, area vg.Rectangle, line []vg.Point) {
	var taken []vg.Rectangle
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		taken = append(taken, between(min(a.X, b.X)-1, min(a.Y, b.Y)-1, max(a.X, b.X)+1, max(a.Y, b.Y)+1))
	}
	for _, p := range marks {
		taken = append(taken, between(p.X-3, p.Y-3, p.X+3, p.Y+3))
	}
	free := func(r vg.Rectangle) bool {
		return r.Min.X >= area.Min.X && r.Max.X <= c.Max.X && r.Min.Y >= area.Min.Y && r.Max.Y <= area.Max.Y+headingHeight-6 &&
			!slices.ContainsFunc(taken, func(t vg.Rectangle) bool {
				return t.Min.X < r.Max.X && r.Min.X < t.Max.X && t.Min.Y < r.Max.Y && r.Min.Y < t.Max.Y
			})
	}
	const size = 7
	for i, m := range g.methods {
		sty, label := fit(m.label, 110, write(size, ink))
		at := marks[i]
		w, h := sty.Width(label), vg.Length(size)
		place := between(at.X+5, at.Y-h/2, at.X+5+w, at.Y+h/2) // if there is no room
	search:
		for _, away := range []vg.Length{0, 8, 16, 26, 38, 52, 70} {
			for _, d := range []vg.Point{{X: 1, Y: 0}, {X: -1, Y: 0}, {X: 0, Y: 1}, {X: 0, Y: -1}, {X: .7, Y: .7}, {X: .7, Y: -.7}, {X: -.7, Y: .7}, {X: -.7, Y: -.7}} {
				centre := vg.Point{X: at.X + d.X*(away+5+w/2), Y: at.Y + d.Y*(away+4+h/2)}
				r := between(centre.X-w/2, centre.Y-h/2, centre.X+w/2, centre.Y+h/2)
				if !free(r) {
					continue
				}
				if away > 0 {
					near := vg.Point{X: min(max(at.X, r.Min.X), r.Max.X), Y: min(max(at.Y, r.Min.Y), r.Max.Y)}
					c.StrokeLines(draw.LineStyle{Color: barColor, Width: 0.5}, []vg.Point{at, near})
				}
				place = r
				break search
			}
		}
		taken = append(taken, place)
		textAt(c, sty, draw.XLeft, place.Min.X, place.Min.Y, label)
	}
	for i, m := range g.methods {
		c.DrawGlyph(MethodLook(m.id).glyph(), marks[i])
	}
}

// timeTicks returns the logarithms of the powers of ten between two logarithms of
// seconds, and also of 2 and 5 times these where there are few.
func timeTicks(low, high float64) (list []float64) {
	steps := []float64{1}
	if high-low < 2.5 {
		steps = []float64{1, 2, 5}
	}
	for e := math.Floor(low); e <= high; e++ {
		for _, s := range steps {
			if l := e + math.Log10(s); l >= low && l <= high {
				list = append(list, l)
			}
		}
	}
	return list
}

// duration prints a time, given as the logarithm of its seconds, with its unit: 20 µs,
// 1 ms, 5 s.
func duration(log float64) string {
	seconds := math.Pow(10, log)
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= u.size*.999 {
			return strings.TrimSuffix(strconv.FormatFloat(seconds/u.size, 'g', 3, 64), ".0") + " " + u.name
		}
	}
	return strconv.FormatFloat(seconds*1e9, 'g', 3, 64) + " ns"
}
