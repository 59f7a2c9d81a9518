package experiments

import (
	"fmt"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
	"gopkg.in/yaml.v3"
)

// maxSettings bounds a grid, so that a slip of the pen is a mistake and not a
// full disk.
const maxSettings = 100_000

// Setting is one test set of one network: a row of the paper's tables.
type Setting struct {
	results.Cell
	CalibrateOn string  // dataset whose calibration set is used; empty for the own one
	Rescale     float64 // factor on the test logits; 0 for none
	Draw        int     // of both sets from their union (data.Redrawn), 1 or more; 0 for the sets as they are
	Line        int     // of the grid in the spec
}

// Test returns the set that methods are judged on. That of a rescaled or redrawn
// setting is the clean one; the plan puts the factor on it, or draws.
func (s *Setting) Test() data.Ref {
	if s.Rescale > 0 || s.Draw > 0 {
		return data.Ref{Dataset: s.Dataset, Backbone: s.Backbone, Loss: s.Loss, Split: data.Test}
	}
	return data.Ref{Dataset: s.Dataset, Backbone: s.Backbone, Loss: s.Loss,
		Corruption: s.Corruption, Severity: s.Severity, Split: data.Test}
}

// Cal returns the set that methods are fitted on: clean images, of another
// dataset where the spec says calibrate_on.
func (s *Setting) Cal() data.Ref {
	ref := data.Ref{Dataset: s.Dataset, Backbone: s.Backbone, Loss: s.Loss, Split: data.Cal}
	if s.CalibrateOn != "" {
		ref.Dataset = s.CalibrateOn
	}
	return ref
}

// String returns the setting as in messages.
func (s *Setting) String() string { return s.Cell.Setting() }

// grid is one item of a spec's settings: the product of its lists.
type grid struct {
	datasets, backbones, losses, corruptions []string
	severities                               []int
	rescales                                 []float64
	splits                                   int
	calibrateOn                              string
}

// settings reads the list of grids. Order: as written, the last list turning
// fastest (dataset, backbone, loss, corruption, severity).
func (r *reader) settings(n *yaml.Node, experiment string) []Setting {
	var all []Setting
	first := map[results.Cell]*yaml.Node{}
	r.list(n, func(item *yaml.Node) {
		g := grid{losses: []string{"ce"}}
		before := len(r.errs)
		r.object(item, "a setting", map[string]func(*yaml.Node){
			"dataset":    r.ids(&g.datasets, "dataset"),
			"backbone":   r.ids(&g.backbones, "backbone"),
			"loss":       r.ids(&g.losses, "loss"),
			"corruption": r.ids(&g.corruptions, "corruption"),
			"severity":   r.severities(&g.severities),
			"rescale":    r.rescales(&g.rescales),
			"splits":     r.splits(&g.splits),
			"calibrate_on": func(n *yaml.Node) {
				if s, ok := r.scalar(n, "calibrate_on"); ok && r.id(n, "calibrate_on", s) {
					g.calibrateOn = s
				}
			},
		})
		if len(r.errs) > before {
			return
		}
		switch {
		case len(g.datasets) == 0 || len(g.backbones) == 0:
			r.errorf(item, "a setting needs dataset and backbone")
			return
		case (len(g.corruptions) == 0) != (len(g.severities) == 0):
			r.errorf(item, "corruption and severity go together")
			return
		case len(g.rescales) > 0 && len(g.corruptions) > 0:
			r.errorf(item, "rescale is of clean images; leave out corruption and severity")
			return
		case g.splits > 0 && (len(g.rescales) > 0 || len(g.corruptions) > 0 || g.calibrateOn != ""):
			r.errorf(item, "splits redraws clean images and their own calibration set; leave out corruption, severity, rescale and calibrate_on")
			return
		}
		for _, s := range g.expand(experiment, item.Line) {
			if len(all) == maxSettings {
				r.errorf(item, "more than %d settings", maxSettings)
				return
			}
			if earlier := first[s.Cell]; earlier != nil {
				r.errorf(item, "duplicate setting %s (first in the grid at line %d)", &s, earlier.Line)
				return
			}
			first[s.Cell] = item
			all = append(all, s)
		}
	})
	return all
}

// expand returns the product of the lists. In results.csv a factor on the test
// logits is a corruption, "rescale-2", whose severity is always 1, and a redrawn
// split is one whose severity is the draw.
func (g grid) expand(experiment string, line int) []Setting {
	corruptions, severities := g.corruptions, g.severities
	if len(corruptions) == 0 {
		corruptions, severities = []string{""}, []int{0}
	}
	factors := map[string]float64{}
	if len(g.rescales) > 0 {
		corruptions, severities = nil, []int{1}
		for _, c := range g.rescales {
			name := fmt.Sprintf("rescale-%g", c)
			corruptions, factors[name] = append(corruptions, name), c
		}
	}
	if g.splits > 0 {
		corruptions, severities = []string{results.Split}, nil
		for draw := range g.splits {
			severities = append(severities, draw+1)
		}
	}
	var list []Setting
	for _, dataset := range g.datasets {
		for _, backbone := range g.backbones {
			for _, loss := range g.losses {
				for _, corruption := range corruptions {
					for _, severity := range severities {
						if len(list) > maxSettings {
							return list
						}
						s := Setting{
							Cell: results.Cell{Experiment: experiment, Dataset: dataset, Backbone: backbone,
								Loss: loss, Corruption: corruption, Severity: severity},
							CalibrateOn: g.calibrateOn, Rescale: factors[corruption], Line: line,
						}
						if g.splits > 0 {
							s.Draw = severity
						}
						list = append(list, s)
					}
				}
			}
		}
	}
	return list
}
