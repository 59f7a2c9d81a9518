package softmax

import (
	"fmt"
	"math"
)

// Moments are the sums over a row of k logits at one scale; the package comment has
// the formulas. S0 = 1 + Tail.
type Moments struct {
	Max  float32 // m, the largest logit
	Top  int32   // t, the lowest class with that logit
	Tail float64 // >= 0; the other classes at the maximum contribute 1 each
	S1   float64 // <= 0
	S2   float64 // >= 0
}

// Conf returns the largest probability, 1/S0, in (0, 1]. It rounds to 1 where
// Tail < 2^-54; Tail still tells such rows apart.
func (m *Moments) Conf() float64 { return 1 / (1 + m.Tail) }

// NLL returns the negative log-likelihood in nats of the class whose logit is
// label, at the scale of m: log S0 - scale (label - max).
func (m *Moments) NLL(scale float64, label float32) float64 {
	return Log1p(m.Tail) - float64(scale*(float64(label)-float64(m.Max)))
}

// Slope returns the derivative of NLL in the scale, E_p[l] - label.
func (m *Moments) Slope(label float32) float64 {
	return m.S1/(1+m.Tail) - (float64(label) - float64(m.Max))
}

// Variance returns the second derivative of NLL in the scale, Var_p[l] >= 0.
func (m *Moments) Variance() float64 {
	s0 := 1 + m.Tail
	mean := m.S1 / s0
	return max(0, m.S2/s0-float64(mean*mean))
}

// blockCols is the number of classes of a row that are processed at a time: their
// exponentials stay in the nearest cache.
const blockCols = 256

// Rows writes to dst the moments of len(dst) rows of k logits, row-major. The
// scales are finite and >= 0: one for each row or a single one for all.
//
// A class whose logit is 670/scale or more below the maximum counts 0 in every sum.
// The order of the sums is fixed by the positions of the classes, so a permutation
// of the classes may change the last bits; Tails has no such dependence. Rows
// panics if the lengths differ.
func Rows(dst []Moments, logits []float32, k int, scale []float64) {
	rows(best, dst, logits, k, scale)
}

func rows(on instructions, dst []Moments, logits []float32, k int, scale []float64) {
	n := len(dst)
	if len(logits) != n*k || (len(scale) != 1 && len(scale) != n) {
		panic(fmt.Sprintf("softmax: Rows: %d rows, %d logits of %d classes, %d scales", n, len(logits), k, len(scale)))
	}
	if n == 0 || vectorRows(on, dst, logits, k, scale) {
		return
	}
	var buf [blockCols]float64
	r := rateOf(scale[0])
	for i := range dst {
		if len(scale) > 1 {
			r = rateOf(scale[i])
		}
		dst[i] = moments(logits[i*k:(i+1)*k], r, &buf)
	}
}

// moments returns the moments of one row at rate r; buf is scratch.
func moments(row []float32, r rate, buf *[blockCols]float64) Moments {
	top, ties := peak(row)
	m := Moments{Max: row[top], Top: int32(top)}
	max := float64(m.Max)
	if len(row) < narrow {
		e := buf[:len(row)]
		exps(e, row, m.Max, r)
		clearTop(e, row, m.Max, top, ties)
		var tail, s1, s2 float64
		for j, l := range row {
			d := float64(l) - max
			de := float64(d * e[j])
			tail += e[j]
			s1 += de
			s2 = math.FMA(d, de, s2)
		}
		m.Tail, m.S1, m.S2 = float64(ties)+tail, s1, s2
		return m
	}
	var sums momentLanes
	for start := 0; start < len(row); start += blockCols {
		part := row[start:min(start+blockCols, len(row))]
		e := buf[:len(part)]
		exps(e, part, m.Max, r)
		clearTop(e, part, m.Max, top-start, ties)
		sums.add(e, part, max)
	}
	m.Tail, m.S1, m.S2 = float64(ties)+sums.tail.total(), sums.s1.total(), sums.s2.total()
	return m
}
