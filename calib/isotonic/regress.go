package isotonic

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/stretch"
)

// Function is a nondecreasing function of a probability, with values in [0, 1]: linear
// between its knots and constant outside them. Probabilities are given stretched (package
// stretch), and one that is tied with a knot has its value. Without knots the function is
// 0 everywhere. It is immutable.
type Function struct {
	X []float64 `json:"x"` // the stretched probabilities of the knots, strictly increasing
	Y []float64 `json:"y"` // nondecreasing, in [0, 1]
}

// tieRun is a group of points (x, t, w), neighbours in x, that have one value in the
// isotonic regression: a single point, points of equal x, or points that are known
// to be pooled.
type tieRun struct {
	Lo, Hi float64 // least and largest x
	Sum    float64 // sum of w t
	Weight float64 // sum of w, positive
}

// regress returns the nondecreasing g that minimises the sum of w (t - g(x))^2
// over the points of runs, by pooling adjacent violators (Ayer et al. 1955):
// sort by x, replace points of equal x by their weighted mean, then merge neighbours
// while the left mean is not below the right one. The knots are the two ends of each
// block, as in scikit-learn. Runs may have equal Lo but must not overlap otherwise.
// They are reordered and overwritten. The time after the sort is linear.
//
// With t of 0 or 1 and whole weights the sums are exact below 2^53, so the
// result does not depend on the order of the points.
func regress(runs []tieRun) Function {
	slices.SortFunc(runs, func(a, b tieRun) int { return cmp.Compare(a.Lo, b.Lo) })
	top := 0 // runs[:top] are blocks of increasing mean
	for i := 0; i < len(runs); {
		b := runs[i]
		for i++; i < len(runs) && runs[i].Lo == b.Lo; i++ {
			b = b.Join(runs[i])
		}
		for top > 0 && runs[top-1].mean() >= b.mean() {
			top--
			b = runs[top].Join(b)
		}
		runs[top] = b // top < i, so this run was read before
		top++
	}
	g := Function{X: make([]float64, 0, 2*top), Y: make([]float64, 0, 2*top)}
	for _, b := range runs[:top] {
		g.X, g.Y = append(g.X, b.Lo), append(g.Y, b.mean())
		if b.Hi > b.Lo {
			g.X, g.Y = append(g.X, b.Hi), append(g.Y, b.mean())
		}
	}
	return g
}

func (r tieRun) mean() float64 { return r.Sum / r.Weight }

// Join returns the run of the points of r and next, which follows it.
func (r tieRun) Join(next tieRun) tieRun {
	return tieRun{r.Lo, max(r.Hi, next.Hi), r.Sum + next.Sum, r.Weight + next.Weight}
}

// At returns g at the stretched probability x.
func (g Function) At(x float64) float64 { return g.Between(fit.UpTo(g.X, x), x) }

// Between returns g at x, given that upTo knots are at or below x. It is nondecreasing
// in floating point too, since every step rounds monotonically. The minimum keeps the
// end of a segment at or below the next knot.
func (g Function) Between(upTo int, x float64) float64 {
	switch {
	case len(g.X) == 0:
		return 0
	case upTo == 0:
		return g.Y[0]
	case upTo == len(g.X) || g.Y[upTo-1] == g.Y[upTo]:
		return g.Y[upTo-1]
	}
	if i, tied := tieShare.Find(g.X, upTo, x); tied {
		return g.Y[i]
	}
	y0, y1 := g.Y[upTo-1], g.Y[upTo]
	return min(y1, y0+float64((y1-y0)*stretch.Between(x, g.X[upTo-1], g.X[upTo])))
}

// Check returns an error if g, read from a file, is not a Function.
func (g Function) Check() error {
	if len(g.X) != len(g.Y) {
		return fmt.Errorf("%d knots x but %d values y", len(g.X), len(g.Y))
	}
	for i := range g.X {
		switch {
		case !(g.X[i] >= 0 && g.X[i] <= stretch.Most):
			return fmt.Errorf("x[%d] = %v is outside [0, %.3g]", i, g.X[i], stretch.Most)
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

// certain reports whether g is exactly 0 or 1 at some probability above 0. Masked classes have the
// probability 0, so a value of 0 there says nothing about others.
func (g Function) certain() bool {
	n := len(g.X)
	if n == 0 || g.Y[n-1] == 0 || g.Y[n-1] == 1 {
		return true
	}
	upTo := fit.UpTo(g.Y, 0) // knots of value 0
	return upTo > 0 && g.X[upTo-1] > 0
}

// CheckKnots is Check, and a function without knots is an error too.
func (g Function) CheckKnots() error {
	if len(g.X) == 0 {
		return errors.New("no knots")
	}
	return g.Check()
}
