package isotonic

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// Regression is multi-class isotonic regression (IRM): one function for the softmax
// probabilities of all classes. The term 1e-9 p orders classes that share a plateau of
// g, so the prediction stays; see Map. It also keeps each class above 0 where g is 0. So there is no mass
// (calib.Mass), and the numbers of the paper's tables stay: a row whose class has g = 0 costs
// 20.7 nats and more. irova has a mass.
//
//   - Formula: q_j = (g(p_j) + 1e-9 p_j) / sum of the same, g nondecreasing, fitted to
//     all n k pairs (p_ij, 1[y_i = j])
//   - Reference: Zhang, Kailkhura and Han 2020; after Zadrozny and Elkan 2002
//   - Compared with: scikit-learn's IsotonicRegression, as
//     zhang64-llnl/Mix-n-Match-Calibration (the authors') uses it
//   - Agreement: NLL and mean confidence to 1e-12 on a network of data/bundle; networks of
//     others: docs/evidence.md
//   - Departures: Probabilities that differ by rounding alone are one point of the
//     regression: those that agree to 2^-22 of p up to 1/2, and of 1-p above. In the
//     authors' code each is a knot, but those within 1e-15 are tied. The paper divides by
//     the sum of the row when it computes scores. Our map divides at once, which changes
//     no score.
type Regression struct{}

// IREntry is the entry of Regression.
var IREntry = calib.NewEntry[Regression, Map](calib.Entry{
	Name:    "ir",
	Label:   "IR",
	Version: 4,
	Summary: "isotonic regression on the pooled pairs of all classes (IRM); keeps the prediction",
	Aliases: []string{"isotonic", "isotonic-regression", "irm"},
	Cost:    60,
	Cost100: 80,
})

// String returns the name of the method.
func (Regression) String() string { return IREntry.Name }

// Contract needs logits and labels.
func (Regression) Contract() calib.Contract { return method.OfRanks(method.LogitsContract()) }

// Fit returns g. Instead of n k pairs it keeps n, and the zeros near each of them:
// 30 MB at 25,000 x 1,000. All pairs would take 200 MB at 8 bytes each, and a sort of
// 25 million. The cost is a second pass over the logits.
func (Regression) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	if err := fit.CheckLabelled(in.Cal); err != nil {
		return nil, err
	}
	g, tries, err := FitPooled(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	return method.Reported(ctx, Map{g}, in.Cal, calib.Report{Passes: float64(2 * tries)})
}

// FitPooled returns the isotonic regression of the n k pairs, and the number of windows
// that it tried, of two passes each.
func FitPooled(ctx context.Context, set *data.Set) (g Function, tries int, err error) {
	for i, window := range windows() {
		g, ok, err := pooledIsotonic(ctx, set, window)
		if ok || err != nil {
			return g, i + 1, err
		}
	}
	panic("calib: the infinite window was not wide enough")
}

// pooledIsotonic returns the isotonic regression of the n k pairs, and whether
// the window was wide enough.
func pooledIsotonic(ctx context.Context, set *data.Set, window float64) (Function, bool, error) {
	positives := make([]float64, set.Logits.Rows)
	err := fit.EachRow(ctx, set.Logits, func(i int, p []float64, tail float64) {
		positives[i] = stretch.OfTail(p[set.Labels[i]], tail)
	})
	if err != nil {
		return Function{}, false, err
	}
	pairs := newTally(positives, window)
	err = fit.EachRow(ctx, set.Logits, func(i int, p []float64, tail float64) {
		for j, q := range p {
			if j != int(set.Labels[i]) {
				pairs.AddZero(stretch.OfTail(q, tail))
			}
		}
	})
	if err != nil {
		return Function{}, false, err
	}
	g, ok := pairs.Regress()
	return g, ok, nil
}

// plateauSlope times p is added to g(p), as in the authors' code.
const plateauSlope = 1e-9

// Map keeps the predicted class t, the lowest index of the largest logit. In exact
// arithmetic the term 1e-9 p is enough. In float64, logits on a plateau may differ by
// so little that their q round to the same number, and a class with a lower index
// but a smaller logit would win the tie. As in softmax.Probs, such a class gets the
// float64 just below q_t. Classes with equal logits keep equal q. Rounding cannot do
// more than make a tie, since every step is monotone.
type Map struct {
	Function
}

func (m Map) Check() error { return m.CheckKnots() }

// Apply writes the n x k probabilities; rows sum to 1 within rounding.
func (m Map) Apply(dst data.Probs, set *data.Set) {
	for i := range set.Logits.Rows {
		row, q := set.Logits.Row(i), dst.Row(i)
		tail := softmax.ProbsAndTail(q, row, 1)
		sum := 0.0
		for j, p := range q {
			x := stretch.OfTail(p, tail)
			q[j] = m.At(x) + float64(plateauSlope*p)
			sum += q[j]
		}
		fit.KeepTop(q, row, sum)
	}
}
