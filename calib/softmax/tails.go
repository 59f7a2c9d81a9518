package softmax

import (
	"fmt"
	"math"
	"math/bits"
)

// Tails writes to dst the tail sums at scale 1 of len(dst) rows of k logits,
// row-major: sum over the classes but the top one of exp(l_j - max). They are
// what QaTS ranks by: a larger tail is a smaller confidence, and tails stay
// distinct where confidences have long rounded to 1. A gap of more than 745
// between the two largest logits underflows to 0.
//
// Rows with equal multisets of logits get equal bits, whatever the order of
// their classes: exponentials relative to the second largest logit, which are
// in [0, 1], are summed as integers of 2^-shift, and integer addition has no
// order. The sum is at least 1; its error is below k 2^-shift < 2^-61 k^2 and
// the rounding of the exponentials themselves, 3e-13 relative for k = 1000.
// (Sums in float64 would need a rule for near ties: recomputing both from
// sorted rows.) Every element must go through the same exponential, wherever
// in the row it stands: vector code may not treat the last few otherwise.
//
// Tails panics when the lengths disagree.
func Tails(dst []float64, logits []float32, k int) {
	if len(logits) != len(dst)*k {
		panic(fmt.Sprintf("softmax: Tails: %d rows, %d logits of %d classes", len(dst), len(logits), k))
	}
	var buf [blockCols]float64
	for i := range dst {
		dst[i] = orderFreeTail(logits[i*k:(i+1)*k], &buf)
	}
}

// orderFreeTail returns the tail sum of one row; buf is scratch.
func orderFreeTail(row []float32, buf *[blockCols]float64) float64 {
	if len(row) < 2 {
		return 0
	}
	top, first, second := 0, row[0], float32(math.Inf(-1))
	for j, l := range row[1:] {
		switch {
		case l > first:
			top, first, second = j+1, l, first
		case l > second:
			second = l
		}
	}
	// The k-1 addends are at most 2^shift each: no sum reaches 2^63.
	shift := 62 - bits.Len(uint(len(row)))
	unit := float64(int64(1) << shift)
	var sum int64
	for lo := 0; lo < len(row); lo += blockCols {
		part := row[lo:min(lo+blockCols, len(row))]
		e := buf[:len(part)]
		exps(e, part, second, 1)
		if lo <= top && top < lo+len(part) {
			e[top-lo] = 0
		}
		for _, v := range e {
			sum += int64(float64(v * unit))
		}
	}
	return Exp(float64(second)-float64(first)) * (float64(sum) / unit)
}
