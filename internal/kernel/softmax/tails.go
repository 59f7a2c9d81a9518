package softmax

import (
	"fmt"
	"math"
	"math/bits"
)

// Tails writes to dst the tail sums at scale 1 of len(dst) rows of k logits,
// row-major: sum over all classes except the top one of exp(l_j - max). QaTS ranks
// by them: a larger tail is a smaller confidence, and tails stay distinct when
// confidences round to 1. A gap of more than 745 between the two largest logits
// underflows to 0.
//
// Rows with equal multisets of logits get equal bits for any order of their
// classes: exponentials relative to the second largest logit, which are in [0, 1],
// are rounded to multiples of 2^-shift and summed as integers, and integer addition
// has no order. The sum is at least 1; its relative error is below k 2^-52 for k <=
// 2048, 2.3e-13 for k = 1000, plus that of the exponentials themselves. (Sums in
// float64 would need a rule for near ties, such as recomputing both from sorted
// rows.)
//
// Tails panics if the lengths differ.
func Tails(dst []float64, logits []float32, k int) {
	tails(best, dst, logits, k)
}

func tails(on instructions, dst []float64, logits []float32, k int) {
	if len(logits) != len(dst)*k {
		panic(fmt.Sprintf("softmax: Tails: %d rows, %d logits of %d classes", len(dst), len(logits), k))
	}
	if k < 2 {
		clear(dst)
		return
	}
	if vectorTails(on, dst, logits, k) {
		return
	}
	var buf [blockCols]float64
	unit := tailUnit(k)
	for i := range dst {
		c := countTail(logits[i*k:(i+1)*k], unit, &buf)
		dst[i] = c.tail(unit)
	}
}

// tailUnit returns 2^shift, the value of an exponential of 1 in a sum of k. An
// addend is at most 2^51, so that adding and subtracting 2^52 rounds it to the
// nearest integer, and no sum reaches 2^63.
func tailUnit(k int) float64 {
	return float64(int64(1) << min(51, 62-bits.Len(uint(k))))
}

// counted is the tail sum of a row relative to its second largest logit: the
// classes below that logit in units, and the number of classes at it, which count 1
// each.
type counted struct {
	first, second float32
	units         int64
	seconds       int64 // including the top class if first = second
}

// tail returns the tail sum relative to the largest logit.
func (c counted) tail(unit float64) float64 {
	if c.first == c.second {
		c.seconds--
	}
	return Exp(float64(c.second)-float64(c.first)) * (float64(c.units+c.seconds*int64(unit)) / unit)
}

// integral plus a number in [0, 2^51] has that number, rounded to the nearest
// integer, in its low bits.
const integral = 0x1p52

// countTail returns the tail sum of one row of two classes or more; buf is
// scratch.
func countTail(row []float32, unit float64, buf *[blockCols]float64) counted {
	c := counted{first: row[0], second: float32(math.Inf(-1))}
	for _, l := range row[1:] {
		switch {
		case l > c.first:
			c.first, c.second = l, c.first
		case l > c.second:
			c.second = l
		}
	}
	r := rateOf(1)
	for start := 0; start < len(row); start += blockCols {
		part := row[start:min(start+blockCols, len(row))]
		e := buf[:len(part)]
		exps(e, part, c.second, r)
		for j, l := range part {
			switch {
			case l < c.second:
				c.units += int64(math.Float64bits(float64(e[j]*unit)+integral) - math.Float64bits(integral))
			case l == c.second:
				c.seconds++
			}
		}
	}
	return c
}
