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
// [results.Counts] says; variants are as there.
func Rankable(records []results.Record, variants []string) (names, sparse []string) {
	records, _ = results.Counted(records, nil, variants)
	rows := lists.Where(results.OverSeeds(records), func(r results.Record) bool { return r.Status == results.OK })
	names = lists.Where(lists.Distinct(rows, func(r results.Record) string { return r.Metric }), func(name string) bool {
		e, _, ok := metrics.LookupOutput(name)
		return ok && e.Better != metrics.Neutral && !e.Unranked
	})
	rows = lists.Where(rows, func(r results.Record) bool { return slices.Contains(names, r.Metric) })
	type value struct {
		metric  string
		setting results.Setting
	}
	found := lists.Distinct(rows, func(r results.Record) value { return value{r.Metric, r.Setting.WithoutExperiment()} })
	_, of := lists.Group(found, func(v value) string { return v.metric })
	all := len(lists.Distinct(found, func(v value) results.Setting { return v.setting }))
	lacking := func(name string) bool { return float64(all-len(of[name])) > maxLacking*float64(all) }
	return slices.DeleteFunc(slices.Clone(names), lacking), lists.Where(names, lacking)
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
