package data

import (
	"fmt"
	"math"
)

// LeastProb is the value as which smaller probabilities are read, exact zeros among
// them: 2^-126, the smallest positive normal float32.
const LeastProb = leastProb

// FromProbs writes the logarithms of a row of probabilities to dst, with the same
// bits as the logits of a set of kind probs: each probability is divided by the sum
// of the row, and LeastProb is taken for smaller ones. It returns how many there
// were. A number that is not in [0, 1], and a sum that is not 1 within 0.01, are
// errors.
func FromProbs(dst []float32, row []float64) (clipped int, err error) {
	sum := 0.0
	for j, p := range row {
		if !(p >= 0 && p <= 1+looseSum) {
			return 0, fmt.Errorf("class %d: %g is not a probability", j, p)
		}
		sum += p
	}
	if !(math.Abs(sum-1) <= looseSum) {
		return 0, fmt.Errorf("probabilities sum to %.9g, which is not 1 within %g", sum, looseSum)
	}
	for _, p := range row {
		if p/sum < leastProb {
			clipped++
		}
	}
	asLogProbs.row(dst, row)
	return clipped, nil
}
