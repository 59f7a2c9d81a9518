package spec

import (
	"cmp"
	"strconv"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
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

	FirstPositive bool // of two classes the first is the positive one, and not metrics.Positive
}

// Test returns the set on which methods are evaluated, before the plan applies the variant.
func (s *Setting) Test() data.Ref {
	return data.Ref{Dataset: s.Dataset, Backbone: s.network(), Loss: s.Loss, Corruption: s.Corruption, Severity: s.Severity, Split: data.Test}
}

// Cal returns the set on which methods are fitted: clean images, of another dataset
// if the spec says calibrate_on.
func (s *Setting) Cal() data.Ref {
	return data.Ref{Dataset: cmp.Or(s.CalibrateOn, s.Dataset), Backbone: s.network(), Loss: s.Loss, Split: data.Cal}
}

// network returns the name that the network has in folders of arrays: the backbone, and
// "-seed3" behind it for a training with that seed.
func (s *Setting) network() string {
	if n := s.Variant.Training; n > 0 {
		return s.Backbone + "-seed" + strconv.Itoa(n-1)
	}
	return s.Backbone
}

// String returns the setting as messages name it.
func (s *Setting) String() string { return s.Setting.Name() }

// grid is one item of a spec's settings: the product of its lists.
type grid struct {
	Dataset     []string  `key:"dataset" as:"id" required:"" nonempty:"" help:"Data sets." example:"cifar10"`
	Backbone    []string  `key:"backbone" as:"id" required:"" nonempty:"" help:"Networks." example:"[resnet50, densenet40]"`
	Loss        []string  `key:"loss" as:"id" nonempty:"" default:"ce" help:"Training losses." example:"[ce, focal]"`
	Corruption  []string  `key:"corruption" as:"id" nonempty:"" default:"none: clean images" help:"Corruptions of the test images; needs severity." example:"[fog, snow]"`
	Severity    []int     `key:"severity" nonempty:"" range:"1 to 5" want:"severities are 1 to 5; leave the key out for clean images" default:"none: clean images" help:"Severities, 1 to 5; needs corruption." example:"[1, 3, 5]"`
	Rescale     []float64 `key:"rescale" nonempty:"" range:"1e-6 to 1e6" want:"a factor is 1e-6 to 1e6" default:"none" help:"Factors on the test logits, 1e-6 to 1e6, one setting each. The calibration set stays as it is. Not with corruption." example:"[0.5, 2]"`
	Splits      int       `key:"splits" range:"1 to 1000" want:"give a number of draws from 1 to 1000" default:"none" help:"How many times calibration and test rows are redrawn from their union, one setting each, at most 1000. Not with corruption, rescale or calibrate_on." example:"20"`
	TestShares  string    `key:"test_shares" of:"calibration" default:"none" help:"calibration thins out the test rows to the class shares of the calibration set: the skewed test set of a long-tailed network, without label shift. Not with corruption, rescale, splits or calibrate_on." example:"calibration"`
	Seeds       []int     `key:"seeds" nonempty:"" range:"0 to 1000000" want:"a seed is 0 to 1000000" default:"none" help:"Seeds of several trainings of the network, whose arrays are those of {backbone}-seed{seed}; one setting each, which count as one in every comparison. Not with rescale, splits or test_shares." example:"[0, 1, 2, 3, 4]"`
	CalibrateOn string    `key:"calibrate_on" as:"id" default:"the dataset itself" help:"Data set whose calibration set is used." example:"cifar10"`
	Positive    int       `key:"positive" range:"0 to 1" want:"of two classes the positive one is 0 or 1" default:"1" help:"Of two classes the positive one, whose probability the metrics ece_positive, oe, slope and intercept read." example:"0"`
}

func (grid) About() (name, text string) {
	return "setting", "A grid of settings: the product of its lists."
}

