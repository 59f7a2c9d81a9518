// Package figure declares the figures that a spec can ask for, without drawing them.
package figure

import "github.com/qats-bench/qats/results"

// Kind is a kind of figure.
type Kind struct {
	Name       string `json:"name"`        // id in specs, and the default of Spec.Name
	Summary    string `json:"summary"`     // one sentence
	Metrics    int    `json:"-"`           // how many metrics a spec may name: 0, 1, or any number if negative
	PerSetting bool   `json:"one_setting"` // drawn once for each setting
	Stretches  bool   `json:"-"`           // a spec may choose its height
	Two        bool   `json:"-"`           // it shows two methods, the first minus the second
	Judges     bool   `json:"-"`           // it has tests or intervals of differences, so it is not drawn of simulated rows
}

// Spec describes a figure of a report. A kind that shows one setting is drawn
// once for each setting; a kind that shows several is drawn once for the measured settings and
// once for the simulated ones.
type Spec struct {
	Name    string // of the files, after the name of the spec
	Kind    Kind
	Caption string // plain text, before the sentence of the kind; may be empty

	Metrics     []string          // as in results.csv; nil for the default of the kind
	Methods     []string          // ids to show, in this order
	Labels      map[string]string // method id -> its name in print
	Experiments []string          // whose rows are shown
	Only        results.Filter    // keeps the settings that are shown

	// What fits the figure to a paper.
	Width, Height float64           // of the page in inches; 0 for those of the kind
	Heading       *string           // the line above the figure, empty for none; nil for that of the kind
	SettingLabels map[string]string // id of a data set, a network, a loss or a corruption -> its name in print
}

// Kinds returns every kind of figure, in the order of reports.
func Kinds() []Kind {
	return []Kind{
		{
			Name:       "reliability",
			Summary:    "Accuracy against confidence in 15 bins of equal width with its 95 % intervals, above the share of rows in each bin. One panel for each method.",
			PerSetting: true,
		},
		{
			Name:       "quantile-gap",
			Summary:    "Accuracy minus confidence in 15 bins of equal mass, against the quantile of confidence. One line for each method.",
			PerSetting: true,
		},
		{
			Name:    "quantile-gap-grid",
			Summary: "The quantile-gap figures of several settings on the same axes. One panel for each setting, data sets side by side.",
		},
		{
			Name:      "severity",
			Stretches: true,
			Summary:   "ECE of one network against the severity of corruption, means over corruptions, and the quartiles of QaTS. One line for each method.",
		},
		{
			Name:      "corruptions",
			Stretches: true,
			Summary:   "ECE of one network at one severity, by kind of corruption. One marker for each method.",
		},
		{
			Name:      "dominance",
			Two:       true,
			Stretches: true,
			Metrics:   1,
			Summary:   "Accuracy, or another metric, of the first method minus that of the second in each setting, in ascending order.",
		},
		{
			Name:    "losses",
			Summary: "ECE of networks trained with different losses. One panel for each network, one line for each loss, one marker for each method.",
		},
		{
			Name:    "reliability-grid",
			Summary: "Reliability diagrams of several settings with their ECE. One row for each setting, one column for each method.",
		},
		{
			Name:    "critical-difference",
			Metrics: 1,
			Judges:  true,
			Summary: "Mean ranks of methods by ECE, or another metric, over independent data sets, with Nemenyi's critical difference.",
		},
		{
			Name:    "forest",
			Two:     true,
			Summary: "ECE of the first method minus ECE of the second in each setting, with paired 95 % intervals.",
			Judges:  true,
		},
		{
			Name:    "win-rates",
			Summary: "How often each method is better than the others by ECE, or another metric, with bootstrap intervals over independent data sets.",
			Metrics: 1,
			Judges:  true,
		},
		{
			Name:    "strengths",
			Summary: "Bradley-Terry strengths of methods by ECE, or another metric, with bootstrap intervals over independent data sets.",
			Metrics: 1,
			Judges:  true,
		},
		{
			Name:      "pareto",
			Stretches: true,
			Summary:   "ECE, or another metric, against the processor time of a fit, and the methods that no other one beats in both. Needs times.csv.",
			Metrics:   1,
		},
		{
			Name:      "rank-bins",
			Stretches: true,
			Summary:   "Mean ranks of methods against the number of bins of ECE or AECE; of many methods the three best, TS and QaTS in colour. The spec must name the metric ece_bins or aece_bins.",
			Metrics:   1,
		},
		{
			Name:    "rank-agreement",
			Summary: "Kendall's rank correlation between the rankings of methods by several metrics, by default all that have a direction and a value on at least four fifths of the settings, except accuracy, and ECE and AECE with other numbers of bins.",
			Metrics: -1,
		},
	}
}
