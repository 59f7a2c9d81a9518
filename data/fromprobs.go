package data

import (
	"fmt"
	"math"
)

// LeastProb is the smallest probability whose logarithm is taken: a smaller one counts as
// this. It is the floor of the metric NLL, 691 nats.
const LeastProb = 1e-300

// ZeroProb is what a probability of exactly 0 in a file counts as: a small number that was
// rounded away. It is 2^-126, the smallest positive normal float32, and costs 87 nats.
const ZeroProb = 0x1p-126

// RaiseZeros writes ZeroProb over the numbers of a row that are exactly 0, and returns how
// many there were. Every other number stays as it is.
func RaiseZeros(row []float64) (zeros int) {
	for j, p := range row {
		if p == 0 {
			row[j] = ZeroProb
			zeros++
		}
	}
	return zeros
}

// ZeroNote says how many probabilities of an array are exactly 0 and what they count as.
func ZeroNote(zeros int) Note {
	return Note{Text: "{count} probabilities of exactly 0 count as 2^-126", Count: zeros}
}

// FromProbs writes the logarithms of a row of probabilities to dst, with the same bits as
// the logits of a set of kind probs: each probability is divided by the sum of the row.
// One of exactly 0 counts as ZeroProb, and others below LeastProb count as that. It returns
// how many were 0. A number outside [0, 1.01] is an error, and so are a sum that is not 1
// within 0.01 and a dst of another length.
func FromProbs(dst []float32, row []float64) (zeros int, err error) {
	if len(dst) != len(row) {
		return 0, fmt.Errorf("%d logarithms for %d probabilities", len(dst), len(row))
	}
	sum, zeros, class := sumOfProbs(row)
	if class >= 0 {
		return 0, fmt.Errorf("class %d: %g is not a probability", class, row[class])
	}
	if !(math.Abs(sum-1) <= looseSum) {
		return 0, fmt.Errorf("probabilities sum to %.9g, which is not 1 within %g", sum, looseSum)
	}
	asLogProbs.row(dst, row)
	return zeros, nil
}

// sumOfProbs returns the sum of a row, how many of its numbers are exactly 0, and the first
// class whose number is not a probability, or -1.
func sumOfProbs(row []float64) (sum float64, zeros, class int) {
	for j, p := range row {
		if !(p >= 0 && p <= 1+looseSum) {
			return 0, 0, j
		}
		if p == 0 {
			zeros++
		}
		sum += p
	}
	return sum, zeros, -1
}

// zeroLog is what the logarithm of ZeroProb is in a set.
var zeroLog = float32(math.Log(ZeroProb))

// Zeros returns how many logits of s are the logarithms of probabilities that were exactly 0 in a file;
// see ZeroProb.
func (s *Set) Zeros() int {
	zeros := 0
	for _, l := range s.Logits.Data {
		if l == zeroLog {
			zeros++
		}
	}
	return zeros
}

// logProb returns the logarithm of p/sum, as the number p of a file of probabilities is read.
func logProb(p, sum float64) float32 {
	if p == 0 {
		return zeroLog
	}
	return float32(math.Log(max(p/sum, LeastProb)))
}
