package softmax

import (
	"fmt"
	"math"
	"slices"
)

// Probs writes softmax(scale * row) to dst, of the same length, and returns
// dst. The largest probability is 1/(1+Tail) with the Tail of Rows, to the
// last bit.
//
// A probability is 0 if its exponential is below the smallest of the kernel, e^-670
// or 1e-291; FillTiny computes such probabilities.
//
// The predicted class is that of the logits: the lowest index of the largest
// probability is the lowest index of the largest logit. If a smaller logit would
// round to the same probability, it gets the float64 just below. Classes with equal
// logits get equal probabilities. Probs panics if the lengths differ.
func Probs(dst []float64, row []float32, scale float64) []float64 {
	probs(best, dst, row, scale)
	return dst
}

// ProbsAndTail is Probs that returns the Tail of Rows. The largest probability is
// 1/(1+Tail), and the sum of the others, Tail/(1+Tail), has all its digits where the
// largest rounds to 1.
func ProbsAndTail(dst []float64, row []float32, scale float64) (tail float64) {
	return probs(best, dst, row, scale)
}

func probs(on instructions, dst []float64, row []float32, scale float64) (tail float64) {
	if len(dst) != len(row) {
		panic(fmt.Sprintf("softmax: Probs: %d probabilities for %d classes", len(dst), len(row)))
	}
	if tail, ok := vectorProbs(on, dst, row, scale); ok {
		return tail
	}
	top, ties := peak(row)
	m := row[top]
	exps(dst, row, m, rateOf(scale))
	clearTop(dst, row, m, top, ties)
	tail = float64(ties) + sum(dst)
	s0 := 1 + tail
	conf := 1 / s0
	below := math.Nextafter(conf, 0)
	for j, e := range dst {
		p := e / s0
		switch {
		case row[j] == m:
			p = conf
		case p >= conf:
			p = below
		}
		dst[j] = p
	}
	return tail
}

// Top returns the lowest index of the largest logit of a row.
func Top(row []float32) int {
	if top, ok := vectorTop(best, row); ok {
		return top
	}
	top, _ := peak(row)
	return top
}

// FillTiny computes the probabilities that Probs left at 0, down to the smallest
// float64: the floor of the metric NLL is 1e-300, below the kernel's 1e-291. It is
// separate from Probs because it adds half of its cost, and sums do not need it.
func FillTiny(dst []float64, row []float32, scale float64) {
	if !slices.Contains(dst, 0) {
		return
	}
	top, _ := peak(row)
	m, most := float64(row[top]), dst[top]
	for j, p := range dst {
		if p == 0 {
			dst[j] = Exp(scale*(float64(row[j])-m)) * most
		}
	}
}

// Normalise divides q by its sum; a row of zeros becomes uniform.
func Normalise(q []float64) {
	sum := 0.0
	for _, v := range q {
		sum += v
	}
	for j := range q {
		if sum > 0 {
			q[j] /= sum
		} else {
			q[j] = 1 / float64(len(q))
		}
	}
}
