package compare

import (
	"slices"
	"strconv"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Rankable returns the metrics of the rows that an agreement of rankings compares where
// none is named: all that have a direction, except accuracy, which most methods keep,
// and other numbers of bins. A metric without a value on more than a fifth of the
// settings is sparse and left out, because an agreement is over the settings of all its
// metrics.
func Rankable(records []results.Record) (names, sparse []string) {
	rows := results.Where(records, func(r results.Record) bool { return r.Status == results.OK && r.Corruption != results.Split })
	names = results.Where(results.Distinct(rows, func(r results.Record) string { return r.Metric }), func(name string) bool {
		e, _, ok := metrics.LookupOutput(name)
		return ok && e.Better != metrics.Neutral && e.Name != "accuracy" && e.Name != "ece_bins" && e.Name != "aece_bins"
	})
	rows = results.Where(rows, func(r results.Record) bool { return slices.Contains(names, r.Metric) })
	type value struct {
		metric  string
		setting results.Setting
	}
	found := results.Distinct(rows, func(r results.Record) value { return value{r.Metric, placeOf(r).setting} })
	_, of := results.Group(found, func(v value) string { return v.metric })
	all := len(results.Distinct(found, func(v value) results.Setting { return v.setting }))
	lacking := func(name string) bool { return float64(all-len(of[name])) > maxLacking*float64(all) }
	return slices.DeleteFunc(slices.Clone(names), lacking), results.Where(names, lacking)
}

// BinFamily returns the metrics that differ from ece or aece in the number of bins, and
// the metric itself, if the rows have them, in the order of their bins. It returns nil
// for other metrics.
func BinFamily(metric string, records []results.Record) (names []string, bins []int) {
	e, ok := metrics.Lookup(metric + "_bins")
	if !ok {
		return nil, nil
	}
	names, bins = []string{metric}, []int{15}
	for _, o := range e.Outputs {
		m, err := strconv.Atoi(o.Name[len(metric)+1:])
		if err == nil && slices.ContainsFunc(records, func(r results.Record) bool { return r.Metric == o.Name && r.Status == results.OK }) {
			at, _ := slices.BinarySearch(bins, m)
			names, bins = slices.Insert(names, at, o.Name), slices.Insert(bins, at, m)
		}
	}
	return names, bins
}
