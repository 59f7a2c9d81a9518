package metrics

import (
	"math"
)

var eceClasswiseEntry = Entry{
	Name:      "ece_classwise",
	Group:     Binned,
	Outputs:   []Output{{"ece_classwise", "Class-wise ECE", 0, 1}, {"ece_classwise_sum", "Class-wise ECE, sum", 0, 2}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Classes:   true,
	Whole:     true,
	Vector:    true,
	Version:   1,
	Summary:   "ECE of each class's probability, 15 bins of equal width over all rows: mean over the classes, and their sum (k times the mean)",
	Aliases:   []string{"classwise-ece", "cwece", "static-calibration-error"},

	Basis: &squaredClasswise,
	Compute: func(s *Samples, _ uint64) ([]float64, error) {
		mean, sum, err := ClasswiseECE(s)
		return []float64{mean, sum}, err
	},
}

// ClasswiseECE returns the mean over the k classes, in [0, 1], and the sum, in [0, 2],
// of the calibration error of each class's probability. freq_b is the share of class j
// among the n_b samples with p_j in bin b. Every sample counts for every class. Empty
// bins contribute 0. The mean falls like 1/k because most classes are improbable on
// most samples. It is ErrNoVector of samples FromConfidences.
//
//   - Metric: ece_classwise
//   - Formula: mean and sum over classes j of sum over bins of (n_b/n) |freq_b - mean
//     p_j|, 15 bins of equal width
//   - Reference: Kull et al. 2019; Nixon et al. 2019
//   - Compared with: torrvision/focal_calibration; numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: none; every class counts, also one without rows
func ClasswiseECE(s *Samples) (mean, sum float64, err error) {
	b, err := s.classBins()
	if err != nil {
		return 0, 0, err
	}
	for i, conf := range b.Conf {
		sum += math.Abs(conf-float64(b.Hits[i])) / float64(s.Len())
	}
	return sum / float64(b.Classes()), sum, nil
}
