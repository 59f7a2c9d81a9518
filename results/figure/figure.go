// Package figure declares the figures that a spec can ask for, without drawing them.
package figure

import "github.com/qats-bench/qats/results"

// Kind is a kind of figure.
type Kind struct {
	Name       string `json:"name"`        // id in specs, and the beginning of file names
	Summary    string `json:"summary"`     // one sentence
	Metrics    int    `json:"-"`           // how many metrics a spec may name: 0, 1, or any number if negative
	PerSetting bool   `json:"one_setting"` // drawn once for each setting
	Judges     bool   `json:"-"`           // it has tests or intervals of differences, so it is not drawn of simulated rows
}

// Spec describes a figure of a report. A kind that shows one setting is drawn
// once for each setting; a kind that shows several is drawn once.
type Spec struct {
	Name    string // part of the file names
	Kind    Kind
	Caption string // plain text; empty for that of the kind

	Metrics     []string          // as in results.csv; nil for the default of the kind
	Methods     []string          // ids to show, in this order
	Labels      map[string]string // method id -> its name in print
	Experiments []string          // whose rows are shown
	Only        results.Filter    // keeps the settings that are shown
}

// Kinds returns every kind of figure, in the order of reports.
func Kinds() []Kind {
	return []Kind{
		{
			Name:       "reliability",
			Summary:    "Accuracy against confidence in 15 bins of equal width, above the share of rows in each bin. One panel for each method.",
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
			Name:    "severity",
			Summary: "ECE of one network against the severity of corruption, mean and quartiles over corruptions. One line for each method.",
		},
		{
			Name:    "corruptions",
			Summary: "ECE of one network at one severity, by kind of corruption. One marker for each method.",
		},
		{
			Name:    "dominance",
			Summary: "Accuracy of the first method minus accuracy of the second in each setting, in ascending order.",
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
			Summary: "Mean ranks of methods by ECE, or another metric, over blocks of settings, with Nemenyi's critical difference.",
		},
		{
			Name:    "forest",
			Summary: "ECE of the first method minus ECE of the second in each setting, with paired 95 % intervals.",
			Judges:  true,
		},
		{
			Name:    "win-rates",
			Summary: "How often each method is better than the others by ECE, or another metric, with bootstrap intervals over blocks of settings.",
			Metrics: 1,
			Judges:  true,
		},
		{
			Name:    "strengths",
			Summary: "Bradley-Terry strengths of methods by ECE, or another metric, with bootstrap intervals over blocks of settings.",
			Metrics: 1,
			Judges:  true,
		},
		{
			Name:    "pareto",
			Summary: "ECE, or another metric, against the processor time of a fit, and the methods that no other one beats in both. Needs times.csv.",
			Metrics: 1,
		},
		{
			Name:    "rank-bins",
			Summary: "Mean ranks of methods against the number of bins of ECE or AECE. The spec must name the metric ece_bins or aece_bins.",
			Metrics: 1,
		},
		{
			Name:    "rank-agreement",
			Summary: "Kendall's rank correlation between the rankings of methods by several metrics, by default all that have a direction and a value on at least four fifths of the settings, except accuracy, and ECE and AECE with other numbers of bins.",
			Metrics: -1,
		},
	}
}
