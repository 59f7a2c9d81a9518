package metrics

import (
	"math"
	"math/bits"
)

// exactSum adds numbers in [0, 2^63) as integers: 64 bits before the binary
// point, 64 after. Terms are cut to a multiple of 2^-64, which loses nothing
// of a double above 2^-12, and then the sum is exact. So its value does not
// depend on the order of the terms, which a float64 sum, compensated or not,
// cannot promise.
type exactSum struct{ whole, frac uint64 }

func (s *exactSum) add(v float64) {
	w := uint64(v)
	f := uint64((v - float64(w)) * 0x1p64)
	var carry uint64
	s.frac, carry = bits.Add64(s.frac, f, 0)
	s.whole += w + carry
}

// addShare is add for v in [0, 1], of which there are many: without a branch to
// guess.
func (s *exactSum) addShare(v float64) {
	b := math.Float64bits(v)
	e := b >> 52 // 1023 for v = 1, less for all others
	f := (b<<11 | 1<<63) >> (1022 - e)
	var carry uint64
	s.frac, carry = bits.Add64(s.frac, f, 0)
	s.whole += (e+1)>>10 + carry
}

// join adds another sum.
func (s *exactSum) join(t exactSum) {
	var carry uint64
	s.frac, carry = bits.Add64(s.frac, t.frac, 0)
	s.whole += t.whole + carry
}

// value returns the double nearest to the sum. Rounding once is what keeps
// doubled data at exactly the doubled sum.
func (s exactSum) value() float64 {
	if s.whole == 0 {
		return math.Ldexp(float64(s.frac), -64)
	}
	z := bits.LeadingZeros64(s.whole)
	top := s.whole<<z | s.frac>>(64-z) // a shift by 64 yields 0
	if s.frac<<z != 0 {
		top |= 1 // below the 53 bits kept: it only breaks ties
	}
	return math.Ldexp(float64(top), -z)
}

// mean returns the mean of n numbers, one or more.
func mean(v []float64) float64 {
	var s exactSum
	for _, x := range v {
		s.add(x)
	}
	return s.value() / float64(len(v))
}
