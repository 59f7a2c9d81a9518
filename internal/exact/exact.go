// Package exact adds floating-point numbers without rounding, so that a sum
// does not depend on the order of its terms.
package exact

import (
	"math"
	"math/bits"
)

// Sum adds numbers in [0, 2^63) in fixed point: 64 bits before the binary
// point and 64 bits after it. A term is first cut to a multiple of 2^-64, which
// loses nothing of a float64 of 2^-12 or more. Then the sum is exact, so its
// value does not depend on the order of the terms. A float64 sum, compensated
// or not, cannot promise that. The zero Sum is 0.
type Sum struct{ whole, frac uint64 }

// Add adds v, in [0, 2^63).
func (s *Sum) Add(v float64) {
	w := uint64(v)
	f := uint64((v - float64(w)) * 0x1p64)
	var carry uint64
	s.frac, carry = bits.Add64(s.frac, f, 0)
	s.whole += w + carry
}

// Join adds the terms of another sum.
func (s *Sum) Join(o Sum) {
	var carry uint64
	s.frac, carry = bits.Add64(s.frac, o.frac, 0)
	s.whole += o.whole + carry
}

// Value returns the float64 nearest to the sum. Because it is rounded only once,
// the sum of doubled data is exactly twice the sum.
func (s Sum) Value() float64 {
	if s.whole == 0 {
		return math.Ldexp(float64(s.frac), -64)
	}
	z := bits.LeadingZeros64(s.whole)
	top := s.whole<<z | s.frac>>(64-z) // a shift by 64 gives 0
	if s.frac<<z != 0 {
		top |= 1 // below the 53 bits that remain: it only breaks ties of the rounding
	}
	return math.Ldexp(float64(top), -z)
}

// Mean returns the mean of n numbers in [0, 2^63), and 0 of none.
func Mean(v []float64) float64 {
	var s Sum
	for _, x := range v {
		s.Add(x)
	}
	return s.Value() / float64(max(1, len(v)))
}
