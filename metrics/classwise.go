package metrics

import (
	"math"

	"github.com/qats-bench/qats/metrics/scoring"
)

var eceClasswiseEntry = Entry{
	Name:         "ece_classwise",
	Group:        Binned,
	Outputs:      []Output{{"ece_classwise", "Class-wise ECE", 0, 1}, {"ece_classwise_sum", "Class-wise ECE, sum", 0, 2}},
	Better:       Lower,
	Percent:      true,
	OnRequest:    true,
	NeedsClasses: true,
	NoBootstrap:  true,
	Vector:       true,
	Version:      1,
	Summary:      "ECE of each class's probability, 15 bins of equal width over all rows: mean over the classes, and their sum (k times the mean)",
	Aliases:      []string{"classwise-ece", "cwece", "static-calibration-error"},

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

// ClassScore is the calibration of one class against the rest.
type ClassScore struct {
	Rows int     `json:"rows"` // with this label
	Freq float64 `json:"freq"` // their share of all n rows
	Conf float64 `json:"conf"` // the mean of the class's probability over all rows
	ECE  float64 `json:"ece"`  // of this probability
}

// PerClassVersion is raised when the numbers of PerClass change.
const PerClassVersion = 1

// PerClass returns the scores of each class j. Its ECE is the sum over bins b of
// (n_b/n) |freq_b - mean p_j|, in 15 bins of equal width of p_j over all n rows, so the mean over
// all classes is ClasswiseECE. It is in [0, 1] and, if p_j is 0 on all rows, the share of the
// class. A class without rows has the mean of its probability. PerClass returns ErrNoVector of
// samples FromConfidences.
//
// Source: Kull et al. 2019, Beyond temperature scaling, section 2.2 (class-wise ECE).
func PerClass(s *Samples) ([]ClassScore, error) {
	b, err := s.classBins()
	if err != nil {
		return nil, err
	}
	n := float64(s.Len())
	list := make([]ClassScore, b.Classes())
	for i, conf := range b.Conf {
		c := &list[i/scoring.BinsPerClass]
		c.Rows += int(b.Hits[i])
		c.Conf += conf / n
		c.ECE += math.Abs(conf-float64(b.Hits[i])) / n
	}
	for j := range list {
		list[j].Freq = float64(list[j].Rows) / n
		list[j].Conf = min(list[j].Conf, 1) // a sum of rounded numbers
	}
	return list, nil
}
