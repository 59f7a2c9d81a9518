package isotonic

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// vennPoint is one row of a binary problem: its score, a stretched probability or a
// difference of two logits, and whether it is positive.
type vennPoint struct {
	X   float64
	Hit bool
}

// vennOutcomes are the calibration rows of a binary problem, grouped by their score.
type vennOutcomes struct {
	X    fit.Packed[float64] `json:"x"`    // the scores, strictly increasing
	Rows []int               `json:"rows"` // rows at each score, 1 or more
	Hits []int               `json:"hits"` // positive rows among them
}

// groupOutcomes returns the rows in order, grouped by score. Points are sorted in
// place. Stretched probabilities that are tied form one group, whose score is the least
// of them. Differences of logits form a group only if they are equal, because no sum is
// rounded in them.
func groupOutcomes(points []vennPoint, stretched bool) vennOutcomes {
	slices.SortFunc(points, func(a, b vennPoint) int { return cmp.Compare(a.X, b.X) })
	o := vennOutcomes{X: fit.Packed[float64]{}, Rows: []int{}, Hits: []int{}} // "[]" in a model, not "null"
	for lo, hi := range vennShare(stretched).Groups(len(points), func(i int) float64 { return points[i].X }) {
		hits := 0
		for _, p := range points[lo:hi] {
			if p.Hit {
				hits++
			}
		}
		o.X, o.Rows, o.Hits = append(o.X, points[lo].X), append(o.Rows, hi-lo), append(o.Hits, hits)
	}
	return o
}

// vennShare returns the share up to which scores count as equal.
func vennShare(stretched bool) stretch.Share {
	if stretched {
		return tieShare
	}
	return 0
}

// Check returns an error if o, read from a file, is not a list of groups.
func (o vennOutcomes) Check() error {
	if len(o.Rows) != len(o.X) || len(o.Hits) != len(o.X) {
		return fmt.Errorf("%d scores but %d rows and %d hits", len(o.X), len(o.Rows), len(o.Hits))
	}
	total := int64(0)
	for i, x := range o.X {
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0) || i > 0 && x <= o.X[i-1]:
			return fmt.Errorf("x[%d] = %v: want increasing numbers", i, x)
		case o.Rows[i] < 1 || o.Rows[i] > math.MaxInt32 || o.Hits[i] < 0 || o.Hits[i] > o.Rows[i]:
			return fmt.Errorf("%d hits in %d rows at x[%d]", o.Hits[i], o.Rows[i], i)
		}
		if total += int64(o.Rows[i]); total > math.MaxInt32 {
			return errors.New("2^31 rows or more")
		}
	}
	return nil
}

// vennAbers predicts a pair of probabilities for a score s (Vovk, Petej and Fedorova
// 2015): p0 and p1 are the values at s of the isotonic regressions of the calibration
// rows and of one more row, with score s and outcome 0 or 1.
type vennAbers struct {
	x    []float64
	ties stretch.Share

	// odds[2 i] is log((1-p0)/p1) of a score between x[i-1] and x[i], and odds[2 i + 1]
	// that of a score equal to x[i].
	odds []float64
}

// newVennAbers returns the predictor of the given rows, grouped by stretched
// probabilities or by differences. It takes linear time.
func newVennAbers(o vennOutcomes, stretched bool) vennAbers {
	m := len(o.X)
	v := vennAbers{o.X, vennShare(stretched), make([]float64, 2*m+1)}
	high := raised(o.Rows, o.Hits)
	rows, misses := slices.Clone(o.Rows), slices.Clone(o.Hits)
	for i := range misses {
		misses[i] = rows[i] - misses[i]
	}
	slices.Reverse(rows)
	slices.Reverse(misses)
	low := raised(rows, misses) // by symmetry 1-p0, from the largest score down
	for i := range high {
		high[i] = softmax.Log(high[i])
	}
	for i := range low {
		low[i] = softmax.Log(low[i])
	}
	for i := range m {
		v.odds[2*i] = low[m-i] - high[i]
		v.odds[2*i+1] = low[m-i-1] - high[i]
	}
	v.odds[2*m] = low[0] - high[m]
	return v
}

// Odds returns log((1-p0)/p1) at a score. A score that is tied with a group has the value of the
// group. The merged probability of the two, which
// minimises the worst regret of the logarithmic loss, is
// p1/(1-p0+p1) = 1/(1+exp(Odds)).
func (v *vennAbers) Odds(s float64) float64 {
	i, tied := v.ties.Find(v.x, fit.UpTo(v.x, s), s)
	if tied {
		return v.odds[2*i+1]
	}
	return v.odds[2*i]
}

// raised returns the isotonic value of one more row of outcome 1 that is placed before
// each of the m groups in turn, then after the last: m+1 numbers above 0. The hits and
// rows in front of a group are a point of the cumulative sum diagram, and isotonic
// values are slopes of its greatest convex minorant (Barlow et al. 1972). Moving the
// row past a group exchanges two vectors of the diagram, so that one point moves.
// The corners to the right of the row are kept on a stack, as in Algorithms 1 to 3 of
// Vovk, Petej and Fedorova (2015).
func raised(rows, hits []int) []float64 {
	m := len(rows)
	value := make([]float64, m+1)
	at := make([]corner, m+2) // at[i+1] are the sums in front of group i; at[0] is a row of outcome 1 before them
	at[0] = corner{-1, -1}
	for i := range m {
		at[i+2] = corner{at[i+1].rows + int64(rows[i]), at[i+1].hits + int64(hits[i])}
	}
	stack := make([]corner, 0, m+2) // the corners, the leftmost last
	for i := len(at) - 1; i >= 0; i-- {
		stack = pushed(stack, at[i])
	}
	for i := range m {
		top, next := stack[len(stack)-1], stack[len(stack)-2]
		value[i] = float64(next.hits-top.hits) / float64(next.rows-top.rows)
		at[i+1] = corner{at[i].rows + at[i+2].rows - at[i+1].rows, at[i].hits + at[i+2].hits - at[i+1].hits}
		if cornerTurn(top, next, at[i+1]) < 0 {
			stack = pushed(stack[:len(stack)-1], at[i+1])
		}
	}
	value[m] = 1
	return value
}

// corner is a point of the cumulative sum diagram.
type corner struct{ rows, hits int64 }

// cornerTurn is positive if c is above the line from a to b, 0 if it is on it.
func cornerTurn(a, b, c corner) int64 {
	return (b.rows-a.rows)*(c.hits-a.hits) - (b.hits-a.hits)*(c.rows-a.rows)
}

// pushed adds a corner to the left of the others and removes those that are no longer
// below the line between their neighbours.
func pushed(stack []corner, c corner) []corner {
	for len(stack) > 1 && cornerTurn(c, stack[len(stack)-2], stack[len(stack)-1]) >= 0 {
		stack = stack[:len(stack)-1]
	}
	return append(stack, c)
}
