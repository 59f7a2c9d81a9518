package data

import "math"

// LogProbs reports whether the rows are log-probabilities: |logsumexp| is at
// most 1e-6 on every row. An empty matrix is not.
func LogProbs(rows Matrix) bool {
	for i := range rows.Rows {
		if math.Abs(logSumExp(rows.Row(i))) > 1e-6 {
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
