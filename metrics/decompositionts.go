package metrics

import (
	"math"

	"github.com/qats-bench/qats/internal/exact"
)

var decompositionTSEntry = Entry{
	Name:  "decomposition_ts",
	Sized: true,
	Group: Proper,
	Outputs: []Output{
		{"nll_calibration", "calibration loss (NLL)", math.Inf(-1), math.Inf(1)},
		{"nll_refinement", "refinement loss (NLL)", 0, math.Inf(1)},
		{"brier_calibration", "calibration loss (Brier)", -2, 2},
		{"brier_refinement", "refinement loss (Brier)", 0, 2},
	},
	Better:    Lower,
	OnRequest: true,
	CrossFit:  true,
	Vector:    true,
	Version:   2,
	Summary:   "NLL and Brier score of all classes split: refinement is the score after temperature scaling by the other four of five folds, calibration is what this gains",
	Aliases:   []string{"ts-mix"},

	Compute: func(s *Samples, _ uint64) ([]float64, error) {
		nll, brier, err := DecomposeTS(s)
		return []float64{nll.Calibration, nll.Refinement, brier.Calibration, brier.Refinement}, err
	},
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		scores, err := s.crossFitted()
		if err != nil {
			return nil, err
		}
		rows := [][]float64{make([]float64, s.Len()), scores.Vectors.NLL, make([]float64, s.Len()), scores.Vectors.Brier}
		for i := range s.Len() {
			rows[0][i] = scores.NLL[i] - scores.Vectors.NLL[i]
			rows[2][i] = scores.Brier[i] - scores.Vectors.Brier[i]
		}
		return rows, nil
	},
}

// DecomposeTS splits two proper scores of all classes, NLL in nats and Brier, into
// calibration and refinement loss, in the post-hoc form of Decompose with temperature
// scaling as the recalibration; their sum is the score. The temperature of a row is
// fitted on the other four of five folds; see CrossFit.
//
// A temperature removes only miscalibration that is the same in all classes. So
// Calibration is on average a lower bound of the calibration loss, and Refinement
// includes the miscalibration that no temperature removes. Authors use it to stop a
// training early, where one parameter is enough. Calibration may be negative, by noise,
// for a calibrated model.
//
// It is ErrNoCrossFit for samples that are not made by Samples.CrossFit, and
// ErrNoVector for samples FromConfidences. Intervals resample rows, with the
// temperatures as they are.
//
//   - Metric: decomposition_ts
//   - Formula: refinement: mean of l(softmax(s_-f ln p), y), s_-f fitted by NLL outside
//     the fold of the row; calibration: mean of l(p, y) minus refinement
//   - Reference: Berta, Holzmueller, Jordan and Bach 2025
//   - Compared with: probmetrics, ts-mix
//   - Agreement: on the same five folds: 300 rows to 1e-8, the accuracy of its
//     temperature
//   - Departures: Folds are hashes of the seed and the row. They are not stratified.
func DecomposeTS(s *Samples) (nll, brier Parts, err error) {
	scores, err := s.crossFitted()
	if err != nil {
		return nll, brier, err
	}
	nll.Refinement, brier.Refinement = exact.Mean(scores.Vectors.NLL), exact.Mean(scores.Vectors.Brier)
	nll.Calibration = exact.Mean(scores.NLL) - nll.Refinement
	brier.Calibration = exact.Mean(scores.Brier) - brier.Refinement
	return nll, brier, nil
}
