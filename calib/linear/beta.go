package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Beta is beta calibration of each class against all others: for each class a logistic
// regression of the n outcomes on ln p and -ln(1-p), where p is its softmax
// probability. That is 3 k parameters. A row of zeros becomes uniform. p is limited to
// [eps, 1-eps], eps = 2^-52, as in the authors' code. The identity is a = b = 1, c = 0.
// The prediction may change.
//
//   - Formula: q_j = sigmoid(a_j ln p_j - b_j ln(1-p_j) + c_j), divided by the sum over
//     the classes; a, b in [0, 1000], |c| <= 1000
//   - Reference: Kull, Silva Filho and Flach 2017
//   - Compared with: betacal (the authors'); numpy
//   - Agreement: parameters to 1e-9 with Newton's method in numpy on drawn rows, and to
//     the 1e-4 at which scikit-learn, which betacal calls, stops
//   - Departures: The authors fit almost without a penalty (C = 1e11). If a coefficient is
//     negative, they drop its regressor and fit again. Ours takes the minimum for a, b >=
//     0. The result is the same if one of them was negative. If the second fit would be
//     negative too, our function still does not fall. A class that is absent, or whose
//     rows all have a larger p than the other rows, has no minimum. Its parameters are
//     where the gradient has vanished, below 1e-12, and a warning says so.
type Beta struct{}

// BetaEntry is the entry of Beta.
var BetaEntry = calib.NewEntry[Beta, betaMap](calib.Entry{
	Name:    "beta",
	Label:   "Beta",
	Version: 5,
	Summary: "beta calibration of each class against all others, rows normalised",
	Aliases: []string{"beta-calibration"},
	Cost:    90,
	Cost100: 140,
})

// String returns the name of the method.
func (Beta) String() string { return BetaEntry.Name }

const (
	betaEps    = 0x1p-52
	logBetaEps = -52 * math.Ln2
	betaMost   = 1000.0 // of every parameter
)

// Contract needs logits and labels. The prediction may change.
func (Beta) Contract() calib.Contract { return method.OfValues(method.VectorContract()) }

// Fit returns a, b and c of every class. It needs 41 bytes a row for each class
// that is being fitted, beside its scores.
func (Beta) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	k := in.Cal.Logits.Cols
	ends, separable := make([]calib.Minimum, k), make([]bool, k)
	m := betaMap{A: make([]float64, k), B: make([]float64, k), C: make([]float64, k)}
	f, err := onevsrest.Fit(ctx, in.Cal, m, func(class int, logP []float64, positive []bool) calib.Minimum {
		lnP, lnRest := make([]float64, len(logP)), make([]float64, len(logP))
		for i, v := range logP {
			lnP[i], lnRest[i] = betaLogs(v)
		}
		end := betaLoss(lnP, lnRest, positive)
		m.A[class], m.B[class], m.C[class] = end.At[0], end.At[1], end.At[2]
		ends[class], separable[class] = end, separated(lnP, positive)
		return end
	})
	if err != nil {
		return nil, err
	}
	noteBounds(&f.Report, ends)
	if open := fit.Count(separable); open > 0 {
		f.Report.Warn(calib.Warning{Text: "no unique fit in {count} of {of} classes, which are absent or told apart without an error", Count: open, Of: k})
	}
	return f, nil
}

// betaLoss returns a, b and c at the minimum of the logistic loss, from the identity.
func betaLoss(lnP, lnRest []float64, positive []bool) calib.Minimum {
	l := fit.Logistic{Columns: [][]float64{lnP, lnRest}, Positive: positive, High: 1}
	return l.MinimiseIn([]float64{1, 1, 0}, []float64{0, 0, -betaMost}, []float64{betaMost, betaMost, betaMost})
}

// noteBounds adds how many parameters of the k fits are at a bound.
func noteBounds(r *calib.Report, ends []calib.Minimum) {
	for i, name := range []string{"a", "b"} {
		atZero := 0
		for _, e := range ends {
			if e.At[i] == 0 {
				atZero++
			}
		}
		if atZero > 0 {
			r.AtBound = append(r.AtBound, calib.Bound{Parameter: name, Side: report.Lower, Classes: atZero, Fitted: len(ends)})
		}
	}
}

// betaLogs returns ln p and -ln(1-p) of a probability with the given logarithm, where p
// is limited to [betaEps, 1-betaEps].
func betaLogs(logP float64) (lnP, lnRest float64) {
	p := min(max(softmax.Exp(logP), betaEps), 1-betaEps)
	return min(max(logP, logBetaEps), -betaEps), -softmax.Log(1 - p)
}

// separated reports whether no positive row has a smaller value than any other
// row. Then there is no minimum: the loss falls as g becomes steeper.
func separated(lnP []float64, positive []bool) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for i, u := range lnP {
		if positive[i] {
			least = min(least, u)
		} else {
			most = max(most, u)
		}
	}
	return least >= most
}

// betaMap holds the parameters of k classes.
type betaMap struct {
	A []float64 `json:"a"` // k, >= 0
	B []float64 `json:"b"` // k, >= 0
	C []float64 `json:"c"` // k
}

// Apply writes the n x k probabilities.
func (m betaMap) Apply(dst data.Probs, set *data.Set) {
	onevsrest.Apply(dst, set, m)
}

// ClassScore is ln p, which At limits.
func (betaMap) ClassScore() string { return onevsrest.ScoreLog }

// At returns the sigmoid of a class.
func (m betaMap) At(class int, logP float64) float64 {
	lnP, lnRest := betaLogs(logP)
	return fit.Sigmoid(float64(m.A[class]*lnP) + float64(m.B[class]*lnRest) + m.C[class])
}

// NumClasses returns k.
func (m betaMap) NumClasses() int { return len(m.A) }

func (m betaMap) Check() error {
	if len(m.A) == 0 || len(m.B) != len(m.A) || len(m.C) != len(m.A) {
		return fmt.Errorf("%d a, %d b and %d c: want one of each for every class", len(m.A), len(m.B), len(m.C))
	}
	for j := range m.A {
		if !(m.A[j] >= 0 && m.A[j] <= betaMost) || !(m.B[j] >= 0 && m.B[j] <= betaMost) || !(math.Abs(m.C[j]) <= betaMost) {
			return fmt.Errorf("class %d: a = %v, b = %v, c = %v: want a and b in [0, 1000] and |c| <= 1000", j, m.A[j], m.B[j], m.C[j])
		}
	}
	return nil
}
