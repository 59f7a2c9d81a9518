package calib

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// isotonic is a nondecreasing function from [0, 1] to [0, 1]: linear between
// its knots and constant outside them. Without knots it is 0 everywhere. It is
// immutable.
type isotonic struct {
	X []float64 `json:"x"` // strictly increasing, in [0, 1]
	Y []float64 `json:"y"` // nondecreasing, in [0, 1]
}

// run is a stretch of points (x, t, w), neighbours in x, that share one value
// of the isotonic regression: a single point, points of equal x, or points
// that are known to be pooled.
type run struct {
	lo, hi float64 // least and largest x
	sum    float64 // sum of w t
	weight float64 // sum of w, positive
}

// regress returns the nondecreasing g that minimises the sum of w (t - g(x))^2
// over the points of runs, by pooling adjacent violators (Ayer et al. 1955):
// sort by x, join equal x to their weighted mean, then merge neighbours while
// the left mean is not below the right one. The knots are the two ends of each
// block, as scikit-learn has it. Runs may touch in equal lo but not overlap
// otherwise; they are reordered and overwritten. Linear time after the sort.
//
// With t of 0 or 1 and whole weights the sums are exact below 2^53, so the
// result does not depend on the order of the points.
func regress(runs []run) isotonic {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.lo, b.lo) })
	top := 0 // runs[:top] are blocks of increasing mean
	for i := 0; i < len(runs); {
		b := runs[i]
		for i++; i < len(runs) && runs[i].lo == b.lo; i++ {
			b = b.join(runs[i])
		}
		for top > 0 && runs[top-1].mean() >= b.mean() {
			top--
			b = runs[top].join(b)
		}
		runs[top] = b // top < i: what is overwritten has been read
		top++
	}
	g := isotonic{X: make([]float64, 0, 2*top), Y: make([]float64, 0, 2*top)}
	for _, b := range runs[:top] {
		g.X, g.Y = append(g.X, b.lo), append(g.Y, b.mean())
		if b.hi > b.lo {
			g.X, g.Y = append(g.X, b.hi), append(g.Y, b.mean())
		}
	}
	return g
}

func (r run) mean() float64 { return r.sum / r.weight }

// join returns the run of the points of r and next, which follows it.
func (r run) join(next run) run {
	return run{r.lo, max(r.hi, next.hi), r.sum + next.sum, r.weight + next.weight}
}

// at returns g(x) for x in [0, 1].
func (g isotonic) at(x float64) float64 { return g.between(upTo(g.X, x), x) }

// between returns g(x) where i knots are at or below x. It is nondecreasing in
// floating point too: subtraction, division by and product with a positive
// constant, and addition of a constant round monotonically, and the minimum
// keeps the end of a segment from passing the next knot.
func (g isotonic) between(i int, x float64) float64 {
	switch {
	case len(g.X) == 0:
		return 0
	case i == 0:
		return g.Y[0]
	case i == len(g.X) || g.Y[i-1] == g.Y[i]:
		return g.Y[i-1]
	}
	x0, y0, y1 := g.X[i-1], g.Y[i-1], g.Y[i]
	r := (x - x0) / (g.X[i] - x0)
	return min(y1, y0+float64((y1-y0)*r))
}

// check reports why g, read from a file, is not what isotonic promises.
func (g isotonic) check() error {
	if len(g.X) != len(g.Y) {
		return fmt.Errorf("%d knots x but %d values y", len(g.X), len(g.Y))
	}
	for i := range g.X {
		switch {
		case !(g.X[i] >= 0 && g.X[i] <= 1):
			return fmt.Errorf("x[%d] = %v is outside [0, 1]", i, g.X[i])
		case !(g.Y[i] >= 0 && g.Y[i] <= 1):
			return fmt.Errorf("y[%d] = %v is outside [0, 1]", i, g.Y[i])
		case i > 0 && g.X[i] <= g.X[i-1]:
			return fmt.Errorf("x[%d] = %v is not above x[%d] = %v", i, g.X[i], i-1, g.X[i-1])
		case i > 0 && g.Y[i] < g.Y[i-1]:
			return fmt.Errorf("y[%d] = %v is below y[%d] = %v", i, g.Y[i], i-1, g.Y[i-1])
		}
	}
	return nil
}

