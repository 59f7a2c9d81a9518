package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// paretoView sets the values of a metric beside the fit times.
type paretoView struct {
	Title string
	Chart template.HTML
	Table grid
	Notes []string
}

// paretoOf compares the methods of a source by the first metric of the comparisons
// except time, and by fit time. It returns nil where they have no ranking or no times.
func paretoOf(f *Folder, o Options, source string) *paretoView {
	named := slices.IndexFunc(o.Metrics, func(m string) bool { return m != results.TimeMetric })
	if named < 0 {
		return nil
	}
	metric := o.Metrics[named]
	of := slices.DeleteFunc(slices.Clone(f.Records), func(r record) bool {
		return r.Source != source || r.Metric != metric || r.Corruption == results.Split
	})
	of = append(of, results.TimeRecords(f.Times, of)...)
	p, err := compare.ParetoOf(of, compare.Options{Metric: metric, Against: o.Against, Methods: o.Methods, Block: o.Block})
	if err != nil {
		return nil // such as one method: there is nothing to show
	}
	v := compare.View{Comparison: p.Quality, Labels: o.labels}
	value := p.Quality.MetricLabel
	if p.Quality.Percent {
		value += " (%)"
	}
	view := &paretoView{Title: p.Quality.MetricLabel + " against fit time", Chart: paretoChart(v, p, o, value),
		Table: grid{Caption: p.Quality.MetricLabel + " and fit time", Head: []string{"Method", "Fit time, ms", value, "Beaten in both"}}}
	for i, m := range p.Methods {
		beaten := "yes"
		if slices.Contains(p.Front, i) {
			beaten = "no"
		}
		view.Table.Rows = append(view.Table.Rows, []string{v.Label(m), milliseconds(p.Seconds[i]), strconv.FormatFloat(p.Values[i]*unitScale(v), 'f', v.Digits, 64), beaten})
	}
	front := "The line joins the methods that no other one beats in both."
	if len(p.Front) == 1 {
		front = fmt.Sprintf("%s beats all others in both.", v.Label(p.Methods[p.Front[0]]))
	}
	view.Notes = []string{fmt.Sprintf("Means over %s (%s); the means of times are geometric. %s The means differ from the table above, where each fit counts once.",
		table.Count(len(p.Quality.Ranking.Blocks), "block"), table.Count(p.Quality.Ranking.Settings, "setting"), front)}
	if len(p.Untimed) > 0 {
		var names []string
		for _, m := range p.Untimed {
			names = append(names, v.Label(m))
		}
		view.Notes = append(view.Notes, fmt.Sprintf("Without a fit time in some setting: %s.", strings.Join(names, ", ")))
	}
	if p.Lost > 0 {
		view.Notes = append(view.Notes, fmt.Sprintf("Left out, because a method has no fit time: %s.", table.Count(p.Lost, "setting")))
	}
	return view
}

// box is a rectangle that text or a mark covers.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

// paretoChart draws each method at its fit time, on a logarithmic axis, and its value.
func paretoChart(v compare.View, p *compare.Pareto, o Options, axis string) template.HTML {
	const left, right, top, bottom = 52.0, 40.0, 12.0, 46.0
	n := float64(len(p.Methods))
	width, height := math.Min(340+15*math.Max(0, n-6), 720), math.Min(240+6*math.Max(0, n-6), 400) // few methods fit a telephone
	s := &svg{width: left + width + right, height: top + height + bottom}
	low, high := math.Log10(slices.Min(p.Seconds))-.15, math.Log10(slices.Max(p.Seconds))+.25
	scale := unitScale(v)
	least, most := slices.Min(p.Values)*scale, slices.Max(p.Values)*scale
	room := math.Max(.06*(most-least), 1e-3)
	least, most = least-room, most+room
	x := func(seconds float64) float64 { return left + (math.Log10(seconds)-low)/(high-low)*width }
	y := func(value float64) float64 { return top + (most-value)/(most-least)*height }
	step := niceStep(most-least, 8)
	for t := math.Ceil(least/step) * step; t <= most; t += step {
		s.line("grid", left, y(t), left+width, y(t))
		s.text("tick", "end", left-6, y(t)+4, tick(t, step))
	}
	for _, t := range plots.TimeTicks(low, high) {
		s.line("grid", x(t), top, x(t), top+height)
		s.text("tick", "middle", x(t), top+height+18, plots.Duration(t))
	}
	s.text("axis", "middle", left+width/2, s.height-6, "processor time of a fit (geometric mean)")
	s.text("axis", "start", left, top-1, axis)
	var line [][2]float64 // a step: between two methods of the front the better value is that of the faster one
	for i, j := range p.Front {
		at := [2]float64{x(p.Seconds[j]), y(p.Values[j] * scale)}
		if i > 0 {
			line = append(line, [2]float64{at[0], line[len(line)-1][1]})
		}
		line = append(line, at)
	}
	var taken []box
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		taken = append(taken, box{math.Min(a[0], b[0]) - 1, math.Min(a[1], b[1]) - 1, math.Max(a[0], b[0]) + 1, math.Max(a[1], b[1]) + 1})
	}
	for i := range p.Methods {
		px, py := x(p.Seconds[i]), y(p.Values[i]*scale)
		taken = append(taken, box{px - 5, py - 5, px + 5, py + 5})
	}
	s.path("front", line)
	for i, m := range p.Methods {
		px, py := x(p.Seconds[i]), y(p.Values[i]*scale)
		name, class := v.Label(m), "label"
		if m == o.Against {
			class = "label own"
		}
		const room = 140
		at, anchor, away := placeOf(px, py, textWidth(cut(name, room, m == o.Against), labelSize, m == o.Against), box{left, top, s.width, top + height}, taken)
		taken = append(taken, at)
		if away {
			s.line("stem", px, py, math.Min(math.Max(px, at.left), at.right), math.Min(math.Max(py, at.top), at.bottom))
		}
		s.named(class, anchor, map[string]float64{"start": at.left, "middle": (at.left + at.right) / 2, "end": at.right}[anchor], at.bottom-3, room, name)
	}
	for i, m := range p.Methods {
		s.mark(o.place[m], x(p.Seconds[i]), y(p.Values[i]*scale), 4.5)
	}
	return s.html(fmt.Sprintf("%s of %d methods against the processor time of a fit. The table below has the same numbers.", v.MetricLabel, len(p.Methods)))
}

// placeOf returns a place for a name w px wide near a mark at (x, y), where it meets
// nothing that is taken and stays in the area: beside the mark, or a little away
// from it, with a line. Without such a place it is beside the mark. anchor is the side of
// the name that is nearest to the mark.
func placeOf(x, y, w float64, area box, taken []box) (at box, anchor string, away bool) {
	const h = 13.0
	around := func(cx, cy float64) box { return box{cx - w/2, cy - h/2, cx + w/2, cy + h/2} }
	for _, distance := range []float64{0, 10, 20, 32, 46, 64, 84} {
		for _, d := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {.7, .7}, {.7, -.7}, {-.7, .7}, {-.7, -.7}} {
			b := around(x+d[0]*(distance+7+w/2), y+d[1]*(distance+6+h/2))
			inside := b.left >= area.left && b.right <= area.right && b.top >= area.top && b.bottom <= area.bottom
			if inside && !slices.ContainsFunc(taken, b.meets) {
				anchor := "middle"
				switch {
				case d[0] > 0:
					anchor = "start"
				case d[0] < 0:
					anchor = "end"
				}
				return b, anchor, distance > 0
			}
		}
	}
	return around(x+7+w/2, y), "start", false
}
