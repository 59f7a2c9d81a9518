package calib

import (
	"cmp"
	"math"
	"slices"
)

// Probabilities that are equal but for rounding are no order to learn from: of
// files in float32, and of logits that were probabilities once, ties differ by
// about 1e-7 of their size, and each would become a knot. So isotonic
// regression sees blocks: going up from the smallest, a block holds the values
// up to 1 + tieShare times its smallest member. (There is no chain: a value
// beyond that begins the next block, however near its neighbour is.) Values
// below tiniest are one block, at 0.
const (
	tieShare = 0x1p-22
	tiniest  = 1e-30
)

// clearTiny returns x, 0 where it is below tiniest.
func clearTiny(x float64) float64 {
	if x < tiniest {
		return 0
	}
	return x
}

// windows are how far below a positive the values are kept one by one, as a
// share of it; see tally. The first is nearly always enough.
func windows() []float64 { return []float64{0x1p-18, 0x1p-9, math.Inf(1)} }

// tally turns pairs (x, 0 or 1) into runs for regress while keeping only the
// positives and the zeros near them, so that the n x k pairs of a set cost
// memory for n. It loses nothing: a block of zeros is always pooled with the
// block before it, whose mean is not below 0, and the zeros under the least
// positive are the block of value 0. So of the zeros far from any positive only
// their number and their range matter. The zeros near one are kept, since they
// may share its block, and since the smallest member of a block is only known
// from the values below it: as far down as there is a gap wider than a tie.
type tally struct {
	positive []run     // of equal x, increasing; sum is the number of positives, weight that of all pairs there
	x        []float64 // theirs
	find     finder    // in x
	far      []run     // far[i]: zeros between x[i-1] and x[i], near neither
	near     []float64
	low      float64 // zeros from low x[i] to x[i] are near
}

// newTally starts a tally with all its positives, which it sorts in place and
// keeps. The window is one of windows.
func newTally(positives []float64, window float64) *tally {
	for i, x := range positives {
		positives[i] = clearTiny(x)
	}
	slices.Sort(positives)
	t := &tally{x: positives[:0], low: 1 / (1 + window)}
	for _, x := range positives {
		if n := len(t.x); n == 0 || t.x[n-1] != x {
			t.x = append(t.x, x)
			t.positive = append(t.positive, run{lo: x, hi: x})
		}
		last := &t.positive[len(t.positive)-1]
		last.sum++
		last.weight++
	}
	t.far = make([]run, len(t.x)+1)
	t.find = newFinder(t.x)
	return t
}

// least returns the x from which on every zero counts, where there is a
// positive; see unlikely.
func (t *tally) least() float64 { return t.low * t.x[0] }

// zero adds a pair (x, 0).
func (t *tally) zero(x float64) {
	x = clearTiny(x)
	i := t.find.upTo(x)
	switch {
	case i > 0 && x == t.x[i-1]:
		t.positive[i-1].weight++
	case i > 0 && x <= endOfTie(t.x[i-1]), i < len(t.x) && x >= t.low*t.x[i]:
		t.near = append(t.near, x)
	case t.far[i].weight == 0:
		t.far[i] = run{lo: x, hi: x, weight: 1}
	default:
		r := &t.far[i]
		r.lo, r.hi, r.weight = min(r.lo, x), max(r.hi, x), r.weight+1
	}
}

// unlikely adds a pair (x, 0) with x below least, where zero is not called for
// such pairs. Only the largest of them matters: it ends the block of value 0,
// which is why the range of the others may begin anywhere. It reports whether x
// is a new largest one.
func (t *tally) unlikely(x float64) bool {
	if x = clearTiny(x); t.far[0].weight > 0 && x <= t.far[0].hi {
		return false
	}
	t.far[0] = run{lo: 0, hi: x, weight: 1}
	return true
}

// endOfTie returns the largest value in the block whose smallest is x.
func endOfTie(x float64) float64 { return x * (1 + tieShare) }

// regress returns the isotonic regression of all pairs, and whether every block
// with a positive is certain: if not, a wider window is needed. It uses up t. A
// tally without positives yields no knots, the function 0.
func (t *tally) regress() (isotonic, bool) {
	if len(t.x) == 0 {
		return isotonic{X: []float64{}, Y: []float64{}}, true // "[]" in a model, not "null"
	}
	runs := t.positive
	for _, x := range t.near {
		runs = append(runs, run{lo: x, hi: x, weight: 1})
	}
	for _, r := range t.far {
		if r.weight > 0 {
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.lo, b.lo) })
	blocks := runs[:0]
	certain, end := true, math.Inf(-1) // is the smallest member of the last block known? the last value
	for _, r := range runs {
		last := len(blocks) - 1
		switch {
		case r.hi > r.lo: // zeros whose values are not kept
			certain = false
			blocks = append(blocks, r)
		case certain && last >= 0 && r.lo <= endOfTie(blocks[last].lo):
			blocks[last] = blocks[last].join(r)
		case certain || r.lo > endOfTie(end):
			certain = true
			blocks = append(blocks, r)
		case r.sum > 0:
			return isotonic{}, false
		default: // a zero among zeros
			blocks = append(blocks, r)
		}
		end = max(end, r.hi)
	}
	return regress(blocks), true
}
