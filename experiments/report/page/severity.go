package page

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/plots"
)

// corrupted is a network with test sets under corruption, of several severities.
type corrupted struct {
	Source      string   `json:"src"`
	Name        string   `json:"name"` // its experiment, data set, backbone and loss
	Severities  []int    `json:"severities"`
	Corruptions []string `json:"corruptions"`

	// Means are, by metric, [method, severity, mean over the corruptions, first quartile, third
	// quartile]. A method that lacks a corruption has no mean at a severity.
	Means map[string][]list `json:"means"`

	settings []int
}

// underCorruption finds the networks, and averages over their corruptions each metric that can be
// chosen.
func (p *packer) underCorruption() {
	var at []int
	for i, s := range p.Settings {
		if s.Corruption != "" && s.Of == nil && shiftOf(s.setting) == "corrupted" {
			at = append(at, i)
		}
	}
	names, settings := lists.Group(at, func(i int) string {
		s := p.Settings[i]
		return fmt.Sprintf("%s\x00%s/%s/%s/%s", s.Source, s.Experiment, s.Dataset, s.Backbone, s.Loss)
	})
	for _, name := range names {
		n := corrupted{Source: p.Settings[settings[name][0]].Source, Means: map[string][]list{}, settings: settings[name]}
		n.Name = name[len(n.Source)+1:]
		n.Severities = lists.Distinct(n.settings, func(i int) int { return p.Settings[i].Severity })
		n.Corruptions = lists.Distinct(n.settings, func(i int) string { return p.Settings[i].Corruption })
		if slices.Sort(n.Severities); len(n.Severities) < 2 {
			continue
		}
		for metric := range p.Values {
			for m := range p.Methods {
				for _, severity := range n.Severities {
					values := p.atSeverity(n, m, severity, metric)
					if len(values) < len(n.Corruptions) {
						continue // a mean over fewer would differ for that reason
					}
					mean, first, third := plots.Spread(values)
					row := []float64{float64(m), float64(severity), mean, first, third}
					n.Means[metric] = append(n.Means[metric], column(row, len(row), meanDigits))
				}
			}
		}
		p.Corrupted = append(p.Corrupted, n)
	}
}

// atSeverity returns the values of a method at a severity, one of a corruption.
func (p *packer) atSeverity(n corrupted, method, severity int, metric string) (values []float64) {
	of := p.values[metric]
	for _, i := range n.settings {
		c, has := p.cell[cellID{i, method}]
		if p.Settings[i].Severity == severity && has && c < len(of) && of[c] == of[c] {
			values = append(values, of[c])
		}
	}
	return values
}