// tally turns pairs (x, 0 or 1) into runs while keeping only the positives, so
// that the n x k pairs of a set cost memory for n. It loses nothing: a pair
// strictly between two neighbouring positives is a 0, and a block of zeros is
// always pooled with the block before it, whose mean is not below 0; the zeros
// under the least positive are the block of value 0. So of the zeros of a gap
// only their number and the last x matter.
type tally struct {
	x    []float64 // x of the positives, strictly increasing
	find finder    // in x
	runs []run     // runs[0]: zeros below x[0]; runs[i+1]: x[i] and the zeros before x[i+1]
}

// newTally starts a tally with all its positives, which it sorts in place and
// keeps.
func newTally(positives []float64) *tally {
	slices.Sort(positives)
	t := &tally{x: positives[:0], runs: make([]run, 1, len(positives)+1)}
	t.runs[0] = run{lo: math.Inf(1), hi: math.Inf(-1)}
	for _, x := range positives {
		if n := len(t.x); n == 0 || t.x[n-1] != x {
			t.x = append(t.x, x)
			t.runs = append(t.runs, run{lo: x, hi: x})
		}
		last := &t.runs[len(t.runs)-1]
		last.sum++
		last.weight++
	}
	t.find = newFinder(t.x)
	return t
}

// zero adds a pair (x, 0).
func (t *tally) zero(x float64) {
	r := &t.runs[t.find.upTo(x)]
	r.weight++
	r.lo = min(r.lo, x) // moves runs[0] only: the others begin at their positive
	r.hi = max(r.hi, x)
}

// regress returns the isotonic regression of all pairs. It uses up t. A tally
// without positives yields no knots, the function 0.
func (t *tally) regress() isotonic {
	switch {
	case len(t.x) == 0:
		return isotonic{X: []float64{}, Y: []float64{}} // "[]" in a model, not "null"
	case t.runs[0].weight == 0:
		return regress(t.runs[1:])
	}
	return regress(t.runs)
}

// finder counts the elements of an increasing list in [0, 1] that are at or
// below some x. A table on the leading bits of x narrows the search: buckets
// are as fine, relative to x, as the list is long, down to 2^-32. Of the n k
// probabilities of a set nearly all are small and fall where the list is thin.
// The table takes at most 8 bytes an element.
type finder struct {
	list  []float64
	start []uint32 // start[b]: elements in the buckets before b; nil for a list too short to need it
	shift int      // bits of x that buckets ignore
}

func newFinder(list []float64) finder {
	const octaves = 32
	f := finder{list: list}
	if len(list) < 2*octaves {
		return f
	}
	f.shift = 52 - bits.Len(uint(len(list)/(2*octaves))) // 2^(52-shift) buckets an octave
	f.start = make([]uint32, f.bucket(1)+2)
	for _, x := range list {
		f.start[f.bucket(x)+1]++
	}
	for b := range f.bucket(1) + 1 {
		f.start[b+1] += f.start[b]
	}
	return f
}

// bucket returns the bucket of x in [0, 1], nondecreasing in x.
func (f *finder) bucket(x float64) int {
	const lowest = (1023 - 32) << 52 // bits of 2^-32
	return max(int(math.Float64bits(x))-lowest, 0) >> f.shift
}

// upTo returns the number of elements at or below x, in [0, 1].
func (f *finder) upTo(x float64) int {
	if f.start == nil {
		return upTo(f.list, x)
	}
	b := f.bucket(x)
	lo, hi := f.start[b], f.start[b+1]
	return int(lo) + upTo(f.list[lo:hi], x)
}

// upTo returns the number of elements of the increasing list at or below x.
func upTo(list []float64, x float64) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); list[mid] <= x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
