package data

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/data/problem"
)

// percentSum returns the largest distance from 100 of the sum of k numbers in [0, 100] that are taken for
// probabilities in per cent: half a per cent for each number, which rounding to whole per cent gives, but at
// most 10.
func percentSum(k int) float64 { return min(10, max(0.5, float64(k)/2)) }

// inPercent reports whether a row looks like probabilities in per cent: numbers in [0, 100], one of them
// above 1, with the sum 100.
func inPercent(row []float64) bool {
	sum, above := 0.0, false
	for _, v := range row {
		if !(v >= 0 && v <= 100+looseSum) {
			return false
		}
		above = above || v > 1
		sum += v
	}
	return above && math.Abs(sum-100) <= percentSum(len(row))
}

// notProbs is the error of row at a place, whose first number that is no probability is v. It says what to do where
// the row looks like per cent or like logits. A row of one number has the probability of one of two classes.
func notProbs(place string, v float64, row []float64) error {
	p := &problem.Problem{Place: place, Cause: fmt.Sprintf("%g is not a probability", v)}
	switch one := len(row) == 1; {
	case one && v >= 2 && v <= 100: // less is above 1 by another mistake
		p.Fix = "if these are per cent, divide them by 100"
	case !one && inPercent(row):
		p.Fix = "the row sums to 100, as per cent do: divide them by 100"
	case one && v < 0:
		p.Remedy = stateKind(KindLogits)
		p.Fix = "if these are log odds, " + p.Remedy.Words
	case !one && !sumsToOne(row):
		p.Remedy = stateKind(KindLogits)
		p.Fix = "if these are logits, " + p.Remedy.Words
	}
	return p
}

// sumsToOne reports whether a row sums to 1 but for rounding, as rows of probabilities do where one number is wrong. NaN
// and infinities are wrong in logits too.
func sumsToOne(row []float64) bool {
	sum := 0.0
	for _, v := range row {
		sum += v
	}
	return !(math.Abs(sum-1) > looseSum) || math.IsInf(sum, 0)
}
