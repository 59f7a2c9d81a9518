package linear

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
)

// Quadratic is quadratic scaling of each class against all others: for each class a
// logistic regression of the n outcomes on the log odds of its softmax probability and
// on their square, without a penalty. z is limited to [-700, 700], that of two classes is
// not: the fit of a multiple of the logits is the fit rescaled. The function need not be
// monotone. The prediction may change.
//
// A class that is absent, or that the two columns tell apart without an error, has no
// minimum. Its parameters are where the gradient has vanished, below 1e-12, or at the
// bound of 1e4 standard deviations; another solver ends elsewhere.
//
//   - Formula: q_j = sigmoid(a_j z_j + c_j z_j^2 + b_j) / sum of the same, z_j =
//     log(p_j/(1-p_j)), at the minimum of the logistic loss
//   - Reference: probmetrics (Berta, Holzmueller, Jordan and Bach 2025)
//   - Compared with: scikit-learn 1.2.1, LogisticRegression without a penalty, as
//     probmetrics uses it for two classes
//   - Agreement: probabilities to 3e-11 on drawn rows
//   - Departures: Several classes are fitted one against the rest. probmetrics has no
//     form for them; with two classes ours is the same.
type Quadratic struct{}

// QuadraticEntry is the entry of Quadratic.
var QuadraticEntry = calib.NewEntry[Quadratic, quadraticMap](calib.Entry{
	Name:    "quadratic",
	Label:   "Quadratic",
	Version: 4,
	Summary: "logistic regression on the log odds and their square of each class against all others, rows normalised",
	Cost:    80,
	Cost100: 110,
})

// String returns the name of the method.
func (Quadratic) String() string { return QuadraticEntry.Name }

// Contract needs logits and labels. The prediction may change.
func (Quadratic) Contract() calib.Contract { return method.OfValues(method.VectorContract()) }

// Fit returns a, b and c of every class.
func (Quadratic) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	k := in.Cal.Logits.Cols
	m := quadraticMap{A: make([]float64, k), B: make([]float64, k), C: make([]float64, k)}
	return onevsrest.Fit(ctx, in.Cal, m, func(class int, f []float64, positive []bool) calib.Minimum {
		squares := make([]float64, len(f))
		for i, z := range f {
			squares[i] = float64(z * z)
		}
		l := fit.Logistic{Columns: [][]float64{f, squares}, Positive: positive, High: 1, Identity: true}
		slopes, offset, end := l.Minimise()
		m.A[class], m.C[class], m.B[class] = slopes[0], slopes[1], offset
		return end
	})
}

// quadraticMap holds the parameters of k classes.
type quadraticMap struct {
	A []float64 `json:"a"` // k
	B []float64 `json:"b"` // k
	C []float64 `json:"c"` // k
}

// NumClasses returns k.
func (m quadraticMap) NumClasses() int { return len(m.A) }

func (m quadraticMap) Check() error {
	return fit.CheckVectors([]string{"a", "b", "c"}, m.A, m.B, m.C)
}

// Apply writes the n x k probabilities.
func (m quadraticMap) Apply(dst data.Probs, set *data.Set) {
	onevsrest.Apply(dst, set, m)
}

// ClassScore is the log odds.
func (quadraticMap) ClassScore() string { return onevsrest.ScoreLogOdds }

// At returns the sigmoid of a class.
func (m quadraticMap) At(class int, z float64) float64 {
	return fit.Sigmoid(float64(m.A[class]*z) + float64(m.C[class]*float64(z*z)) + m.B[class])
}
