// Package resultstest builds rows of the CSV files for tests: measured values of 100 rows, on clean
// sets of networks that were trained with cross-entropy. A test changes the fields that it is about.
// Only tests import it.
package resultstest

import (
	"maps"
	"slices"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Setting is a clean setting of a network that was trained with cross-entropy.
func Setting(experiment, dataset, backbone string) results.Setting {
	return results.Setting{Experiment: experiment, Dataset: dataset, Backbone: backbone, Loss: "ce"}
}

// Shifted is the setting with a corrupted test set.
func Shifted(s results.Setting, corruption string, severity int) results.Setting {
	s.Corruption, s.Severity = corruption, severity
	return s
}

// Varied is a variant of the setting.
func Varied(s results.Setting, v results.Variant) results.Setting {
	s.Variant = v
	return s
}

// Value is a measured value of 100 rows.
func Value(s results.Setting, method, metric string, value float64) results.Record {
	return results.Record{Setting: s, Method: method, Metric: metric, Value: value, N: 100, Source: "measured", Status: results.OK}
}

// Skip is a cell of measured arrays that could not be computed.
func Skip(s results.Setting, method, metric, why string) results.Record {
	return results.Record{Setting: s, Method: method, Metric: metric, Source: "measured", Status: results.Skip, Note: results.Because(why)}
}

// Pair is a measured difference with its interval. The verdict, by the quantity that decides about the
// metric, has the same interval, and p .01 where the interval does not contain 0, else .5; where
// nothing decides there is none.
func Pair(s results.Setting, method, against, metric string, difference, lo, hi float64) results.Pair {
	pair := results.Pair{Setting: s, Method: method, Against: against, Metric: metric, Difference: difference, N: 100, Source: "measured",
		Interval: metrics.Percentile, Lo: lo, Hi: hi}
	e, _, _ := metrics.LookupOutput(metric)
	basis, ok := e.Judge(metric)
	if !ok {
		return pair
	}
	pair.Verdict = &metrics.Verdict{By: basis.Name, Difference: difference, Lo: lo, Hi: hi, P: .5}
	if lo > 0 || hi < 0 {
		pair.Verdict.P = .01
	}
	return pair
}

// Bin is a bin of measured rows; of the binning width15, bin i is from i/15 to (i + 1)/15.
func Bin(s results.Setting, method, binning string, bin int, lo, hi float64, n int, conf, acc float64) results.Bin {
	return results.Bin{Setting: s, Method: method, Binning: binning, Bin: bin, Lo: lo, Hi: hi, N: n, Conf: conf, Acc: acc, Source: "measured"}
}

// From returns copies of records, of another source.
func From(source string, records ...results.Record) []results.Record {
	return Each(records, func(r *results.Record) { r.Source = source })
}

// Noted returns copies of records, with a note.
func Noted(note results.Notes, records ...results.Record) []results.Record {
	return Each(records, func(r *results.Record) { r.Note = note })
}

// By returns copies of records, of another metric.
func By(metric string, records ...results.Record) []results.Record {
	return Each(records, func(r *results.Record) { r.Metric = metric })
}

// Each returns copies of rows with a change made to each.
func Each[T any](rows []T, change func(*T)) []T {
	rows = slices.Clone(rows)
	for i := range rows {
		change(&rows[i])
	}
	return rows
}

// Labels returns the names in print of methods that tests use, with those that replace some.
func Labels(others ...map[string]string) map[string]string {
	labels := map[string]string{"uncal": "Uncal", "ts": "TS", "ir": "IR", "tta-ts": "TTA-TS", "gc": "GC (one set)", "gc-split": "GC", "featclip": "FeatClip",
		"hfe": "HFE", "hfe-target": "HFE (target)", "qats": "QaTS", "qats-pw2": "QaTS-PW2", "qats-pw4": "QaTS-PW4", "qats-pw10": "QaTS-PW10"}
	for _, of := range others {
		maps.Copy(labels, of)
	}
	return labels
}

// Methods returns rows of methods.csv with these labels.
func Methods(experiment string) (list []results.MethodInfo) {
	labels := Labels()
	for _, id := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, results.MethodInfo{Experiment: experiment, Method: id, Label: labels[id], Registered: id, Version: 1, Source: results.OfQats})
	}
	return list
}
