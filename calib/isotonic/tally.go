package isotonic

import (
	"cmp"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/stretch"
)

// tieShare says which probabilities are one point of a regression. Otherwise each of them
// would become a knot.
const tieShare = stretch.Logits

// windows returns the windows to try in turn; see newTally. Values in a window below a
// positive are kept one by one. A window is a share of the positive. The first is
// nearly always wide enough.
func windows() []float64 { return []float64{0x1p-18, 0x1p-9, math.Inf(1)} }

// tally turns pairs of a stretched probability x and an outcome, 0 or 1, into runs for
// Regress. Tied pairs are one block. It keeps only the positives and the zeros near them,
// so the n x k pairs of a set need memory for n, where a sort of all pairs would take 400 MB
// for 25,000 rows of 1,000 classes. The result is exact. A block of zeros is
// always pooled with the block before it, whose mean is not below 0, and the zeros below
// the least positive are the block of value 0. So for the zeros far from all positives,
// only their number and range matter. The zeros near a positive are kept, for two
// reasons: they may be in its block, and the smallest member of a block follows only from
// the values below it, down to a gap that is wider than a tie.
type tally struct {
	positive []tieRun  // positives of equal x, increasing; Sum counts them, Weight counts all pairs at x
	x        []float64 // the x of positive
	far      []tieRun  // far[i]: zeros between x[i-1] and x[i], near neither
	near     []float64
	low      float64 // zeros from low x[i] to x[i] are near
}

// newTally returns a tally with all its positives, which it sorts in place and
// keeps. The window is one of windows.
func newTally(positives []float64, window float64) *tally {
	slices.Sort(positives)
	t := &tally{x: positives[:0], low: 1 / (1 + window)}
	for _, x := range positives {
		if n := len(t.x); n == 0 || t.x[n-1] != x {
			t.x = append(t.x, x)
			t.positive = append(t.positive, tieRun{Lo: x, Hi: x})
		}
		last := &t.positive[len(t.positive)-1]
		last.Sum++
		last.Weight++
	}
	t.far = make([]tieRun, len(t.x)+1)
	return t
}

// Least returns the least x at which every zero must be added by AddZero; see
// AddUnlikelyZero. There must be a positive.
func (t *tally) Least() float64 { return t.low * t.x[0] }

// AddZero adds a pair (x, 0).
func (t *tally) AddZero(x float64) {
	i := fit.UpTo(t.x, x)
	switch {
	case i > 0 && x == t.x[i-1]:
		t.positive[i-1].Weight++
	case i > 0 && x <= tieShare.End(t.x[i-1]), i < len(t.x) && x >= t.low*t.x[i]:
		t.near = append(t.near, x)
	case t.far[i].Weight == 0:
		t.far[i] = tieRun{Lo: x, Hi: x, Weight: 1}
	default:
		r := &t.far[i]
		r.Lo, r.Hi, r.Weight = min(r.Lo, x), max(r.Hi, x), r.Weight+1
	}
}

// AddUnlikelyZero adds a pair (x, 0) with x below Least, if AddZero is not called for
// such pairs. Only the largest of them matters, because it ends the block of value 0.
// So smaller ones may be left out. It reports whether x is the largest so far.
func (t *tally) AddUnlikelyZero(x float64) bool {
	if t.far[0].Weight > 0 && x <= t.far[0].Hi {
		return false
	}
	t.far[0] = tieRun{Lo: 0, Hi: x, Weight: 1}
	return true
}

// Regress returns the isotonic regression of all pairs, and whether every block
// with a positive is certain. If not, a wider window is needed. t must not be used
// afterwards. A tally without positives gives no knots, the function 0.
func (t *tally) Regress() (Function, bool) {
	if len(t.x) == 0 {
		return Function{X: []float64{}, Y: []float64{}}, true // "[]" in a model, not "null"
	}
	runs := t.positive
	for _, x := range t.near {
		runs = append(runs, tieRun{Lo: x, Hi: x, Weight: 1})
	}
	for _, r := range t.far {
		if r.Weight > 0 {
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b tieRun) int { return cmp.Compare(a.Lo, b.Lo) })
	blocks := runs[:0]
	certain, end := true, math.Inf(-1) // whether the smallest member of the last block is known; the last value
	for _, r := range runs {
		last := len(blocks) - 1
		switch {
		case r.Hi > r.Lo: // zeros whose values are not kept
			certain = false
			blocks = append(blocks, r)
		case certain && last >= 0 && r.Lo <= tieShare.End(blocks[last].Lo):
			blocks[last] = blocks[last].Join(r)
		case certain || r.Lo > tieShare.End(end):
			certain = true
			blocks = append(blocks, r)
		case r.Sum > 0:
			return Function{}, false
		default: // a zero among zeros
			blocks = append(blocks, r)
		}
		end = max(end, r.Hi)
	}
	return regress(blocks), true
}
