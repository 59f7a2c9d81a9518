package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
)

// Dominance draws the accuracy of one method minus the accuracy of another, or another
// metric that in.Metrics names, for all settings that have both, in ascending order: in
// percentage points, or in the unit of a metric that is not a fraction. With accuracy this is
// the paper's figure of QaTS against FeatClip. The title gives the share of settings in which
// the first method is better: above the second, or below it by a metric of which less is
// better. The legend gives the share for each experiment. Equal values do not count as
// better; the foot says how many there are. in.Methods names the two methods.
func Dominance(in Input) (*Figure, error) {
	if len(in.Methods) != 2 {
		return nil, figure.Dominance.Errorf("%s; it needs two, and compares the first with the second", english.Count(len(in.Methods), "method"))
	}
	metric := "accuracy"
	if len(in.Metrics) > 0 {
		metric = in.Metrics[0]
	}
	v, err := in.values(metric)
	if err != nil {
		return nil, figure.Dominance.Errorf("%w", err)
	}
	both, err := in.methods(nil)
	if err != nil {
		return nil, figure.Dominance.Errorf("%w", err)
	}
	d := dominance{a: both[0], b: both[1], metric: results.Name("metric", metric), unit: " (points)", scale: 1}
	least := float64(onePoint)
	if e, _, ok := metrics.LookupOutput(metric); ok {
		d.lower = e.Better == metrics.Lower
		if !e.Percent {
			d.unit, d.scale, least = "", 0.01, 0.01
		}
	}
	for _, c := range v.cells {
		a, okA := v.at[results.Place{Setting: c, Method: d.a.id}]
		b, okB := v.at[results.Place{Setting: c, Method: d.b.id}]
		if okA && okB {
			d.points = append(d.points, difference{c, in.cellName(c), d.scale * (a - b)})
			d.y = d.y.holding(d.scale * (a - b))
		}
	}
	if len(d.points) == 0 {
		return nil, figure.Dominance.Errorf("no setting has both %s and %s", d.a.id, d.b.id)
	}
	d.y = d.y.roomy(6, least)
	slices.SortStableFunc(d.points, func(a, b difference) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.name, b.name))
	})
	better, worse, all := d.count("")
	sides := [2]string{"above", "Below"}
	if d.lower {
		sides = [2]string{"below", "Above"}
	}
	rest := fmt.Sprintf("%s in %d, equal in %d.", sides[1], worse, all-better-worse)
	share := fmt.Sprintf("%s %s %s in %d of %s (%.1f %%)", d.a.label, sides[0], d.b.label, better, english.Count(all, "setting"), 100*float64(better)/float64(all))
	s := sheet{title: share, simulated: v.simulated, width: columnWidth, stretches: figure.Dominance.Stretches, keys: d.legend(), notes: append([]string{rest}, v.notes...),
		caption: fmt.Sprintf("%s of %s minus that of %s in %s, in ascending order.", d.metric, d.a.label, d.b.label, english.Count(len(d.points), "setting"))}
	f := s.figure(6+dominanceHeight+xMargin, d.draw)
	f.Notes = append([]string{share + "."}, f.Notes...) // for readers of the notes alone
	return f, nil
}

const dominanceHeight vg.Length = 130

// dominance is the layout of the figure.
type dominance struct {
	a, b   method
	metric string       // in print
	unit   string       // of the axis, in brackets
	scale  float64      // of values times 100
	lower  bool         // less is better
	points []difference // ascending
	y      span
}

// difference is the value of one setting.
type difference struct {
	cell  results.Setting
	name  string
	value float64 // of a minus that of b
}

// count returns in how many settings of an experiment, or of all if it is "", the first
// method is better and worse, and how many there are.
func (d dominance) count(experiment string) (better, worse, all int) {
	for _, p := range d.points {
		if experiment != "" && p.cell.Experiment != experiment {
			continue
		}
		all++
		sign := results.Sign(p.value / (100 * d.scale)) // of the difference in results.csv, as Alike is
		switch {
		case sign == 0:
		case (sign > 0) != d.lower:
			better++
		default:
			worse++
		}
	}
	return better, worse, all
}

// experiments returns the experiments with points, sorted.
func (d dominance) experiments() []string {
	list := lists.Distinct(d.points, func(p difference) string { return p.cell.Experiment })
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(rankOf(a), rankOf(b)), strings.Compare(a, b)) })
	return list
}

func (d dominance) legend() legend {
	l := legend{width: columnWidth - 8, dots: true}
	if len(d.experiments()) == 1 {
		return l // the title counts them
	}
	for _, e := range d.experiments() {
		better, _, all := d.count(e)
		name, look := experimentLook(e)
		l.keys = append(l.keys, key{fmt.Sprintf("%s %d/%d", name, better, all), look.dot})
	}
	return l
}

// experimentLooks are the looks of the paper's groups of settings, in the paper's
// order. They differ from the colours of methods.
var experimentLooks = []struct {
	experiment, name string
	look             Look
}{
	{"standard", "Standard", Look{Color: hex(0x33557A), Marker: circle}},
	{"longtail", "Long-tailed", Look{Color: hex(0xB8860B), Marker: up}},
	{"shift", "Shift", Look{Color: hex(0x7AA6C2), Marker: box}},
	{"medical", "Medical", Look{Color: hex(0x9C3B5A), Marker: diamond}},
	{"tasks", "Tasks", Look{Color: hex(0x111111), Marker: down}},
}

// experimentLook returns the name and the look of a group. A group that is not in
// the paper gets a look from a hash of its id, as a method does.
func experimentLook(experiment string) (name string, look Look) {
	if i := rankOf(experiment); i < len(experimentLooks) {
		return experimentLooks[i].name, experimentLooks[i].look
	}
	return printable(experiment), MethodLook("experiment " + experiment)
}

// rankOf is the place of an experiment in the paper. Experiments that are not in
// the paper share the last place.
func rankOf(experiment string) int {
	for i, l := range experimentLooks {
		if l.experiment == experiment {
			return i
		}
	}
	return len(experimentLooks)
}

func (d dominance) draw(c draw.Canvas, top vg.Length) {
	area := onePanel(c, d.y, rightMargin, xMargin, top-6)
	n := float64(len(d.points))
	x := span{min: 0.5 - 0.02*n, max: 0.5 + 1.02*n}
	x.ticks = slices.DeleteFunc(ticks(x.min, x.max, 6), func(v float64) bool { return v != float64(int(v)) || v < 1 })
	panel(c, area, x, d.y, gridLines(d.y), zeroLine, drawFunc(func(c draw.Canvas, x, y func(float64) vg.Length) {
		for i, q := range d.points {
			_, look := experimentLook(q.cell.Experiment)
			marker := look.glyph()
			marker.Radius = 1.7 // small, because there are many settings
			c.DrawGlyph(marker, vg.Point{X: x(float64(i + 1)), Y: y(q.value)})
		}
	}))
	titles(c, area, "Settings in ascending order", fmt.Sprintf("%s of %s - %s%s", d.metric, d.a.label, d.b.label, d.unit))
}
