package metrics

import "math"

var eceEntry = Entry{
	Name:    "ece",
	Group:   Binned,
	Outputs: []Output{{"ece", "ECE", 0, 1}},
	Better:  Lower,
	Percent: true,
	Version: 1,
	Summary: "expected calibration error of the top class: 15 right-closed bins of equal width, weighted by rows",
	Aliases: []string{"expected-calibration-error", "ece-15"},

	Basis:   &squaredMass,
	Compute: value(func(s *Samples) float64 { return ECE(s, 15) }),
	binned:  &binned{func(s *Samples) []run { return widthLayout(s.sorted, 15).runs }, (*weighing).ece},
}

// ECE returns the expected calibration error, in [0, 1], of bins >= 1 bins of equal
// width. The usual number of bins is 15. WidthBins has the edges; an empty bin
// contributes 0, and tied confidences are always in one bin. The ECE is at least |mean
// confidence - accuracy|. Up to rounding both are equal if and only if no two bins err
// in opposite directions.
//
//   - Metric: ece
//   - Formula: sum over bins of (n_b/n) |acc_b - conf_b|, 15 bins (lo, hi] of equal
//     width
//   - Reference: Naeini et al. 2015; Guo et al. 2017
//   - Compared with: gpleiss/temperature_scaling and the code derived from it; numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: Bins are computed in float64. They are right-closed as in that code,
//     where torchmetrics is left-closed (ece_tm).
func ECE(s *Samples, bins int) float64 { return weightedGap(WidthBins(s, bins)) }

// weightedGap returns the mean of |acc - conf| over bins, weighted by samples, and
// 0 of no samples.
func weightedGap(bins []Bin) float64 {
	sum, n := 0.0, 0
	for _, b := range bins {
		sum += float64(float64(b.N) * math.Abs(b.Acc-b.Conf))
		n += b.N
	}
	return sum / float64(max(1, n))
}