// settings expands the list of grids. The order is that of the file; within a
// grid the last list varies fastest (dataset, backbone, loss, corruption,
// severity, variant).
func (r *reader) settings(grids []grid, experiment string) []Setting {
	var all []Setting
	first := map[results.Setting]*grid{}
	for i := range grids {
		g := &grids[i]
		if !r.consistent(g) {
			continue
		}
		positive := metrics.Positive
		if r.Given(&g.Positive) {
			positive = g.Positive
		}
		for _, s := range g.expand(experiment) {
			s.FirstPositive = positive != metrics.Positive
			if len(all) == maxSettings {
				r.Errorf(g, "more than %d settings", maxSettings)
				break
			}
			if earlier := first[s.Setting]; earlier != nil {
				r.Errorf(g, "duplicate setting %s (first in the grid at line %d)", &s, r.At(earlier).Line)
				break
			}
			first[s.Setting] = g
			all = append(all, s)
		}
	}
	return all
}

// consistent reports whether the keys of a grid can stand together.
func (r *reader) consistent(g *grid) bool {
	if g.TestShares != "" && g.TestShares != "calibration" {
		r.Errorf(&g.TestShares, "test_shares %q: want calibration, or leave the key out", g.TestShares)
		return false
	}
	if !r.Sound(g) {
		return false
	}
	corrupted, rescaled, redrawn, elsewhere := len(g.Corruption) > 0, len(g.Rescale) > 0, g.Splits > 0, g.CalibrateOn != ""
	wrong := ""
	switch {
	case len(g.Dataset) == 0 || len(g.Backbone) == 0:
		wrong = "a setting needs dataset and backbone"
	case corrupted != (len(g.Severity) > 0):
		wrong = "corruption and severity are given together or not at all"
	case g.TestShares != "" && (redrawn || rescaled || corrupted || elsewhere):
		wrong = "test_shares changes clean test sets with their own calibration set; leave out corruption, severity, rescale, splits and calibrate_on"
	case len(g.Seeds) > 0 && (redrawn || rescaled || g.TestShares != ""):
		wrong = "a setting has one variant; leave out seeds, or rescale, splits and test_shares"
	case rescaled && corrupted:
		wrong = "rescale applies to clean images; leave out corruption and severity"
	case redrawn && (rescaled || corrupted || elsewhere):
		wrong = "splits redraws clean images and their own calibration set; leave out corruption, severity, rescale and calibrate_on"
	}
	if wrong != "" {
		r.Errorf(g, "%s", wrong)
	}
	return wrong == ""
}

// variants returns the variants of the grid's settings, at least one.
func (g *grid) variants() []results.Variant {
	var list []results.Variant
	for _, factor := range g.Rescale {
		list = append(list, results.Variant{Rescale: factor})
	}
	for draw := range g.Splits {
		list = append(list, results.Variant{Split: draw + 1})
	}
	for _, seed := range g.Seeds {
		list = append(list, results.Seed(seed))
	}
	if list == nil {
		list = []results.Variant{{TestShares: g.TestShares != ""}}
	}
	return list
}

// expand returns the product of the lists.
func (g *grid) expand(experiment string) []Setting {
	losses := g.Loss
	if len(losses) == 0 {
		losses = []string{"ce"}
	}
	corruptions, severities, variants := g.Corruption, g.Severity, g.variants()
	if len(corruptions) == 0 {
		corruptions, severities = []string{""}, []int{0}
	}
	var list []Setting
	for _, dataset := range g.Dataset {
		for _, backbone := range g.Backbone {
			for _, loss := range losses {
				for _, corruption := range corruptions {
					for _, severity := range severities {
						for _, variant := range variants {
							if len(list) > maxSettings {
								return list
							}
							list = append(list, Setting{
								Setting: results.Setting{Experiment: experiment, Dataset: dataset, Backbone: backbone,
									Loss: loss, Corruption: corruption, Severity: severity, Variant: variant},
								CalibrateOn: g.CalibrateOn,
							})
						}
					}
				}
			}
		}
	}
	return list
}
