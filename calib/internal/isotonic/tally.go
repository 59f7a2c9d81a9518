package isotonic

import (
	"cmp"
	"math"
	"slices"
)

// Probabilities that are equal but for rounding are no order to learn from: of
// files in float32, and of logits that were probabilities once, ties differ by
// about 1e-7 of their size, and each would become a knot. So isotonic
// regression sees blocks: going up from the smallest, a block holds the values
// up to 1 + TieShare times its smallest member. (There is no chain: a value
// beyond that begins the next block, however near its neighbour is.) Values
// below tiniest are one block, at 0.
const (
	TieShare = 0x1p-22
	tiniest  = 1e-30
)

// ClearTiny returns x, 0 where it is below tiniest.
func ClearTiny(x float64) float64 {
	if x < tiniest {
		return 0
	}
	return x
}

// Windows are how far below a positive the values are kept one by one, as a
// share of it; see tally. The first is nearly always enough.
func Windows() []float64 { return []float64{0x1p-18, 0x1p-9, math.Inf(1)} }

// Tally turns pairs (x, 0 or 1) into runs for regress while keeping only the
// positives and the zeros near them, so that the n x k pairs of a set cost
// memory for n. It loses nothing: a block of zeros is always pooled with the
// block before it, whose mean is not below 0, and the zeros under the least
// positive are the block of value 0. So of the zeros far from any positive only
// their number and their range matter. The zeros near one are kept, since they
// may share its block, and since the smallest member of a block is only known
// from the values below it: as far down as there is a gap wider than a tie.
type Tally struct {
	positive []Run     // of equal x, increasing; sum is the number of positives, weight that of all pairs there
	x        []float64 // theirs
	find     Finder    // in x
	far      []Run     // far[i]: zeros between x[i-1] and x[i], near neither
	near     []float64
	low      float64 // zeros from low x[i] to x[i] are near
}

// NewTally starts a tally with all its positives, which it sorts in place and
// keeps. The window is one of windows.
func NewTally(positives []float64, window float64) *Tally {
	for i, x := range positives {
		positives[i] = ClearTiny(x)
	}
	slices.Sort(positives)
	t := &Tally{x: positives[:0], low: 1 / (1 + window)}
	for _, x := range positives {
		if n := len(t.x); n == 0 || t.x[n-1] != x {
			t.x = append(t.x, x)
			t.positive = append(t.positive, Run{Lo: x, Hi: x})
		}
		last := &t.positive[len(t.positive)-1]
		last.Sum++
		last.Weight++
	}
	t.far = make([]Run, len(t.x)+1)
	t.find = NewFinder(t.x)
	return t
}

// Least returns the x from which on every zero counts, where there is a
// positive; see unlikely.
func (t *Tally) Least() float64 { return t.low * t.x[0] }

// AddZero adds a pair (x, 0).
func (t *Tally) AddZero(x float64) {
	x = ClearTiny(x)
	i := t.find.UpTo(x)
	switch {
	case i > 0 && x == t.x[i-1]:
		t.positive[i-1].Weight++
	case i > 0 && x <= endOfTie(t.x[i-1]), i < len(t.x) && x >= t.low*t.x[i]:
		t.near = append(t.near, x)
	case t.far[i].Weight == 0:
		t.far[i] = Run{Lo: x, Hi: x, Weight: 1}
	default:
		r := &t.far[i]
		r.Lo, r.Hi, r.Weight = min(r.Lo, x), max(r.Hi, x), r.Weight+1
	}
}

// AddUnlikelyZero adds a pair (x, 0) with x below Least, where AddZero is not called for
// such pairs. Only the largest of them matters: it ends the block of value 0,
// which is why the range of the others may begin anywhere. It reports whether x
// is a new largest one.
func (t *Tally) AddUnlikelyZero(x float64) bool {
	if x = ClearTiny(x); t.far[0].Weight > 0 && x <= t.far[0].Hi {
		return false
	}
	t.far[0] = Run{Lo: 0, Hi: x, Weight: 1}
	return true
}

// endOfTie returns the largest value in the block whose smallest is x.
func endOfTie(x float64) float64 { return x * (1 + TieShare) }

// Regress returns the isotonic regression of all pairs, and whether every block
// with a positive is certain: if not, a wider window is needed. It uses up t. A
// tally without positives yields no knots, the function 0.
func (t *Tally) Regress() (Function, bool) {
	if len(t.x) == 0 {
		return Function{X: []float64{}, Y: []float64{}}, true // "[]" in a model, not "null"
	}
	runs := t.positive
	for _, x := range t.near {
		runs = append(runs, Run{Lo: x, Hi: x, Weight: 1})
	}
	for _, r := range t.far {
		if r.Weight > 0 {
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.Lo, b.Lo) })
	blocks := runs[:0]
	certain, end := true, math.Inf(-1) // is the smallest member of the last block known? the last value
	for _, r := range runs {
		last := len(blocks) - 1
		switch {
		case r.Hi > r.Lo: // zeros whose values are not kept
			certain = false
			blocks = append(blocks, r)
		case certain && last >= 0 && r.Lo <= endOfTie(blocks[last].Lo):
			blocks[last] = blocks[last].Join(r)
		case certain || r.Lo > endOfTie(end):
			certain = true
			blocks = append(blocks, r)
		case r.Sum > 0:
			return Function{}, false
		default: // a zero among zeros
			blocks = append(blocks, r)
		}
		end = max(end, r.Hi)
	}
	return Regress(blocks), true
}
