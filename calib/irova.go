package calib

import (
	"context"
	"errors"
	"fmt"

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
		Version:   1,
		Summary:   "isotonic regression of each class against all others, rows normalised",
		Reference: "Zadrozny and Elkan 2002",
		New:       func(func(any) error) (Method, error) { return irOVA{}, nil },
		Restore:   restore(func(m irOVAMap) (Map, error) { return m, m.check() }),
	}
}

type irOVA struct{}

func (irOVA) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
}

// Fit, like that of ir, keeps n pairs of the n k.
func (irOVA) Fit(ctx context.Context, in Input) (*Fitted, error) {
	set := in.Cal
	if err := checkLabelled(set); err != nil {
		return nil, err
	}
	k := set.Logits.Cols
	positives := make([][]float64, k)
	err := eachRow(ctx, set.Logits, func(i int, p []float64) {
		y := set.Labels[i]
		positives[y] = append(positives[y], p[y])
	})
	if err != nil {
		return nil, err
	}
	pairs := make([]*tally, k)
	for j := range pairs {
		pairs[j] = newTally(positives[j])
	}
	err = eachRow(ctx, set.Logits, func(i int, p []float64) {
		for j, x := range p {
			if j != int(set.Labels[i]) {
				pairs[j].zero(x)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	m := irOVAMap{Classes: make([]isotonic, k)}
	for j := range pairs {
		m.Classes[j] = pairs[j].regress()
	}
	return reported(ctx, m, set, 2)
}

// irOVAMap holds one function for each of the k classes. It serves sets of k
// classes only.
type irOVAMap struct {
	Classes []isotonic `json:"classes"`
}

// Apply writes the n x k probabilities. It panics where k is not that of the
// fit.
func (m irOVAMap) Apply(dst data.Probs, set *data.Set) {
	mustBeOf(len(m.Classes), set)
	for i := range set.Logits.Rows {
		q := dst.Row(i)
		softmax.Probs(q, set.Logits.Row(i), 1)
		for j, p := range q {
			q[j] = m.Classes[j].at(p)
		}
		normalise(q)
	}
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
