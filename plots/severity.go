package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
)

// Severity draws the ECE of one network, in per cent, against the severity of the
// corruption. Each method has a line through the means over corruptions. One of them, QaTS
// or else the last, has around it a band from the first to the third quartile (with linear
// interpolation between neighbours): bands over each other cannot be told apart. Points stay exactly at their severity, because a shifted line would look
// like one with other values. Methods with the same printed means
// are drawn around each other and named together, as in "TS = QaTS".
//
// A mean is drawn only if it is over all corruptions of the rows. A mean over fewer
// would differ just because of the missing ones.
func Severity(in Input) (*Figure, error) {
	v, err := in.values("ece")
	if err != nil {
		return nil, figure.Severity.Errorf("%w", err)
	}
	one, err := v.oneNetwork()
	if err != nil {
		return nil, figure.Severity.Errorf("%w", err)
	}
	corruptions, severities := v.shifts()
	g := severityFigure{x: severitySpan(severities)}
	keys := legend{width: columnWidth - 8}
	var shown []string
	for _, m := range v.methods {
		s := v.spread(one, m, corruptions, severities)
		if len(s) == 0 {
			continue
		}
		g.curves, shown = append(g.curves, s), append(shown, m.label)
		g.shown = append(g.shown, m)
	}
	if len(g.curves) == 0 {
		return nil, figure.Severity.Errorf("no method has all %d corruptions at any severity", len(corruptions))
	}
	g.groups = coinciding(g.curves)
	for _, group := range g.groups {
		keys.keys = append(keys.keys, key{named(g.shown, group), around(strands(g.shown), group).sample})
	}
	g.banded = len(g.groups) - 1
	for i, group := range g.groups {
		if slices.ContainsFunc(group, func(j int) bool { return g.shown[j].id == "qats" }) {
			g.banded = i
		}
	}
	g.y = fromZero(g.top(), 6)
	note := fmt.Sprintf("Lines: means over %s. Band: from the first to the third quartile of %s.", english.Count(len(corruptions), "corruption"), named(g.shown, g.groups[g.banded]))
	over := fmt.Sprintf("mean over %d corruptions; the band holds the middle half of the values of %s", len(corruptions), named(g.shown, g.groups[g.banded]))
	if len(corruptions) == 1 {
		over = in.Names.Name("corruption", corruptions[0])
		note = fmt.Sprintf("One corruption: %s.", over)
	}
	notes := append([]string{note}, v.notes...)
	for _, group := range g.groups {
		if len(group) > 1 {
			notes = append(notes, named(g.shown, group)+": equal to two decimals at every severity.")
		}
	}
	if len(v.notes) > 0 {
		notes = append(notes, "A mean with a missing value is not drawn.")
	}
	s := sheet{title: in.cellName(one), simulated: v.simulated, width: columnWidth, stretches: figure.Severity.Stretches, keys: keys, notes: notes,
		caption: fmt.Sprintf("ECE of %s against the severity of the corruption (%s), for %s.", in.cellName(one), over, english.List(shown))}
	return s.figure(4+severityHeight+xMargin, g.draw), nil
}

const severityHeight vg.Length = 140 // of the panel

// severityFigure is the panel of the figure.
type severityFigure struct {
	shown  []method // with a line
	curves []course // of the methods shown
	groups [][]int  // of lines that coincide
	banded int      // the group with a band
	x, y   span
}

// top returns the largest value that the axis has to show.
func (g severityFigure) top() (top float64) {
	for i, group := range g.groups {
		for _, p := range g.curves[group[0]] {
			top = max(top, p.y)
			if i == g.banded {
				top = max(top, p.hi)
			}
		}
	}
	return top
}

func (g severityFigure) draw(c draw.Canvas, top vg.Length) {
	area := onePanel(c, g.y, rightMargin, xMargin, top-4)
	layers := []plot.Plotter{gridLines(g.y)}
	first := g.groups[g.banded][0]
	layers = append(layers, g.curves[first].band(MethodLook(g.shown[first].id), 1))
	for _, group := range g.groups {
		layers = append(layers, g.curves[group[0]].plotter(around(strands(g.shown), group)))
	}
	panel(c, area, g.x, g.y, layers...)
	titles(c, area, "Severity", "ECE (%)")
}

// severitySpan holds the severities, with room for markers at the ends.
func severitySpan(severities []int) span {
	s := span{min: float64(severities[0]) - 0.2, max: float64(severities[len(severities)-1]) + 0.2}
	for _, v := range severities {
		s.ticks = append(s.ticks, float64(v))
	}
	return s
}

// beside is the distance of the i-th of n methods from their common place. The
// methods are pitch apart.
func beside(i, n int, pitch vg.Length) vg.Length {
	return pitch * (vg.Length(i) - vg.Length(n-1)/2)
}

// shifts returns the corruptions of the cells and their severities in ascending
// order.
func (v values) shifts() (corruptions []string, severities []int) {
	severities = lists.Distinct(v.cells, func(c results.Setting) int { return c.Severity })
	slices.Sort(severities)
	return lists.Distinct(v.cells, func(c results.Setting) string { return c.Corruption }), severities
}

// spread returns the line of a method: the mean and the quartiles at each severity, per cent.
func (v values) spread(one results.Setting, m method, corruptions []string, severities []int) course {
	var s course
	for _, severity := range severities {
		one.Severity = severity
		var all []float64
		for _, one.Corruption = range corruptions {
			if x, ok := v.at[results.Place{Setting: one, Method: m.id}]; ok {
				all = append(all, x)
			}
		}
		if len(all) < len(corruptions) {
			continue
		}
		mean, first, third := Spread(all)
		x := float64(severity)
		apart := len(s) > 0 && s[len(s)-1].x != x-1
		s = append(s, point{x, mean, first, third, apart})
	}
	return s
}

// Spread returns the mean of values, of which there is at least one, and their first and third
// quartile, with linear interpolation between neighbours. It sorts the values, so that the sum
// does not depend on their order.
func Spread(values []float64) (mean, first, third float64) {
	slices.Sort(values)
	for _, x := range values {
		mean += x / float64(len(values))
	}
	return mean, quantile(values, 0.25), quantile(values, 0.75)
}

// quantile interpolates between sorted values, of which there is at least one
// (definition 7 of Hyndman and Fan 1996).
func quantile(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := int(math.Floor(h))
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + float64((h-float64(i))*(sorted[i+1]-sorted[i]))
}

// band draws the quartiles, one band of n: an area with dotted edges between
// neighbouring severities, and a bar at a severity without neighbours.
func (l course) band(look Look, n int) drawFunc {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		for i, p := range l {
			at := x(p.x)
			before, after := i > 0 && !p.apart, i+1 < len(l) && !l[i+1].apart
			if after {
				q := l[i+1]
				next := x(q.x)
				c.FillPolygon(translucent(look.Color, n), []vg.Point{{X: at, Y: y(p.lo)}, {X: next, Y: y(q.lo)}, {X: next, Y: y(q.hi)}, {X: at, Y: y(p.hi)}})
				edge := draw.LineStyle{Color: look.Color, Width: 0.5, Dashes: []vg.Length{0.8, 1.6}}
				c.StrokeLine2(edge, at, y(p.lo), next, y(q.lo))
				c.StrokeLine2(edge, at, y(p.hi), next, y(q.hi))
			}
			if !before && !after {
				c.StrokeLine2(stroke(look.Color, 0.8), at, y(p.lo), at, y(p.hi))
			}
		}
	}
}
