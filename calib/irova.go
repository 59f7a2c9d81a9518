package calib

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// irOVAEntry is isotonic regression one class against all (Zadrozny and Elkan
// 2002): for each class j a nondecreasing g_j, fitted to the n pairs (p_ij,
// 1[y_i = j]), and q_j = g_j(p_j) divided by the sum of the row. A row whose
// g_j are all 0 becomes uniform, as in scikit-learn; a class that no row of
// the calibration set has gets probability 0. The prediction may change.
func irOVAEntry() Entry {
	return Entry{
		Name:      "irova",
		Label:     "IR-OvA",
		Version:   2,
		Summary:   "isotonic regression of each class against all others, rows normalised",
		Reference: "Zadrozny and Elkan 2002",
		New:       func(func(any) error) (Method, error) { return irOVA{}, nil },
		Restore:   restore(restoreIROVA),
	}
}

type irOVA struct{}

func (irOVA) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
}

// Fit, like that of ir, keeps n pairs of the n k. Of the others it looks only at
// those that can matter to a class: a probability below the least positive is
// in the block of value 0, whose right end is the largest such probability. So
// an entry below the largest one seen so far is passed over on its logit, and
// its exponential is never taken; of 25,000 rows of 1,000 classes a few per
// cent are left. (The block's left end is no knot: g is 0 there anyway.)
func (irOVA) Fit(ctx context.Context, in Input) (*Fitted, error) {
	set := in.Cal
	if err := checkLabelled(set); err != nil {
		return nil, err
	}
	rows, err := likelyRows(ctx, set.Logits)
	if err != nil {
		return nil, err
	}
	k := set.Logits.Cols
	positives := make([][]float64, k)
	for i, y := range set.Labels {
		positives[y] = append(positives[y], rows[i].prob(set.Logits.Row(i)[y]))
	}
	pairs, limit := make([]*tally, k), make([]float32, k)
	for j := range pairs {
		pairs[j] = newTally(positives[j])
		limit[j] = float32(math.Inf(-1))
		if len(positives[j]) == 0 {
			limit[j] = float32(math.Inf(1))
		}
	}
	for i := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, row, y := &rows[i], set.Logits.Row(i), int(set.Labels[i])
		for j := r.next(row, limit, 0); j < k; j = r.next(row, limit, j+1) {
			if p := r.prob(row[j]); j != y && pairs[j].record(p) {
				limit[j] = likelyLimit(p)
			}
		}
	}
	classes := make([]isotonic, k)
	for j := range pairs {
		classes[j] = pairs[j].regress()
	}
	m := newIROVAMap(classes)
	nll, err := m.nll(ctx, set, rows)
	if err != nil {
		return nil, err
	}
	return &Fitted{Map: m, Report: Report{NLL: nll, Passes: 1}}, nil
}

// record adds a pair (p, 0) like zero, but of the pairs below all positives
// keeps the largest alone. It reports whether p is a new largest one.
func (t *tally) record(p float64) bool {
	if p >= t.x[0] {
		t.zero(p)
		return false
	}
	if p <= t.runs[0].hi {
		return false
	}
	t.runs[0] = run{lo: p, hi: p, weight: 1}
	return true
}

// irOVAMap holds one function for each of the k classes. It serves sets of k
// classes only.
type irOVAMap struct {
	Classes []isotonic `json:"classes"`
	limit   []float32  // by class: likelyLimit of the end of its zeros
}

func restoreIROVA(m irOVAMap) (Map, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return newIROVAMap(m.Classes), nil
}

func newIROVAMap(classes []isotonic) irOVAMap {
	m := irOVAMap{classes, make([]float32, len(classes))}
	for j, g := range classes {
		m.limit[j] = float32(math.Inf(-1))
		for i := 0; i < len(g.Y) && g.Y[i] == 0; i++ {
			m.limit[j] = likelyLimit(g.X[i])
		}
		if len(g.Y) == 0 || g.Y[len(g.Y)-1] == 0 {
			m.limit[j] = float32(math.Inf(1))
		}
	}
	return m
}

// Apply writes the n x k probabilities. It panics where k is not that of the
// fit.
func (m irOVAMap) Apply(dst data.Probs, set *data.Set) {
	mustBeOf(len(m.Classes), set)
	var positive []int
	for lo := 0; lo < set.Logits.Rows; lo += blockRows {
		part := set.Logits.Slice(lo, min(lo+blockRows, set.Logits.Rows))
		for i, moments := range NewUnscaled(part).Moments() {
			r, row, q := newLikelyRow(&moments), part.Row(i), dst.Row(lo+i)
			clear(q)
			positive = positive[:0]
			sum := 0.0
			for j := r.next(row, m.limit, 0); j < len(row); j = r.next(row, m.limit, j+1) {
				q[j] = m.Classes[j].at(r.prob(row[j]))
				sum += q[j]
				positive = append(positive, j)
			}
			if sum == 0 {
				fill(q, 1/float64(len(q)))
				continue
			}
			for _, j := range positive {
				q[j] /= sum
			}
		}
	}
}

// nll returns the mean NLL of the set whose rows are given, with the floor of
// function reported.
func (m irOVAMap) nll(ctx context.Context, set *data.Set, rows []likelyRow) (float64, error) {
	total := 0.0
	for i := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		r, row, own, sum := &rows[i], set.Logits.Row(i), 0.0, 0.0
		for j := r.next(row, m.limit, 0); j < len(row); j = r.next(row, m.limit, j+1) {
			g := m.Classes[j].at(r.prob(row[j]))
			sum += g
			if j == int(set.Labels[i]) {
				own = g
			}
		}
		if sum == 0 {
			own, sum = 1, float64(len(m.Classes))
		}
		total -= softmax.Log(max(own/sum, leastProb))
	}
	return total / float64(len(rows)), nil
}

// classes returns k.
func (m irOVAMap) classes() int { return len(m.Classes) }

func (m irOVAMap) check() error {
	if len(m.Classes) == 0 {
		return errors.New("no classes")
	}
	for j, g := range m.Classes {
		if err := g.check(); err != nil {
			return fmt.Errorf("class %d: %w", j, err)
		}
	}
	return nil
}
