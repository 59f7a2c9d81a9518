package metrics

import "math"

var aeceEntry = Entry{
	Name:    "aece",
	Group:   Binned,
	Outputs: []Output{{"aece", "AECE", 0, 1}},
	Better:  Lower,
	Percent: true,
	Version: 1,
	Summary: "adaptive ECE of the top class: 15 bins of equal mass, unweighted mean",
	Aliases: []string{"adaptive-ece", "adaptive-calibration-error", "ada-ece"},

	Basis:   &squaredMass,
	Compute: value(func(s *Samples) float64 { return AECE(s, 15) }),
	binned:  &binned{func(s *Samples) []run { return massRuns(s.sorted, 15) }, (*weighing).aece},
}

// AECE returns the adaptive expected calibration error of the QaTS paper, in [0, 1], of
// bins >= 1 bins of equal mass. Empty bins are left out. MassBins has the boundaries.
// Bins of equal mass differ by one sample at most, so weighting would change the value
// by O(bins/n).
//
//   - Metric: aece
//   - Formula: (1/m) sum over bins of |acc_b - conf_b|, m = 15 bins of equal mass
//   - Reference: the QaTS paper; after Nixon et al. 2019
//   - Compared with: numpy; the authors of the QaTS paper published no code
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: Tied confidences share their hits among bins, so that the order of
//     rows does not matter. Other code weights by rows or interpolates the edges.
func AECE(s *Samples, bins int) float64 { return unweightedGap(MassBins(s, bins)) }

// unweightedGap returns the mean of |acc - conf| over the bins that are not empty,
// and 0 of none.
func unweightedGap(bins []Bin) float64 {
	sum, filled := 0.0, 0
	for _, b := range bins {
		if b.N > 0 {
			sum += math.Abs(b.Acc - b.Conf)
			filled++
		}
	}
	return sum / float64(max(1, filled))
}
