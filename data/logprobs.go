package data

import "math"

// logProbsTolerance is how far from 0 the logsumexp of a row of
// log-probabilities may be. What moves it there:
//
//   - rounding of the stored logarithms, at most u ln k with u = 2^-24 for
//     float32 (4e-7 for 1000 classes) and u = 2^-11 for float16 (3.4e-3);
//   - a floor added to each probability before the logarithm, k eps: 2e-5 where
//     1e-5 was added to two classes, as in one published set.
//
// Logits of trained networks are far from it: over 20 of them, of 10 to 100
// classes, the worst row of a set was never below 9. Single rows do come near
// 0 (6e-4), which is why every row is asked.
const logProbsTolerance = 4e-3

// LogProbs reports whether the rows are log-probabilities, whose offset, and
// with it the energy of a row, is lost: |logsumexp| is at most 4e-3 on every
// row. An empty matrix is not.
func LogProbs(rows Matrix) bool {
	for i := range rows.Rows {
		// Not "> tolerance": a NaN, which a Reader never yields, is no log-probability.
		if !(math.Abs(logSumExp(rows.Row(i))) <= logProbsTolerance) {
			return false
		}
	}
	return rows.Rows > 0
}

// logSumExp is a plain one; the fast kernel of package softmax is built on this
// package.
func logSumExp(row []float32) float64 {
	top := math.Inf(-1)
	for _, v := range row {
		top = max(top, float64(v))
	}
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}
