package metrics

import (
	"fmt"
	"slices"
	"strings"
)

// registry lists the metrics in the order of table columns. A metric is one file
// and one line here.
var registry = documented([]Entry{
	accuracyEntry,
	eceEntry,
	eceBandEntry,
	aeceEntry,
	aeceBandEntry,
	nllEntry,
	brierEntry,
	brierTopEntry,
	nllTopEntry,
	gapEntry,
	argmaxChangeEntry,
	aurocEntry,
	aurcEntry,
	mceEntry,
	mce30Entry,
	ksEntry,
	eceDebiasedEntry,
	eceSweepEntry,
	smECEEntry,
	eceTorchEntry,
	eceClasswiseEntry,
	eceBinsEntry,
	aeceBinsEntry,
	miouEntry,
	phiEntry,
	decompositionEntry,
	decompositionTSEntry,
	corpMCBEntry,
	corpDSCEntry,
	variationalEntry,
	variationalLpEntry,
	kuiperEntry,
	kuiperZEntry,
	rmsceEntry,
	aceEntry,
	mmceEntry,
	topLabelEntry,
	taceEntry,
	topFiveEntry,
	augrcEntry,
	ecePositiveEntry,
	oeEntry,
	slopeEntry,
	interceptEntry,
})

// documented returns the entries with the facts of doc comments.
func documented(list []Entry) []Entry {
	for i := range list {
		list[i].Sheet = factsOf[list[i].Name]
		if compute := list[i].Compute; list[i].Sized {
			list[i].Compute = func(s *Samples, seed uint64) ([]float64, error) {
				if s.scores != nil && s.scores.Unit != nil {
					return nil, errUnit
				}
				return compute(s, seed)
			}
		}
	}
	return list
}

// Registry returns all metrics in the order of table columns.
func Registry() []Entry { return slices.Clone(registry) }

// alwaysPaired are the metrics by which a run compares methods with the baseline, whether its spec asks for them or not.
// Verdicts answer which method is better: by NLL and Brier score, which decide, and by ECE and AECE, which papers report.
// Views and comparisons read the CSV files alone, so they could not show a verdict later that the run has not computed.
var alwaysPaired = []string{"ece", "aece", "nll", "brier"}

// AlwaysPaired reports whether methods are compared by the metric in each run.
func (e Entry) AlwaysPaired() bool { return slices.Contains(alwaysPaired, e.Name) }

// Paired returns the metrics by which Pairs compares methods if its options name none: those of each run.
func Paired() []Entry {
	return slices.DeleteFunc(Registry(), func(e Entry) bool { return !e.AlwaysPaired() })
}

// OtherBins returns the entry that has the metric with other numbers of bins; see Entry.BinsOf.
func OtherBins(metric string) (Entry, bool) {
	i := slices.IndexFunc(registry, func(e Entry) bool { return e.BinsOf != "" && e.BinsOf == metric })
	if i < 0 {
		return Entry{}, false
	}
	return registry[i], true
}

// Lookup returns the entry with the given name, which may be one of ECEOptions.
func Lookup(name string) (Entry, bool) {
	for _, e := range registry {
		if e.Name == name {
			return e, true
		}
	}
	if o, ok := optionsOf(name); ok {
		return o.Entry(), true
	}
	return Entry{}, false
}

// LookupOutput returns the output with the given name, as in results.csv, and the
// entry that gives it.
func LookupOutput(name string) (Entry, Output, bool) {
	for i := range registry {
		e := &registry[i]
		if i := slices.IndexFunc(e.Outputs, func(o Output) bool { return o.Name == name }); i >= 0 {
			return *e, e.Outputs[i], true
		}
	}
	if o, ok := optionsOf(name); ok {
		e := o.Entry()
		return e, e.Outputs[0], true
	}
	return Entry{}, Output{}, false
}

// Value returns the metric of the given name for the samples: "ece", "nll" and the other names of
// results.csv. Random draws and folds have the seed 1. An error names the metrics, if there is
// none of that name, or says why this one has no value.
func Value(name string, s *Samples) (float64, error) {
	e, _, ok := LookupOutput(name)
	if !ok {
		var names []string
		for _, e := range registry {
			names = append(names, e.Names()...)
		}
		return 0, fmt.Errorf("no metric %q (known: %s)", name, strings.Join(names, ", "))
	}
	values, err := e.Compute(s, 1)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return values[slices.Index(e.Names(), name)], nil
}
