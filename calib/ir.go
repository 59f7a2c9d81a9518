package calib

import (
	"context"
	"errors"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// irEntry is multi-class isotonic regression (IRM) of Zhang, Kailkhura and Han
// (2020): one nondecreasing g, fitted to the n k pairs (p_ij, 1[y_i = j]) of
// softmax probability and outcome, and
//
//	q_j = (g(p_j) + 1e-9 p_j) / sum of the same over the classes.
//
// The second term orders classes that share a plateau of g, so the predicted
// class stays; see irMap. The paper leaves rows unnormalised until they are
// scored; a map to probabilities divides at once, which changes no score.
func irEntry() Entry {
	return Entry{
		Name:      "ir",
		Label:     "IR",
		Version:   1,
		Summary:   "isotonic regression on the pooled pairs of all classes (IRM); keeps the prediction",
		Reference: "Zhang, Kailkhura and Han 2020; after Zadrozny and Elkan 2002",
		New:       func(func(any) error) (Method, error) { return ir{}, nil },
		Restore:   restore(func(g isotonic) (Map, error) { return newIRMap(g), g.checkKnots() }),
	}
}

type ir struct{}

func (ir) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true}
}

// Fit keeps n pairs, not n k: at most 56 bytes a row (a positive, its run, its
// share of the finder, its knots), 1.4 MB at 25,000 x 1,000, where all pairs
// would take 200 MB at 8 bytes each and a sort of 25 million. The price is a
// second pass over the logits.
func (ir) Fit(ctx context.Context, in Input) (*Fitted, error) {
	set := in.Cal
	if err := checkLabelled(set); err != nil {
		return nil, err
	}
	positives := make([]float64, set.Logits.Rows)
	err := eachRow(ctx, set.Logits, func(i int, p []float64) {
		positives[i] = p[set.Labels[i]]
	})
	if err != nil {
		return nil, err
	}
	pairs := newTally(positives)
	err = eachRow(ctx, set.Logits, func(i int, p []float64) {
		for j, x := range p {
			if j != int(set.Labels[i]) {
				pairs.zero(x)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return reported(ctx, newIRMap(pairs.regress()), set, 2)
}

// irMap keeps the predicted class, the lowest index t of the largest logit.
// In exact arithmetic the 1e-9 p term does; in float64 the logits of a plateau
// may differ by so little that their q round to the same number, and a class
// of lower index but smaller logit would win the tie. As in softmax.Probs such
// a class gets the float64 just below q_t, so that classes of equal logits
// keep equal q. Rounding cannot bring more than a tie: every step is monotone.
type irMap struct {
	isotonic
	find finder // in X
}

func newIRMap(g isotonic) irMap { return irMap{g, newFinder(g.X)} }

// Apply writes the n x k probabilities; rows sum to 1 within rounding.
func (m irMap) Apply(dst data.Probs, set *data.Set) {
	for i := range set.Logits.Rows {
		row, q := set.Logits.Row(i), dst.Row(i)
		softmax.Probs(q, row, 1)
		sum := 0.0
		for j, p := range q {
			q[j] = m.between(m.find.upTo(p), p) + float64(1e-9*p)
			sum += q[j]
		}
		keepTop(q, row, sum)
	}
}

// checkKnots refuses knots that are no isotonic function with values.
func (g isotonic) checkKnots() error {
	if len(g.X) == 0 {
		return errors.New("no knots")
	}
	return g.check()
}
