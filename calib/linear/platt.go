package linear

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
)

// Platt is Platt scaling of each class against all others: for each class a logistic
// regression of the n outcomes on its softmax probability. The outcomes are smoothed
// against overfitting, as in Platt's paper; a class has N+ positive and N- other rows.
// So the loss has a minimum for every set, also for a class without rows. The slope a
// may be negative, and is limited to [-1e14, 1e14]; a class whose scores are all equal
// has slope 0. The prediction may change.
//
// scikit-learn's CalibratedClassifierCV(method="sigmoid") is the same on given
// probabilities; with two classes it fits class 1 alone, with the same result. The
// minimum is found by Newton's method to a gradient of 1e-9, as Lin, Lin and Weng
// (2007) propose; scikit-learn stops its BFGS at a gradient of 1e-5 in the sum over
// rows.
//
//   - Formula: q_j = sigmoid(a_j p_j + b_j) / sum of the same, a_j and b_j at the
//     minimum of the logistic loss with targets (N+ + 1)/(N+ + 2) and 1/(N- + 2)
//   - Reference: Platt 1999; Lin, Lin and Weng 2007
//   - Compared with: scikit-learn 1.2.1, CalibratedClassifierCV(method="sigmoid")
//   - Agreement: probabilities to 1.1e-8 on drawn rows, where its BFGS ends
//   - Departures: none
type Platt struct{}

// PlattLogits is Platt on the logarithmic scale, which can undo a temperature. Log odds
// are limited to [-700, 700]. probmetrics and CalArena use log(p_j + 1e-10) under this
// name. Log odds of two classes are not limited: they are the difference of the logits, so the
// fit of a multiple of the logits is the fit rescaled. For more classes and for log p,
// logits of an unusual size are divided first (calib.LogitSize). For two classes only log
// odds are symmetric: with them the rows sum to 1 before they are divided. Beta calibration has a slope on log p and another on log(1-p), and
// no smoothed targets.
//
//   - Formula: q_j = sigmoid(a_j z_j + b_j) / sum of the same, z_j = log(p_j/(1-p_j))
//     or log(p_j + 1e-10), fitted as platt
//   - Reference: Platt 1999; Lin, Lin and Weng 2007
//   - Compared with: scikit-learn 1.2.1, CalibratedClassifierCV(method="sigmoid"), on
//     log p as probmetrics calls it and on log odds
//   - Agreement: probabilities to 7e-9 on drawn rows, where its BFGS ends
//   - Departures: none
type PlattLogits struct {
	Score string // "log-odds" or "log-prob"; empty means "log-odds"
}

// PlattEntry is the entry of Platt.
var PlattEntry = calib.NewEntry[Platt, plattMap](calib.Entry{
	Name:    "platt",
	Label:   "Platt",
	Version: 3,
	Summary: "logistic regression on the probability of each class against all others, rows normalised",
	Aliases: []string{"platt-scaling", "sigmoid"},
	Cost:    50,
	Cost100: 70,
})

// String returns the name of the method.
func (Platt) String() string { return PlattEntry.Name }

// PlattLogitsEntry is the entry of PlattLogits.
var PlattLogitsEntry = calib.NewEntry[PlattLogits, plattMap](calib.Entry{
	Name:    "platt-logits",
	Label:   "Platt (logits)",
	Version: 4,
	Summary: "logistic regression on the log odds of each class against all others, rows normalised",
	Cost:    60,
	Cost100: 85,
})

// String returns the name of the method.
func (PlattLogits) String() string { return PlattLogitsEntry.Name }

// Options returns the option score.
func (m *PlattLogits) Options() []calib.Option {
	return []calib.Option{calib.ChoiceOption("score", &m.Score, []string{onevsrest.ScoreLogOdds, onevsrest.ScoreLogProb}, "what the logistic regression sees")}
}

// Contract needs logits and labels. The prediction may change.
func (Platt) Contract() calib.Contract { return method.OfValues(method.Sized(method.VectorContract())) }

// Contract needs logits and labels. The prediction may change.
func (PlattLogits) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.VectorContract()))
}

// Fit returns a and b of every class.
func (Platt) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	return fitPlatt(ctx, in, onevsrest.ScoreProb)
}

// Fit returns a and b of every class.
func (m PlattLogits) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	return fitPlatt(ctx, in, m.Score)
}

func fitPlatt(ctx context.Context, in calib.Input, score string) (*calib.Fitted, error) {
	k := in.Cal.Logits.Cols
	m := plattMap{Score: score, A: make([]float64, k), B: make([]float64, k)}
	return onevsrest.Fit(ctx, in.Cal, m, func(class int, f []float64, positive []bool) calib.Minimum {
		slopes, offset, end := plattLoss(f, positive, score == onevsrest.ScoreLogOdds)
		m.A[class], m.B[class] = slopes[0], offset
		return end
	})
}

// plattLoss returns the minimum of the logistic loss on scores with smoothed targets. identity says that the solver
// starts at the scores themselves.
func plattLoss(scores []float64, positive []bool, identity bool) (slopes []float64, offset float64, end calib.Minimum) {
	hits := float64(fit.Count(positive))
	l := fit.Logistic{
		Columns: [][]float64{scores}, Positive: positive,
		Low: 1 / (float64(len(scores)) - hits + 2), High: (hits + 1) / (hits + 2),
		Identity: identity,
	}
	return l.Minimise()
}

// plattMap holds the parameters of k classes.
type plattMap struct {
	Score string    `json:"score"` // prob, log-odds or log-prob
	A     []float64 `json:"a"`     // k
	B     []float64 `json:"b"`     // k
}

// NumClasses returns k.
func (m plattMap) NumClasses() int { return len(m.A) }

func (m plattMap) Check() error {
	if m.Score != onevsrest.ScoreProb && m.Score != onevsrest.ScoreLogOdds && m.Score != onevsrest.ScoreLogProb {
		return fmt.Errorf("score %q: want %s, %s or %s", m.Score, onevsrest.ScoreProb, onevsrest.ScoreLogOdds, onevsrest.ScoreLogProb)
	}
	return fit.CheckVectors([]string{"a", "b"}, m.A, m.B)
}

// Apply writes the n x k probabilities.
func (m plattMap) Apply(dst data.Probs, set *data.Set) {
	onevsrest.Apply(dst, set, m)
}

// ClassScore is the score that the sigmoids were fitted to.
func (m plattMap) ClassScore() string { return m.Score }

// At returns the sigmoid of a class.
func (m plattMap) At(class int, f float64) float64 {
	return fit.Sigmoid(float64(m.A[class]*f) + m.B[class])
}
