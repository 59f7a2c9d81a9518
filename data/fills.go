package data

import (
	"math"
	"slices"
)

// A fill is a large finite number in the place of -Inf: programs write it for masked classes, since -Inf makes NaN of
// some gradients. Two kinds of numbers are fills, each of which is the least number of every row that has it:
//
//   - a known one, which is at least as far below the others of the row as these are apart: the least float16, bfloat16,
//     float32 and float64, -1e9 and -1e30;
//   - another one, at most -1000, the least of the array and in two rows or more, which is 1000 times as far below the others of the row as these are
//     apart. Where the others of a row are equal, or there is one, the widest row that has the number counts; at least one
//     such row has two different others.
//
// Logarithms of probabilities are no fills where an exact 0 has a code, such as log 2^-126, and neither are those of
// multiples: a softmax at the multiple gives the probabilities again.

// known returns the known fills, as arrays of any type hold them.
func known() []float64 {
	return []float64{
		-65504,      // float16
		-0x1.fep127, // bfloat16
		-math.MaxFloat32,
		-math.MaxFloat64,
		-1e9, -0x1.dcp29, // float32 has -1e9, and bfloat16 the other one
		-1e30, float64(float32(-1e30)), -0x1.94p99, // float64, float32 and bfloat16
	}
}

const (
	leastUnknown = -1000 // a fill that is not known is at most this
	farBelow     = 1000  // and this many times as far below the others as these are apart
)

// zeroCodes are the numbers by which programs replace a probability of 0 before its logarithm is taken.
func zeroCodes() []float64 {
	return []float64{ZeroProb, LeastProb, math.SmallestNonzeroFloat64, 0x1p-1022, math.SmallestNonzeroFloat32, 0x1p-52, 0x1p-23,
		1e-20, 1e-16, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6}
}

// candidate is a number that may be a fill.
type candidate struct {
	value   float64
	known   bool
	rows    int     // that have it
	refuted bool    // it is not the least of a row, or not far enough below the others
	nearest float64 // distance to the least of the others, of the rows whose others do not differ
	widest  float64 // distance of the largest and the least of the others of a row
	probs   [][]float64
}

// countFills makes readers of a read its fills as they read -Inf, and returns the fills.
func (a scores) countFills() []float64 {
	fills := a.fills()
	a.CountAsMasked(fills)
	return fills
}

// fills returns the fills of a, largest first. It reads all rows once, and those with a candidate matter in a second pass.
func (a scores) fills() []float64 {
	if a.DType().Integer() {
		return nil
	}
	least, some := 0.0, false
	list := known()
	found := make([]bool, len(list))
	var buf []byte
	var masked bool
	err := a.each(&buf, 0, a.Rows(), &masked, func(_ int, row []float64) bool {
		for _, v := range row {
			if v > leastUnknown || math.IsInf(v, -1) {
				continue
			}
			if i := slices.Index(list, v); i >= 0 {
				found[i] = true
			} else {
				least = min(least, v)
			}
			some = true
		}
		return true
	})
	if err != nil || !some {
		return nil // reading the row will give the same error
	}
	var all []*candidate
	for i, v := range list {
		if found[i] {
			all = append(all, &candidate{value: v, known: true, nearest: math.Inf(1)})
		}
	}
	if least < 0 {
		all = append(all, &candidate{value: least, nearest: math.Inf(1)})
	}
	err = a.each(&buf, 0, a.Rows(), &masked, func(_ int, row []float64) bool {
		for _, c := range all {
			if !c.refuted {
				c.look(row)
			}
		}
		return true
	})
	if err != nil {
		return nil
	}
	var fills []float64
	for _, c := range all {
		if c.isFill() {
			fills = append(fills, c.value)
		}
	}
	slices.Sort(fills)
	slices.Reverse(fills)
	return fills
}

// look adds what a row says of the candidate.
func (c *candidate) look(row []float64) {
	if !slices.Contains(row, c.value) {
		return
	}
	c.rows++
	least, largest := math.Inf(1), math.Inf(-1)
	for _, v := range row {
		switch {
		case v < c.value && !math.IsInf(v, -1) && !slices.Contains(known(), v):
			c.refuted = true
			return
		case v > c.value:
			least, largest = min(least, v), max(largest, v)
		}
	}
	if math.IsInf(least, 1) { // no class is left
		c.refuted = c.refuted || !c.known
		return
	}
	apart, below := largest-least, least-c.value
	c.widest = max(c.widest, apart)
	switch {
	case c.known:
		c.refuted = below < apart
	case apart == 0:
		c.nearest = min(c.nearest, below)
	default:
		c.refuted = below < farBelow*apart
	}
	const some = 64
	if len(c.probs) < some {
		c.probs = append(c.probs, slices.Clone(row))
	}
}

// isFill judges the candidate after all rows.
func (c *candidate) isFill() bool {
	if c.refuted || c.rows == 0 {
		return false
	}
	return c.known || c.rows > 1 && c.widest > 0 && c.nearest >= farBelow*c.widest && !c.codesZero()
}

// codesZero reports whether rows are multiples of log-probabilities of which the candidate is the code of 0: then they are
// log-probabilities again, within the digits of float32, after a division.
func (c *candidate) codesZero() bool {
	for _, code := range zeroCodes() {
		by := c.value / math.Log(code)
		all := len(c.probs) > 0
		for _, row := range c.probs {
			sum := 0.0
			for _, v := range row {
				sum += math.Exp(v / by)
			}
			all = all && math.Abs(sum-1) <= 1e-3
		}
		if all {
			return true
		}
	}
	return false
}

// fillNote says that a number counts as -Inf.
func fillNote(fill float64) Note {
	return Note{Text: "logits of {value} count as -Inf: the fill of masked classes", Value: significant(fill)}
}
