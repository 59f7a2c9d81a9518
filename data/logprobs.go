package data

import "math"

// logProbsTolerance is the largest |logsumexp| of a row of log-probabilities. It
// is not 0 because
//
//   - the stored logarithms are rounded: at most u ln k with u = 2^-24 for float32
//     (4e-7 for 1000 classes) and u = 2^-11 for float16 (3.4e-3);
//   - a floor eps may have been added to each probability, which adds k eps: 2e-5
//     for 1e-5 and two classes, as in one published set.
//
// Logits of trained networks are far from it: in each of 20 sets of 10 to 100 classes the
// row furthest from 0 had at least 9. Single rows come as near as 6e-4, so every row is
// checked.
const logProbsTolerance = 4e-3

// LogProbs reports whether all rows are log-probabilities: |logsumexp| is at most
// 4e-3. The offset of such rows, and so their energy, is lost. For an empty matrix
// it is false.
func LogProbs(rows Matrix) bool {
	for i := range rows.Rows {
		// Not "> tolerance", so that a NaN is not a log-probability.
		if !(math.Abs(logSumExp(rows.Row(i))) <= logProbsTolerance) {
			return false
		}
	}
	return rows.Rows > 0
}

// logSumExp returns log sum exp of a row.
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
