package figure

import "github.com/qats-bench/qats/results"

// ranked are the metrics of an example of a kind that ranks methods.
var ranked = []string{"ece", "aece", "nll", "ece_5", "ece_50", results.TimeMetric}

// The kinds of figures. Package plots draws each of them.
var (
	Reliability = Kind{
		Name:       "reliability",
		Summary:    "Accuracy against confidence in 15 bins of equal width with its 95 % intervals, above the share of rows in each bin. One panel for each method.",
		PerSetting: true,
		Example:    Example{Of: OneSetting, From: results.BinsFile},
	}

	QuantileGap = Kind{
		Name:       "quantile-gap",
		Summary:    "Accuracy minus confidence in 15 bins of equal mass, against the quantile of confidence. One line for each method.",
		PerSetting: true,
		Example:    Example{Of: OneSetting, From: results.BinsFile},
	}

	QuantileGapGrid = Kind{
		Name:    "quantile-gap-grid",
		Summary: "The quantile-gap figures of several settings on the same axes. One panel for each setting, data sets side by side.",
		Example: Example{Of: SomeNetworks, From: results.BinsFile},
	}

	Severity = Kind{
		Name:      "severity",
		Stretches: true,
		Summary:   "ECE of one network against the severity of corruption, means over corruptions, and the quartiles of QaTS. One line for each method.",
		Example:   Example{Of: SomeSeverities, From: results.ResultsFile, Metrics: []string{"ece"}},
	}

	Corruptions = Kind{
		Name:      "corruptions",
		Stretches: true,
		Summary:   "ECE of one network at one severity, by kind of corruption. One marker for each method.",
		Example:   Example{Of: OneSeverity, From: results.ResultsFile, Metrics: []string{"ece"}},
	}

	Dominance = Kind{
		Name:      "dominance",
		Two:       true,
		Stretches: true,
		Metrics:   1,
		Summary:   "Accuracy, or another metric, of the first method minus that of the second in each setting, in ascending order.",
		Example:   Example{Of: SomeExperiments, From: results.ResultsFile, Metrics: []string{"accuracy"}},
	}

	Losses = Kind{
		Name:    "losses",
		Summary: "ECE of networks trained with different losses. One panel for each network, one line for each loss, one marker for each method.",
		Example: Example{Of: SomeLosses, From: results.ResultsFile, Metrics: []string{"ece"}},
	}

	ReliabilityGrid = Kind{
		Name:    "reliability-grid",
		Summary: "Reliability diagrams of several settings with their ECE. One row for each setting, one column for each method.",
		Example: Example{Of: SomeNetworks, From: results.BinsFile},
	}

	CriticalDifference = Kind{
		Name:    "critical-difference",
		Metrics: 1,
		Judges:  true,
		Summary: "Mean ranks of methods by ECE, or another metric, over independent data sets, with Nemenyi's critical difference.",
		Example: Example{Of: SomeSets, From: results.ResultsFile, Metrics: ranked, Methods: 3},
	}

	Forest = Kind{
		Name:    "forest",
		Two:     true,
		Summary: "ECE of the first method minus ECE of the second in each setting, with paired 95 % intervals.",
		Judges:  true,
		Example: Example{Of: SomeSets, From: results.PairsFile, Metrics: []string{"ece"}},
	}

	WinRates = Kind{
		Name:    "win-rates",
		Summary: "How often each method is better than the others by ECE, or another metric, with bootstrap intervals over independent data sets.",
		Metrics: 1,
		Judges:  true,
		Example: Example{Of: SomeSets, From: results.ResultsFile, Metrics: ranked, Methods: 3},
	}

	Strengths = Kind{
		Name:    "strengths",
		Summary: "Bradley-Terry strengths of methods by ECE, or another metric, with bootstrap intervals over independent data sets.",
		Metrics: 1,
		Judges:  true,
		Example: Example{Of: SomeSets, From: results.ResultsFile, Metrics: ranked, Methods: 3},
	}

	Pareto = Kind{
		Name:      "pareto",
		Stretches: true,
		Summary:   "ECE, or another metric, against the processor time of a fit, and the methods that no other one beats in both. Needs times.csv.",
		Metrics:   1,
		Example:   Example{Of: SomeSets, From: results.ResultsFile, Metrics: ranked, Methods: 3},
	}

	RankBins = Kind{
		Name:      "rank-bins",
		Stretches: true,
		Summary:   "Mean ranks of methods against the number of bins of ECE or AECE; of many methods the three best, TS and QaTS in colour. The spec must name the metric ece_bins or aece_bins.",
		Metrics:   1,
		Example:   Example{Of: SomeSets, From: results.ResultsFile, Metrics: ranked, Methods: 3},
	}

	RankAgreement = Kind{
		Name:    "rank-agreement",
		Summary: "Kendall's rank correlation between the rankings of methods by several metrics, by default all that have a direction and a value on at least four fifths of the settings, except accuracy, and ECE and AECE with other numbers of bins.",
		Metrics: -1,
		Example: Example{Of: SomeSets, From: results.ResultsFile, Metrics: ranked, Methods: 3},
	}
)

// Kinds returns every kind of figure, in the order of reports.
func Kinds() []Kind {
	return []Kind{Reliability, QuantileGap, QuantileGapGrid, Severity, Corruptions, Dominance, Losses, ReliabilityGrid, CriticalDifference, Forest, WinRates, Strengths, Pareto, RankBins, RankAgreement}
}
