package significance

import (
	"cmp"
	"math"
)

// Kendall returns the rank correlation tau-b of Kendall (1945) of two lists of the
// same length, in [-1, 1]: the number of pairs that both order alike minus the number
// that they order differently, over the geometric mean of the numbers of pairs that
// each of them orders. ok is false if one of them orders no pair.
func Kendall(a, b []float64) (tau float64, ok bool) {
	alike, inA, inB := 0.0, 0.0, 0.0
	for i := range a {
		for j := range i {
			x, y := float64(cmp.Compare(a[i], a[j])), float64(cmp.Compare(b[i], b[j]))
			alike += x * y
			inA += x * x
			inB += y * y
		}
	}
	if inA == 0 || inB == 0 {
		return 0, false
	}
	return alike / math.Sqrt(inA*inB), true
}
