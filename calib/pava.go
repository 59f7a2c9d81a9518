package calib

import (
	"cmp"
	"fmt"
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
