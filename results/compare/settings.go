package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Block says which settings count as one trial.
type Block string

// The blocks. Settings of a dataset share test samples, and so may data sets that are
// made of one collection ([results.TestSamplesOf]); settings of a network share its
// calibration set too.
const (
	BySamples Block = "samples" // all data sets that may share test samples
	ByDataset Block = "dataset" // all networks and corruptions of a dataset
	ByNetwork Block = "network" // dataset, backbone and loss: its corruptions and variants
	BySetting Block = "setting" // each setting by itself
)

// Blocks returns all kinds of blocks, the default first.
func Blocks() []Block { return []Block{BySamples, ByDataset, ByNetwork, BySetting} }

// block returns the name of the block of a setting.
func (v values) block(c results.Setting, by Block) string {
	switch by {
	case ByNetwork:
		return c.Network().Name()
	case BySetting:
		return c.Name()
	case ByDataset:
		return c.Dataset
	}
	return v.samples[c].Block
}

// place is a method on a setting.
type place struct {
	setting results.Setting // without its experiment
	method  string
}

// placeOf returns the place of a record.
func placeOf(r results.Record) place {
	r.Setting.Experiment = ""
	return place{r.Setting, r.Method}
}

// values are the records of one metric. The experiment is not part of a setting: a
// setting that several experiments ran counts once.
type values struct {
	settings []results.Setting // in the order of their first row
	methods  []string
	at       map[place]results.Record
	samples  map[results.Setting]results.TestSamples
	pairs    map[place]results.Pair // with the method compared against
}

// read arranges the rows of a metric of the settings that count ([results.Counts]). Two
// experiments with different values of one method on one setting are an error. Several
// trainings of a network count as one, by their mean.
func read(records []results.Record, pairs []results.Pair, o Options) (values, error) {
	records, pairs = results.Counted(records, pairs, o.Variants)
	every := func(results.Setting) bool { return true }
	return readEach(results.OverSeeds(records), results.PairsOverSeeds(pairs), o.Metric, o.Against, every)
}

// readEach arranges the rows of a metric of the settings that is says, without means over seeds.
// Of redrawn splits and of seeds, which it is for and which are described but not tested, the
// last row counts, as for their pairs.
func readEach(records []results.Record, pairs []results.Pair, metric, against string, is func(results.Setting) bool) (values, error) {
	rows := lists.Where(records, func(r results.Record) bool { return r.Metric == metric && is(r.Setting) })
	v := values{
		settings: lists.Distinct(rows, func(r results.Record) results.Setting { return placeOf(r).setting }),
		methods:  lists.Distinct(rows, func(r results.Record) string { return r.Method }),
		at:       map[place]results.Record{}, samples: results.TestSamplesOf(rows), pairs: map[place]results.Pair{},
	}
	for _, r := range rows {
		at := placeOf(r)
		switch before, twice := v.at[at]; {
		case !twice || before.Status != results.OK:
			v.at[at] = r
		case r.Status != results.OK || r.Value == before.Value && r.Source == before.Source:
		case r.Variant != (results.Variant{}) && (r.Variant.Split > 0 || r.Variant.Training > 0):
			v.at[at] = r
		default:
			return v, fmt.Errorf("%s of %s on %s is %g in experiment %s and %g in %s: compare one experiment at a time",
				metric, r.Method, r.Setting.Name(), before.Value, before.Experiment, r.Value, r.Experiment)
		}
	}
	for _, p := range pairs {
		if p.Metric != metric || !is(p.Setting) {
			continue
		}
		setting := p.Setting
		setting.Experiment = ""
		switch against {
		case p.Against:
			v.pairs[place{setting, p.Method}] = p
		case p.Method: // the same comparison from the other side
			if _, has := v.pairs[place{setting, p.Against}]; !has {
				v.pairs[place{setting, p.Against}] = p.Turned()
			}
		}
	}
	return v, nil
}

// takeLogarithms replaces the numbers, which are times, by their natural logarithms.
func (v values) takeLogarithms() {
	for at, r := range v.at {
		if r.Status == results.OK {
			r.Value = math.Log(max(r.Value, leastTime))
			v.at[at] = r
		}
	}
}

// from returns the values of the settings of a source.
func (v values) from(source string) values {
	kept := v
	kept.settings = lists.Where(v.settings, func(s results.Setting) bool { return v.source(s) == source })
	return kept
}

// source returns the source of the numbers of a setting, which its methods share, or
// nothing if no row has one.
func (v values) source(setting results.Setting) string {
	for _, m := range v.methods {
		if r := v.at[place{setting, m}]; r.Source != "" {
			return r.Source
		}
	}
	return ""
}

// value returns the number of a method on a setting, or why there is none.
func (v values) value(setting results.Setting, method string) (x float64, ok bool, why string) {
	r, has := v.at[place{setting, method}]
	switch {
	case !has:
		return 0, false, "was not run"
	case r.Status != results.OK:
		return 0, false, r.Note.String()
	}
	return r.Value, true, ""
}

// records returns the rows with a value.
func (v values) records(settings []results.Setting) []results.Record {
	var list []results.Record
	for _, s := range settings {
		for _, m := range v.methods {
			if r, has := v.at[place{s, m}]; has && r.Status == results.OK {
				list = append(list, r)
			}
		}
	}
	return list
}

// byNature reports whether a method cannot have the metric: it has no value of it
// on any setting, and [results.NoVector] is a reason.
func (v values) byNature(method string) bool {
	found := false
	for _, s := range v.settings {
		switch r, has := v.at[place{s, method}]; {
		case !has:
		case r.Status == results.Skip && r.Note.Has(results.NoVector):
			found = true
		case r.Status == results.OK:
			return false
		}
	}
	return found
}

// blocks arranges settings by their block. Blocks are in the order of their first
// settings.
func (v values) blocks(settings []results.Setting, by Block) (names []string, members map[string][]results.Setting) {
	return lists.Group(settings, func(s results.Setting) string { return v.block(s, by) })
}

// blockDatasets returns the blocks of all settings, the data sets in each and, where
// blocks are of common test samples, what they rest on.
func (v values) blockDatasets(by Block) (names []string, datasets map[string][]string, bases map[string][]results.Basis) {
	names, members := v.blocks(v.settings, by)
	datasets, bases = map[string][]string{}, map[string][]results.Basis{}
	for b, settings := range members {
		datasets[b] = lists.Distinct(settings, func(s results.Setting) string { return s.Dataset })
		if by == BySamples {
			bases[b] = lists.Where(results.Bases(), func(basis results.Basis) bool {
				return slices.ContainsFunc(settings, func(s results.Setting) bool { return slices.Contains(v.samples[s].By, basis) })
			})
		}
	}
	return names, datasets, bases
}

// mean returns the mean of f over the settings of a block: the mean over data sets of
// the means over the settings of each. So the 75 corrupted sets of one network do not
// outweigh the clean sets of their block.
func mean(settings []results.Setting, f func(results.Setting) float64) float64 {
	names, members := lists.Group(settings, func(s results.Setting) string { return s.Dataset })
	var sum float64
	for _, name := range names {
		var of float64
		for _, s := range members[name] {
			of += f(s)
		}
		sum += of / float64(len(members[name]))
	}
	return sum / float64(len(names))
}
