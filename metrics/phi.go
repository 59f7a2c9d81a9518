package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/metrics/scoring"
)

var phiEntry = Entry{
	Name:  "phi",
	Group: Proper,
	Outputs: []Output{
		{"phi_nll", "PHI (NLL)", math.Inf(-1), math.Inf(1)},
		{"phi_brier", "PHI (Brier)", -2, 2},
	},
	Better:    Higher,
	OnRequest: true,
	Vector:    true,
	Uncal:     true,
	Version:   1,
	Summary:   "post-hoc improvement: NLL and Brier score of the uncalibrated network minus those of the method on the same rows",

	Compute: func(s *Samples, _ uint64) ([]float64, error) {
		nll, brier, err := PHI(s)
		return []float64{nll, brier}, err
	},
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		scores, uncal, err := s.improved()
		if err != nil {
			return nil, err
		}
		rows := [][]float64{slices.Clone(uncal.NLL), slices.Clone(uncal.Brier)}
		for i := range scores.NLL {
			rows[0][i] -= scores.NLL[i]
			rows[1][i] -= scores.Brier[i]
		}
		return rows, nil
	},
}

// ErrNoUncal is the error of a metric that compares with the uncalibrated network,
// if its scores are unknown; see Samples.Against.
var ErrNoUncal = errors.New("undefined: the scores of the uncalibrated network are unknown")

// Against returns the same samples with the scores of the uncalibrated network on the same
// rows, for PHI. An error says that the labels differ, or that uncal has no vector of
// probabilities.
func (s *Samples) Against(uncal *Samples) (*Samples, error) {
	base, err := uncal.vectors()
	if err != nil {
		return nil, fmt.Errorf("uncalibrated samples: %w", err)
	}
	if s.Len() != uncal.Len() || s.classes && uncal.classes && !slices.Equal(s.scores.Label, base.Label) {
		return nil, errors.New("the uncalibrated samples are other rows: the labels differ")
	}
	both := *s
	both.uncal = base
	return &both, nil
}

// PHI returns the post-hoc improvement in two proper scores, NLL (in nats) and Brier
// (in [-2, 2]): the mean score of the uncalibrated network minus that of s. It is
// positive where the method helps and 0 for the uncalibrated network itself. Unlike a
// calibration error it counts what a method loses in accuracy and sharpness. It is
// ErrNoUncal for samples that are not made by Against, and ErrNoVector for samples
// FromConfidences.
//
//   - Metric: phi
//   - Formula: score of uncal - score of the method; scores: NLL, Brier
//   - Reference: Berta, Holzmueller, Bach and Jordan 2026 (CalArena)
//   - Compared with: CalArena (utils.py)
//   - Agreement: definition read; the differences of our scores to 1e-14 on drawn sets
//   - Departures: NLL has our floor of 1e-300, which is 691 nats. The authors' floor
//     depends on float32, so values differ where a method gives the true class
//     probability 0. Their code (CalArena, compute_absolute_improvements) prints 100
//     times the value.
func PHI(s *Samples) (nll, brier float64, err error) {
	scores, uncal, err := s.improved()
	if err != nil {
		return 0, 0, err
	}
	return exact.Mean(uncal.NLL) - exact.Mean(scores.NLL), exact.Mean(uncal.Brier) - exact.Mean(scores.Brier), nil
}

// improved returns the scores of the method and of the uncalibrated network.
func (s *Samples) improved() (scores, uncal *scoring.SampleScores, err error) {
	if scores, err = s.vectors(); err == nil && s.uncal == nil {
		err = ErrNoUncal
	}
	return scores, s.uncal, err
}
