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
	settings := map[string]map[results.Setting]bool{}
	all := map[results.Setting]bool{}
	for _, r := range records {
		if r.Status != results.OK || r.Corruption == results.Split {
			continue
		}
		has, known := settings[r.Metric]
		if !known {
			e, _, ok := metrics.LookupOutput(r.Metric)
			if ok && e.Better != metrics.Neutral && e.Name != "accuracy" && e.Name != "ece_bins" && e.Name != "aece_bins" {
				names, has = append(names, r.Metric), map[results.Setting]bool{}
			}
			settings[r.Metric] = has
		}
		if has != nil {
			r.Setting.Experiment = ""
			has[r.Setting], all[r.Setting] = true, true
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		lacking := float64(len(all)-len(settings[name])) > maxLacking*float64(len(all))
		if lacking {
			sparse = append(sparse, name)
		}
		return lacking
	})
	return names, sparse
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
