package metrics

import "github.com/qats-bench/qats/internal/exact"

var brierEntry = Entry{
	Name:    "brier",
	Group:   Proper,
	Outputs: []Output{{"brier", "Brier score", 0, 2}},
	Better:  Lower,
	Vector:  true,
	Version: 1,
	Summary: "mean over rows of the sum over classes of (p - 1[label])^2, in [0, 2]",
	Aliases: []string{"brier-score"},

	Compute: valueOrError(Brier),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		scores, err := s.vectors()
		if err != nil {
			return nil, err
		}
		return [][]float64{scores.Brier}, nil
	},
}

// Brier returns the Brier score, in [0, 2], of the probabilities of all classes. It is
// ErrNoVector for samples FromConfidences; see TopBrier.
//
//   - Metric: brier
//   - Formula: (1/n) sum over rows and classes of (p_j - 1[j = y])^2
//   - Reference: Brier 1950
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: none; some code divides by k.
func Brier(s *Samples) (float64, error) {
	scores, err := s.vectors()
	if err != nil {
		return 0, err
	}
	return exact.Mean(scores.Brier), nil
}

var brierTopEntry = Entry{
	Name:      "brier_top",
	Group:     Proper,
	Outputs:   []Output{{"brier_top", "top-label Brier score", 0, 1}},
	Better:    Lower,
	OnRequest: true,
	Version:   1,
	Summary:   "mean of (confidence - correct)^2, in [0, 1]",

	Compute: value(TopBrier),
	Influence: oneRow(func(x sample) float64 {
		miss := x.conf - x.hit()
		return float64(miss * miss)
	}),
}

// TopBrier returns the Brier score of the predicted class alone, in [0, 1].
//
//   - Metric: brier_top
//   - Formula: (1/n) sum of (conf - hit)^2
//   - Reference: none
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: none
func TopBrier(s *Samples) float64 {
	var sum exact.Sum
	for _, x := range s.sorted {
		c := x.conf
		if x.correct {
			c = 1 - c
		}
		sum.Add(c * c)
	}
	return sum.Value() / float64(max(1, s.Len()))
}
