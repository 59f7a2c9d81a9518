package plots

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/qats-bench/qats/results"
)

// place is where a value stands.
type place struct {
	cell   results.Cell
	method string
}

// values is one metric of results.csv, in per cent, of several cells.
type values struct {
	cells     []results.Cell // in the order of their first row, skipped ones too
	methods   []method       // those with a value at all, in the order asked for
	at        map[place]float64
	simulated bool
	notes     []string // what is missing
}

// values returns the metric, a fraction in [0, 1], of the rows that are ok. A
// cell or method without a value is left out and noted.
func (in Input) values(metric string) (values, error) {
	v := values{at: map[place]float64{}}
	var seen []string
	cells, status := map[results.Cell]bool{}, map[place]bool{}
	source := ""
	for _, r := range in.Records {
		if r.Metric != metric || in.Methods != nil && !slices.Contains(in.Methods, r.Method) {
			continue
		}
		if !slices.Contains(seen, r.Method) {
			seen = append(seen, r.Method)
		}
		if !cells[r.Cell] {
			cells[r.Cell] = true
			v.cells = append(v.cells, r.Cell)
		}
		at := place{r.Cell, r.Method}
		if status[at] {
			return v, fmt.Errorf("method %q in %s: two rows of %s", r.Method, cellName(r.Cell), metric)
		}
		status[at] = true
		if r.Status != results.OK {
			continue
		}
		switch {
		case r.Source != measured && r.Source != simulated:
			return v, fmt.Errorf("method %q in %s: source %q is neither %s nor %s", r.Method, cellName(r.Cell), r.Source, measured, simulated)
		case !unit(r.Value):
			return v, fmt.Errorf("method %q in %s: %s %v is not in [0, 1]", r.Method, cellName(r.Cell), metric, r.Value)
		case source != "" && r.Source != source:
			return v, fmt.Errorf("method %q in %s: %s rows beside %s ones: one figure never mixes them", r.Method, cellName(r.Cell), r.Source, source)
		}
		source = r.Source
		v.at[at] = 100 * r.Value
	}
	if len(v.at) == 0 {
		return v, fmt.Errorf("no rows of results.csv have a value of %s", metric)
	}
	v.simulated = source == simulated
	return v, v.choose(in, seen)
}

// choose keeps the methods that have values, and notes what others lack.
func (v *values) choose(in Input, present []string) error {
	all, err := in.methods(present)
	if err != nil {
		return err
	}
	names := make([]string, len(v.cells))
	several := slices.ContainsFunc(v.cells, func(c results.Cell) bool { return c.Loss != v.cells[0].Loss })
	for i, c := range v.cells {
		names[i] = in.cellName(c)
		if several && c.Loss == "ce" {
			names[i] += " / " + in.name("loss", "ce")
		}
		if err := ascii("name of the cell", names[i]); err != nil {
			return err
		}
	}
	without := map[string][]string{}
	for _, m := range all {
		for i, c := range v.cells {
			if _, ok := v.at[place{c, m.id}]; !ok {
				without[m.id] = append(without[m.id], names[i])
			}
		}
		if len(without[m.id]) < len(v.cells) {
			v.methods = append(v.methods, m)
		}
	}
	v.notes = lacking(all, without, len(v.cells))
	return nil
}

// lacking notes the cells, of all, in which methods have nothing to show; those
// that lack the same share a note.
func lacking(methods []method, without map[string][]string, all int) []string {
	var notes []string
	done := map[string]bool{}
	for i, m := range methods {
		cells := without[m.id]
		if len(cells) == 0 || done[m.id] {
			continue
		}
		var labels []string
		for _, other := range methods[i:] {
			if slices.Equal(without[other.id], cells) {
				done[other.id] = true
				labels = append(labels, other.label)
			}
		}
		who := enumerate(labels)
		switch n := len(cells); {
		case n == all:
			notes = append(notes, fmt.Sprintf("No values of %s.", who))
		case n <= 2:
			notes = append(notes, fmt.Sprintf("No value of %s in %s.", who, enumerate(cells)))
		default:
			notes = append(notes, fmt.Sprintf("No value of %s in %d of %d settings, such as %s.", who, n, all, cells[0]))
		}
	}
	return notes
}

// enumerate joins a list as a sentence does; it is not empty.
func enumerate(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// dots is the legend of the methods that v shows.
func (v values) dots(width vg.Length) legend {
	l := legend{width: width, dots: true}
	for _, m := range v.methods {
		l.keys = append(l.keys, key{m.label, MethodLook(m.id).dot})
	}
	return l
}

// most returns the largest value shown.
func (v values) most() float64 {
	most := 0.0
	for _, x := range v.at {
		most = max(most, x)
	}
	return most
}

// fromZero is an axis of per cents from 0 to a little above most, but never
// less than a point: noise should not fill the figure.
func fromZero(most float64, n int) span {
	top := 1.06 * max(most, 1)
	return span{min: 0, max: top, ticks: ticks(0, top, n)}
}

// network returns the cell of c without its corruption and severity.
func network(c results.Cell) results.Cell {
	c.Corruption, c.Severity = "", 0
	return c
}

// oneNetwork returns the network of cells that are all corrupted.
func (v values) oneNetwork() (results.Cell, error) {
	first := network(v.cells[0])
	for _, c := range v.cells {
		if network(c) != first {
			return first, fmt.Errorf("rows of two networks, %s and %s: a figure shows one", cellName(first), cellName(network(c)))
		}
		if c.Corruption == "" || c.Severity == 0 {
			return first, fmt.Errorf("%s has no corruption or no severity", cellName(c))
		}
	}
	return first, nil
}
