package spec

import (
	"cmp"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// maxSettings bounds the grids of a spec, so that a typing error is reported and
// does not fill a disk.
const maxSettings = 100_000

// MaxSplits bounds the draws of one setting.
const MaxSplits = 1000

// Setting is one test set of one network: a row of the paper's tables.
type Setting struct {
	results.Setting
	CalibrateOn string // dataset whose calibration set is used; empty for the setting's own dataset
}

// Test returns the set on which methods are evaluated, before the plan applies the variant.
func (s *Setting) Test() data.Ref {
	return data.Ref{Dataset: s.Dataset, Backbone: s.Backbone, Loss: s.Loss, Corruption: s.Corruption, Severity: s.Severity, Split: data.Test}
}

// Cal returns the set on which methods are fitted: clean images, of another dataset
// if the spec says calibrate_on.
func (s *Setting) Cal() data.Ref {
	return data.Ref{Dataset: cmp.Or(s.CalibrateOn, s.Dataset), Backbone: s.Backbone, Loss: s.Loss, Split: data.Cal}
}

// String returns the setting as messages name it.
func (s *Setting) String() string { return s.Setting.Name() }

// grid is one item of a spec's settings: the product of its lists.
type grid struct {
	datasets, backbones, losses, corruptions []string
	severities                               []int
	rescales                                 []float64
	splits                                   int
	testShares                               bool
	calibrateOn                              string
}

// settings reads the list of grids. The order is that of the file; within a
// grid the last list varies fastest (dataset, backbone, loss, corruption,
// severity, variant).
func (r *reader) settings(n *yaml.Node, experiment string) []Setting {
	var all []Setting
	first := map[results.Setting]*yaml.Node{}
	r.list(n, func(item *yaml.Node) {
		g, ok := r.grid(item)
		if !ok {
			return
		}
		for _, s := range g.expand(experiment) {
			if len(all) == maxSettings {
				r.errorf(item, "more than %d settings", maxSettings)
				return
			}
			if earlier := first[s.Setting]; earlier != nil {
				r.errorf(item, "duplicate setting %s (first in the grid at line %d)", &s, earlier.Line)
				return
			}
			first[s.Setting] = item
			all = append(all, s)
		}
	})
	return all
}

// grid reads one grid, and reports whether it has no mistake.
func (r *reader) grid(item *yaml.Node) (grid, bool) {
	g := grid{losses: []string{"ce"}}
	before := len(r.errs)
	r.keys(item, "a setting", r.settingKeys(&g))
	if len(r.errs) > before {
		return g, false
	}
	switch {
	case len(g.datasets) == 0 || len(g.backbones) == 0:
		r.errorf(item, "a setting needs dataset and backbone")
	case (len(g.corruptions) == 0) != (len(g.severities) == 0):
		r.errorf(item, "corruption and severity are given together or not at all")
	case g.testShares && (g.splits > 0 || len(g.rescales) > 0 || len(g.corruptions) > 0 || g.calibrateOn != ""):
		r.errorf(item, "test_shares changes clean test sets with their own calibration set; leave out corruption, severity, rescale, splits and calibrate_on")
	case len(g.rescales) > 0 && len(g.corruptions) > 0:
		r.errorf(item, "rescale applies to clean images; leave out corruption and severity")
	case g.splits > 0 && (len(g.rescales) > 0 || len(g.corruptions) > 0 || g.calibrateOn != ""):
		r.errorf(item, "splits redraws clean images and their own calibration set; leave out corruption, severity, rescale and calibrate_on")
	}
	return g, len(r.errs) == before
}

// settingKeys are the keys of a grid.
func (r *reader) settingKeys(g *grid) []Key {
	draws := fmt.Sprintf("give a number of draws from 1 to %d", MaxSplits)
	shares := func(n *yaml.Node) {
		s, ok := r.scalar(n, "test_shares")
		if g.testShares = s == "calibration"; ok && !g.testShares {
			r.errorf(n, "test_shares %q: want calibration, or leave the key out", s)
		}
	}
	return []Key{
		{Name: "dataset", Type: IDs, read: r.ids(&g.datasets, "dataset"), Required: true, Meaning: "Data sets.", Example: "cifar10"},
		{Name: "backbone", Type: IDs, read: r.ids(&g.backbones, "backbone"), Required: true, Meaning: "Networks.", Example: "[resnet50, densenet40]"},
		{Name: "loss", Type: IDs, read: r.ids(&g.losses, "loss"), Default: "ce", Meaning: "Training losses.", Example: "[ce, focal]"},
		{Name: "corruption", Type: IDs, read: r.ids(&g.corruptions, "corruption"), Default: "none: clean images", Meaning: "Corruptions of the test images; needs severity.", Example: "[fog, snow]"},
		{Name: "severity", Type: Counts, read: r.severities(&g.severities), Default: "none: clean images", Meaning: "Severities, 1 to 5; needs corruption.", Example: "[1, 3, 5]"},
		{Name: "rescale", Type: Numbers, read: r.rescales(&g.rescales), Default: "none", Meaning: "Factors on the test logits, 1e-6 to 1e6, one setting each. The calibration set stays as it is. Not with corruption.", Example: "[0.5, 2]"},
		{Name: "splits", Type: Count, read: r.whole(&g.splits, "splits", 1, MaxSplits, draws), Most: MaxSplits, Default: "none", Meaning: "How many times calibration and test rows are redrawn from their union, one setting each, at most 1000. Not with corruption, rescale or calibrate_on.", Example: "20"},
		{Name: "test_shares", Type: Text, read: shares, Choices: []string{"calibration"}, Default: "none", Meaning: "calibration thins out the test rows to the class shares of the calibration set: the skewed test set of a long-tailed network, without label shift. Not with corruption, rescale, splits or calibrate_on.", Example: "calibration"},
		{Name: "calibrate_on", Type: ID, read: r.oneID(&g.calibrateOn, "calibrate_on"), Default: "the dataset itself", Meaning: "Data set whose calibration set is used.", Example: "cifar10"},
	}
}

// variants returns the variants of the grid's settings, at least one.
func (g grid) variants() []results.Variant {
	var list []results.Variant
	for _, factor := range g.rescales {
		list = append(list, results.Variant{Rescale: factor})
	}
	for draw := range g.splits {
		list = append(list, results.Variant{Split: draw + 1})
	}
	if list == nil {
		list = []results.Variant{{TestShares: g.testShares}}
	}
	return list
}

// expand returns the product of the lists.
func (g grid) expand(experiment string) []Setting {
	corruptions, severities, variants := g.corruptions, g.severities, g.variants()
	if len(corruptions) == 0 {
		corruptions, severities = []string{""}, []int{0}
	}
	var list []Setting
	for _, dataset := range g.datasets {
		for _, backbone := range g.backbones {
			for _, loss := range g.losses {
				for _, corruption := range corruptions {
					for _, severity := range severities {
						for _, variant := range variants {
							if len(list) > maxSettings {
								return list
							}
							list = append(list, Setting{
								Setting: results.Setting{Experiment: experiment, Dataset: dataset, Backbone: backbone,
									Loss: loss, Corruption: corruption, Severity: severity, Variant: variant},
								CalibrateOn: g.calibrateOn,
							})
						}
					}
				}
			}
		}
	}
	return list
}

// severities reads severities from 1 to 5, as in the corruption benchmarks
// (Hendrycks and Dietterich 2019).
func (r *reader) severities(dst *[]int) func(*yaml.Node) {
	return listOf(r, dst, "severity", func(one *int) func(*yaml.Node) {
		return r.whole(one, "severity", 1, 5, "severities are 1 to 5; leave the key out for clean images")
	})
}

// rescales reads factors on the test logits. They are bounded so that float32
// logits keep their digits.
func (r *reader) rescales(dst *[]float64) func(*yaml.Node) {
	return listOf(r, dst, "rescale", func(one *float64) func(*yaml.Node) {
		return func(item *yaml.Node) {
			before := len(r.errs)
			if r.number(one, "rescale")(item); len(r.errs) == before && !(*one >= 1e-6 && *one <= 1e6) {
				r.errorf(item, "rescale %g: a factor is 1e-6 to 1e6", *one)
			}
		}
	})
}
