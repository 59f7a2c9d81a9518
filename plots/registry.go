package plots

import "errors"

// Entry is one line of the registry: a kind of figure.
type Entry struct {
	Name    string `json:"name"`        // id in specs, and the beginning of file names
	Summary string `json:"summary"`     // one sentence
	Metrics int    `json:"-"`           // how many metrics a spec may name: 0, 1, or any number if negative
	PerCell bool   `json:"one_setting"` // drawn once for each cell: Input.Bins holds the rows of one cell
	Judges  bool   `json:"-"`           // it has tests or intervals of differences, so Draw returns ErrSimulated for simulated rows

	// Draw checks the rows and returns the figure. The figure keeps the slices of
	// in; they must not be changed while it is in use. Errors name the figure and
	// the row that cannot be drawn.
	Draw func(in Input) (*Figure, error) `json:"-"`
}

// ErrSimulated is the error of a figure that judges methods, of simulated rows.
var ErrSimulated = errors.New("simulated rows get no test, no interval and no verdict")

// Registry returns every kind of figure, in the order of reports.
func Registry() []Entry {
	return []Entry{
		{
			Name:    "reliability",
			Summary: "Accuracy against confidence in 15 bins of equal width, above the share of rows in each bin. One panel for each method.",
			PerCell: true,
			Draw:    Reliability,
		},
		{
			Name:    "quantile-gap",
			Summary: "Accuracy minus confidence in 15 bins of equal mass, against the quantile of confidence. One line for each method.",
			PerCell: true,
			Draw:    QuantileGap,
		},
		{
			Name:    "quantile-gap-grid",
			Summary: "The quantile-gap figures of several settings on the same axes. One panel for each setting, data sets side by side.",
			Draw:    QuantileGapGrid,
		},
		{
			Name:    "severity",
			Summary: "ECE of one network against the severity of corruption, mean and quartiles over corruptions. One line for each method.",
			Draw:    Severity,
		},
		{
			Name:    "corruptions",
			Summary: "ECE of one network at one severity, by kind of corruption. One marker for each method.",
			Draw:    Corruptions,
		},
		{
			Name:    "dominance",
			Summary: "Accuracy of the first method minus accuracy of the second in each setting, in ascending order.",
			Draw:    Dominance,
		},
		{
			Name:    "losses",
			Summary: "ECE of networks trained with different losses. One panel for each network, one line for each loss, one marker for each method.",
			Draw:    Losses,
		},
		{
			Name:    "reliability-grid",
			Summary: "Reliability diagrams of several settings with their ECE. One row for each setting, one column for each method.",
			Draw:    ReliabilityGrid,
		},
		{
			Name:    "critical-difference",
			Metrics: 1,
			Judges:  true,
			Summary: "Mean ranks of methods by ECE, or another metric, over blocks of settings, with Nemenyi's critical difference.",
			Draw:    ofComparison("critical-difference", Ranks),
		},
		{
			Name:    "forest",
			Summary: "ECE of the first method minus ECE of the second in each setting, with paired 95 % intervals.",
			Judges:  true,
			Draw:    Forest,
		},
		{
			Name:    "win-rates",
			Summary: "How often each method is better than the others by ECE, or another metric, with bootstrap intervals over blocks of settings.",
			Metrics: 1,
			Judges:  true,
			Draw:    ofComparison("win-rates", WinRates),
		},
		{
			Name:    "strengths",
			Summary: "Bradley-Terry strengths of methods by ECE, or another metric, with bootstrap intervals over blocks of settings.",
			Metrics: 1,
			Judges:  true,
			Draw:    ofComparison("strengths", Strengths),
		},
		{
			Name:    "pareto",
			Summary: "ECE, or another metric, against the processor time of a fit, and the methods that no other one beats in both. Needs times.csv.",
			Metrics: 1,
			Draw:    Pareto,
		},
		{
			Name:    "rank-bins",
			Summary: "Mean ranks of methods against the number of bins of ECE or AECE. The spec must name the metric ece_bins or aece_bins.",
			Metrics: 1,
			Draw:    RankBins,
		},
		{
			Name:    "rank-agreement",
			Summary: "Kendall's rank correlation between the rankings of methods by several metrics, by default all that have a direction and a value on at least four fifths of the settings, except accuracy, and ECE and AECE with other numbers of bins.",
			Metrics: -1,
			Draw:    RankAgreement,
		},
	}
}

// ByMetric returns the names of the kinds for which a spec may choose the metric.
func ByMetric() []string {
	var list []string
	for _, e := range Registry() {
		if e.Metrics != 0 {
			list = append(list, e.Name)
		}
	}
	return list
}
