package main

import (
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/shares"
)

// sharesP returns the P of the test whether the mean probability of each class is its share of the rows, where the
// logits are divided by t; 1 where there is none.
func sharesP(set *data.Set, t float64) (float64, error) {
	tally, err := shares.Tally(calib.Temperature{T: t}, set)
	if err != nil {
		return 1, err
	}
	if p := shares.Of(tally).P; !math.IsNaN(p) {
		return p, nil
	}
	return 1, nil
}
