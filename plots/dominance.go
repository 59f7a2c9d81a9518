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
	"github.com/qats-bench/qats/results"
)

// Dominance draws the accuracy of one method minus the accuracy of another, in
// percentage points, for all settings that have both, in ascending order. This is
// the paper's figure of QaTS against FeatClip. The title gives the share of settings
// above zero, and the legend gives it for each experiment. Equal accuracies do not
// count as above; the foot says how many there are. in.Methods names the two
// methods.
func Dominance(in Input) (*Figure, error) {
	if len(in.Methods) != 2 {
		return nil, fmt.Errorf("dominance figure: %s; it needs two, and compares the first with the second", english.Count(len(in.Methods), "method"))
	}
	v, err := in.values("accuracy")
	if err != nil {
		return nil, fmt.Errorf("dominance figure: %w", err)
	}
	both, err := in.methods(nil)
	if err != nil {
		return nil, fmt.Errorf("dominance figure: %w", err)
	}
	d := dominance{a: both[0], b: both[1]}
	for _, c := range v.cells {
		a, okA := v.at[place{c, d.a.id}]
		b, okB := v.at[place{c, d.b.id}]
		if okA && okB {
			d.points = append(d.points, difference{c, cellName(c), a - b})
			d.y = d.y.holding(a - b)
		}
	}
	if len(d.points) == 0 {
		return nil, fmt.Errorf("dominance figure: no setting has both %s and %s", d.a.id, d.b.id)
	}
	d.y = d.y.roomy(6, onePoint)
	slices.SortStableFunc(d.points, func(a, b difference) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.name, b.name))
	})
	above, below, all := d.count("")
	rest := fmt.Sprintf("Below in %d, equal in %d.", below, all-above-below)
	share := fmt.Sprintf("%s above %s in %d of %s (%.1f %%)", d.a.label, d.b.label, above, english.Count(all, "setting"), 100*float64(above)/float64(all))
	s := sheet{title: share, simulated: v.simulated, width: columnWidth, keys: d.legend(), notes: append([]string{rest}, v.notes...),
		caption: fmt.Sprintf("Accuracy of %s minus accuracy of %s in %s, in ascending order.", d.a.label, d.b.label, english.Count(len(d.points), "setting"))}
	f := s.figure(6+dominanceHeight+xMargin, d.draw)
	f.Notes = append([]string{share + "."}, f.Notes...) // for readers of the notes alone
	return f, nil
}

const dominanceHeight vg.Length = 130

// dominance is the layout of the figure.
type dominance struct {
	a, b   method
	points []difference // ascending
	y      span
}

// difference is the value of one setting.
type difference struct {
	cell  results.Setting
	name  string
	value float64 // accuracy of a minus accuracy of b, points
}

// count returns how many settings of an experiment, or of all if it is "", are above
// zero and below zero, and how many there are.
func (d dominance) count(experiment string) (above, below, all int) {
	for _, p := range d.points {
		if experiment != "" && p.cell.Experiment != experiment {
			continue
		}
		all++
		switch {
		case p.value > 0:
			above++
		case p.value < 0:
			below++
		}
	}
	return above, below, all
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
		above, _, all := d.count(e)
		name, look := experimentLook(e)
		l.keys = append(l.keys, key{fmt.Sprintf("%s %d/%d", name, above, all), look.dot})
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

func (d dominance) draw(c draw.Canvas, _ vg.Length) {
	area := onePanel(c, rightMargin, xMargin, dominanceHeight)
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
	titles(c, area, "Settings in ascending order", fmt.Sprintf("Accuracy of %s - %s (points)", d.a.label, d.b.label))
}
