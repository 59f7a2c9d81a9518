package compare

import (
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Rankable returns the metrics of the rows that an agreement of rankings compares where none
// is named: all that have a direction and are not metrics.Entry.Unranked. A metric without a
// value on more than a fifth of the settings is sparse and left out, because an agreement is
// over the settings of all its metrics. The settings are those that count, as
// [results.Counts] says; variants are as there. Experiments whose values of a setting differ are
// an error.
func Rankable(records []results.Record, variants []string) (names, sparse []string, err error) {
	rows := lists.Where(records, func(r results.Record) bool {
		e, _, ok := metrics.LookupOutput(r.Metric)
		return ok && e.Better.Ranks() && !e.Unranked && r.Status == results.OK
	})
	cube, err := results.NewCube(rows, nil, results.View{Variants: variants})
	if err != nil {
		return nil, nil, err
	}
	all := float64(len(cube.Settings()))
	for _, name := range lists.Distinct(rows, func(r results.Record) string { return r.Metric }) {
		switch n := float64(cube.Valued(name)); {
		case n == 0: // of settings that do not count
		case all-n > maxLacking*all:
			sparse = append(sparse, name)
		default:
			names = append(names, name)
		}
	}
	return names, sparse, nil
}

// BinFamily returns a metric and its forms with other numbers of bins, as far as the rows
// have them, in the order of their bins. It returns nil for a metric without such forms.
func BinFamily(metric string, records []results.Record) (names []string, bins []int) {
	e, ok := metrics.OtherBins(metric)
	if !ok {
		return nil, nil
	}
	names, bins = []string{metric}, []int{15}
	for i, o := range e.Outputs {
		m := e.Bins[i]
		if slices.ContainsFunc(records, func(r results.Record) bool { return r.Metric == o.Name && r.Status == results.OK }) {
			at, _ := slices.BinarySearch(bins, m)
			names, bins = slices.Insert(names, at, o.Name), slices.Insert(bins, at, m)
		}
	}
	return names, bins
}
