package data

import "math"

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

// perCent is what to do about a row that is no row of probabilities; "" where it is not in per cent. A row of
// one number has the probability of one of two classes.
func perCent(row []float64) string {
	switch {
	case len(row) == 1 && row[0] >= 2 && row[0] <= 100: // less is above 1 by another mistake
		return "if these are per cent, divide them by 100"
	case len(row) > 1 && inPercent(row):
		return "the row sums to 100, as per cent do: divide them by 100"
	}
	return ""
}
