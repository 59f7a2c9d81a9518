package metrics

import (
	"math"

	"github.com/qats-bench/qats/internal/exact"
)

var nllEntry = Entry{
	Name:    "nll",
	Group:   Proper,
	Outputs: []Output{{"nll", "NLL", 0, math.Inf(1)}},
	Better:  Lower,
	Vector:  true,
	Version: 1,
	Summary: "mean negative log-likelihood in nats, the probability floored at 1e-300",
	Aliases: []string{"log-loss", "cross-entropy"},

	Compute: valueOrError(NLL),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		scores, err := s.vectors()
		if err != nil {
			return nil, err
		}
		return [][]float64{scores.NLL}, nil
	},
}

// NLL returns the mean negative log-likelihood in nats, >= 0. The floor matters if a
// calibrator gives some classes a probability of exactly zero. NLL is ErrNoVector for
// samples FromConfidences.
//
//   - Metric: nll
//   - Formula: (1/n) sum of -ln max(p_label, 1e-300)
//   - Reference: none
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: The floor bounds the cost of a sample at 691 nats. Public code has
//     floors from 0 to 1e-10. An exact 0 in a file of probabilities was rounded away: it counts
//     as 2^-126, 87 nats. A 0 of a fitted map counts as the floor.
func NLL(s *Samples) (float64, error) {
	scores, err := s.vectors()
	if err != nil {
		return 0, err
	}
	return exact.Mean(scores.NLL), nil
}
