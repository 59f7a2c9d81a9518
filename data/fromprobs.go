package data

import (
	"fmt"
	"math"
)

// LeastProb is the smallest positive normal float32, 2^-126. Smaller probabilities, such as
// 0, are read as this value.
const LeastProb = 0x1p-126

// FromProbs writes the logarithms of a row of probabilities to dst, with the same bits as
// the logits of a set of kind probs: each probability is divided by the sum of the row, and
// smaller ones become LeastProb. It returns how many there were. A number outside [0, 1] is
// an error, and so is a sum that is not 1 within 0.01.
func FromProbs(dst []float32, row []float64) (clipped int, err error) {
	sum, clipped, class := sumOfProbs(row)
	if class >= 0 {
		return 0, fmt.Errorf("class %d: %g is not a probability", class, row[class])
	}
	if !(math.Abs(sum-1) <= looseSum) {
		return 0, fmt.Errorf("probabilities sum to %.9g, which is not 1 within %g", sum, looseSum)
	}
	asLogProbs.row(dst, row)
	return clipped, nil
}

// sumOfProbs returns the sum of a row, how many of its numbers are less than LeastProb
// after the division by it, and the first class whose number is not a probability, or -1.
func sumOfProbs(row []float64) (sum float64, tiny, class int) {
	for j, p := range row {
		if !(p >= 0 && p <= 1+looseSum) {
			return 0, 0, j
		}
		sum += p
	}
	for _, p := range row {
		if p/sum < LeastProb {
			tiny++
		}
	}
	return sum, tiny, -1
}
