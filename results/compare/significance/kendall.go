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
	var o Orders
	o.Add(a, b)
	return o.Tau()
}

// Orders counts how two lists order pairs, for a tau-b pooled over several of them: pairs
// are within the lists of one Add.
type Orders struct{ alike, inA, inB float64 }

// Add counts the pairs of two lists of the same length.
func (o *Orders) Add(a, b []float64) {
	for i := range a {
		for j := range i {
			x, y := float64(cmp.Compare(a[i], a[j])), float64(cmp.Compare(b[i], b[j]))
			o.alike += x * y
			o.inA += x * x
			o.inB += y * y
		}
	}
}

// Tau returns the tau-b of the pairs, as Kendall does.
func (o Orders) Tau() (tau float64, ok bool) {
	if o.inA == 0 || o.inB == 0 {
		return 0, false
	}
	return o.alike / math.Sqrt(o.inA*o.inB), true
}
