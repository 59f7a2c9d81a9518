// Package stretch compares probabilities where they are precise.
//
// A probability p near 1 has few digits left in float64: from 1 - 1e-16 on it is 1. Its
// complement 1-p has all of them if it is added up from the probabilities of the other
// classes. A stretched probability has all digits at both ends,
//
//	x = p            for p <= 1/2
//	x = 1/(4 (1-p))  for p > 1/2,
//
// and rises smoothly with p, from 0 to infinity. So whatever sorts probabilities, or
// looks for equal ones, does it by x: 2^-22 of x is 2^-22 of p where p is small, and
// 2^-22 of 1-p where p is near 1.
//
// # Ties
//
// The order of probabilities that differ by rounding alone has no meaning, and none of
// them may become a step of a fitted function or decide on which side of an edge a row
// is. So rising x are grouped: from the least up, a group holds those up to End of its
// least member. (A larger one begins the next group, even if its neighbour is near.)
// Share says how wide a group is.
//
// Bins of equal mass, and so AECE, have another measure, Confidence, which is absolute: what they
// average is the confidence itself, so an error of it moves the average by its size, wherever it
// lies. By a Share of 2^-22 confidences of .9 that differ by 2e-8 would be equal, and AECE would
// move; by Confidence everywhere a class of probability 1e-12 would be equal to one of 1e-10,
// which logarithms tell apart.
package stretch

import "iter"

// Share is the relative difference up to which stretched probabilities count as equal.
type Share float64

const (
	// Logits is the share for probabilities that are computed from logits in float32.
	// Such logits may be logarithms of rounded probabilities, or come from sums in
	// another order; then equal ones differ by about 1e-7 of their size.
	Logits Share = 0x1p-22

	// Sums is the share for probabilities in float64. Sums of k of them in another order
	// differ by some 2^-53, times the square root of k.
	Sums Share = 0x1p-46
)

// Confidence is the difference of two confidences up to which they count as equal in bins of equal
// mass: rounding, in a float32 file or in the exp of another processor, must not decide on
// which side of a boundary a row is.
const Confidence = 1e-9

// Most is the x of p = 1, whose complement is at most 2^-1002.
const Most = 0x1p1000

// Of returns the x of probability p, in [0, Most]. rest is 1-p to all digits.
func Of(p, rest float64) float64 {
	if p <= 0.5 {
		return p
	}
	return min(0.25/rest, Most)
}

// OfTail returns the x of probability p of a class. tail is the sum of exp(l - max l) over
// all classes of the row but the top one, which alone can have p above 1/2.
func OfTail(p, tail float64) float64 {
	if p <= 0.5 {
		return p
	}
	return Of(p, tail/(1+tail))
}

// Prob returns p.
func Prob(x float64) float64 {
	if x <= 0.5 {
		return x
	}
	return 1 - 0.25/x
}

// Rest returns 1-p.
func Rest(x float64) float64 {
	if x <= 0.5 {
		return 1 - x
	}
	return 0.25 / x
}

// End returns the largest x in the group whose least member is x.
func (s Share) End(x float64) float64 { return x * (1 + float64(s)) }

// Groups yields the groups of n rising x, at(0) to at(n-1): a group is those from lo to
// hi-1. One that is less than those before it, by the rounding of a file, is in their group.
func (s Share) Groups(n int, at func(i int) float64) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for lo, hi := 0, 0; lo < n; lo = hi {
			end := s.End(at(lo))
			for hi = lo + 1; hi < n && at(hi) <= end; hi++ {
			}
			if !yield(lo, hi) {
				return
			}
		}
	}
}

// Find looks for x in a rising list, of which upTo are at or below it. It returns the
// place of one that is tied with x, the lower one of two, or else the place of the first
// above x.
func (s Share) Find(rising []float64, upTo int, x float64) (i int, tied bool) {
	switch {
	case upTo > 0 && x <= s.End(rising[upTo-1]):
		return upTo - 1, true
	case upTo < len(rising) && rising[upTo] <= s.End(x):
		return upTo, true
	}
	return upTo, false
}

// Between returns where x lies between lo and hi, lo < hi, in probability:
//
//	(p(x) - p(lo)) / (p(hi) - p(lo)),
//
// in [0, 1] for lo <= x <= hi. It keeps the digits that differences of probabilities
// near 1 lose, and does not fall as x rises, since every step rounds monotonically.
func Between(x, lo, hi float64) float64 {
	if lo < 0.5 {
		return min((Prob(x)-lo)/(Prob(hi)-lo), 1)
	}
	return min(rise(x, lo)/rise(hi, lo), 1)
}

// rise returns 1 - lo/x = (x-lo)/x.
func rise(x, lo float64) float64 {
	if x > 2*lo {
		return 1 - lo/x
	}
	return (x - lo) / x // the difference is exact
}

// Middle returns the x of the mean of two probabilities.
func Middle(a, b float64) float64 {
	return Of((Prob(a)+Prob(b))/2, (Rest(a)+Rest(b))/2)
}
