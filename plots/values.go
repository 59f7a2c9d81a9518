package plots

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// values is one metric of results.csv, times 100, of several cells.
type values struct {
	cells     []results.Setting // in the order of their first row, also the skipped ones
	methods   []method          // the methods with at least one value, in the order of the input
	at        map[results.Place]float64
	simulated bool
	notes     []string // missing values
	none      []string // of the notes, the one of methods without any value
}

// values returns the values of a metric, of the trainings of a network their mean. A cell or
// method without a value is left out and noted.
func (in Input) values(metric string) (values, error) {
	rows := results.OverSeeds(lists.Where(in.Records, func(r results.Record) bool {
		return r.Metric == metric && (in.Methods == nil || slices.Contains(in.Methods, r.Method))
	}))
	v := values{at: map[results.Place]float64{}, cells: lists.Distinct(rows, func(r results.Record) results.Setting { return r.Setting })}
	seen := map[results.Place]bool{}
	var from source
	for _, r := range rows {
		at := results.Place{Setting: r.Setting, Method: r.Method}
		if seen[at] {
			return v, fmt.Errorf("method %q in %s: two rows of %s", r.Method, r.Setting.Name(), metric)
		}
		seen[at] = true
		if r.Status != results.OK {
			continue
		}
		if err := cmp.Or(r.Check(), from.add(r.Source)); err != nil {
			return v, fmt.Errorf("method %q in %s: %w", r.Method, r.Setting.Name(), err)
		}
		v.at[at] = 100 * r.Value
	}
	switch {
	case len(v.at) == 0 && metric == results.TimeMetric:
		return v, fmt.Errorf("no fit times: times.csv has none of these settings")
	case len(v.at) == 0:
		return v, fmt.Errorf("no rows of results.csv have a value of %s", metric)
	}
	v.simulated = from == simulated
	return v, v.choose(in, lists.Distinct(rows, func(r results.Record) string { return r.Method }))
}

// choose keeps the methods that have values, and notes the missing values.
func (v *values) choose(in Input, present []string) error {
	all, err := in.methods(present)
	if err != nil {
		return err
	}
	names := make([]string, len(v.cells))
	several := slices.ContainsFunc(v.cells, func(c results.Setting) bool { return c.Loss != v.cells[0].Loss })
	for i, c := range v.cells {
		names[i] = in.cellName(c)
		if several && c.Loss == "ce" {
			names[i] += " / " + in.Names.Name("loss", "ce")
		}
	}
	without := map[string][]string{}
	for _, m := range all {
		for i, c := range v.cells {
			if _, ok := v.at[results.Place{Setting: c, Method: m.id}]; !ok {
				without[m.id] = append(without[m.id], names[i])
			}
		}
	}
	v.methods, v.notes = missing(all, without, len(v.cells))
	if empty := lists.Where(all, func(m method) bool { return len(without[m.id]) == len(v.cells) }); len(empty) > 0 {
		v.none = []string{noValues(empty)}
	}
	return nil
}

// noValues is the note of methods without any value.
func noValues(methods []method) string {
	return fmt.Sprintf("No values of %s.", english.List(labels(methods)))
}

// missing returns the methods that have a value, and notes the cells without one, by
// method. Methods without a value in the same cells share a note. all is the number of
// cells.
func missing(methods []method, without map[string][]string, all int) (kept []method, notes []string) {
	lacking := lists.Where(methods, func(m method) bool { return len(without[m.id]) > 0 })
	keys, members := lists.Group(lacking, func(m method) string { return strings.Join(without[m.id], "\x00") })
	for _, list := range keys {
		same := members[list]
		who, cells := english.List(labels(same)), without[same[0].id]
		switch n := len(cells); {
		case n == all:
			notes = append(notes, noValues(same))
		case n <= 2:
			notes = append(notes, fmt.Sprintf("No value of %s in %s.", who, english.List(cells)))
		default:
			notes = append(notes, fmt.Sprintf("No value of %s in %d of %s, for example %s.", who, n, english.Count(all, "setting"), cells[0]))
		}
	}
	return lists.Where(methods, func(m method) bool { return len(without[m.id]) < all }), notes
}

// dots is a legend of the methods, with their markers alone.
func (v values) dots(width vg.Length) legend {
	keys := lists.Values(v.methods, func(m method) key { return key{m.label, MethodLook(m.id).dot} })
	return legend{keys: keys, width: width, dots: true}
}

// largest returns the largest value that the axis has to show, and whether others
// are beyond it.
func (v values) largest() (x float64, clipped bool) {
	return bulk(slices.Collect(maps.Values(v.at)), onePoint)
}

// fromZero is an axis in per cent from 0 to a little above the largest value, with
// about n ticks. It never ends below one per cent, so that noise does not fill the
// figure.
func fromZero(largest float64, n int) span {
	top := 1.06 * max(largest, 1)
	return span{min: 0, max: top, ticks: ticks(0, top, n)}
}

// oneNetwork returns the network of the cells, which must all be corrupted.
func (v values) oneNetwork() (results.Setting, error) {
	first := v.cells[0].Network()
	for _, c := range v.cells {
		if c.Network() != first {
			return first, fmt.Errorf("rows of two networks, %s and %s: a figure shows one", first.Name(), c.Network().Name())
		}
		if c.Corruption == "" || c.Severity == 0 {
			return first, fmt.Errorf("%s has no corruption or no severity", c.Name())
		}
	}
	return first, nil
}

// ranked checks the values of metrics. It returns the values of the first, and the rows of
// the methods that have a value of it.
func (in Input) ranked(names ...string) (values, []results.Record, error) {
	var first values
	for i, name := range names {
		v, err := in.values(name)
		if err != nil {
			return v, nil, err
		}
		if i == 0 {
			first = v
		}
	}
	labels := first.labels()
	records := lists.Where(in.Records, func(r results.Record) bool { return labels[r.Method] != "" && slices.Contains(names, r.Metric) })
	return first, records, nil
}

// labels returns the methods' names in print, by id.
func (v values) labels() map[string]string {
	byID := map[string]string{}
	for _, m := range v.methods {
		byID[m.id] = m.label
	}
	return byID
}
