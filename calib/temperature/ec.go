package temperature

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ExpectationConsistency is expectation consistency: the mean confidence of the
// calibration rows equals their accuracy, the share of rows whose largest logit is
// right. The mean confidence falls as T grows, so there is at most one such T. The
// search is in the bracket of the authors' code.
//
//   - Formula: p = softmax(l/T), T in [0.01, 10] with mean of max_j p_j = accuracy
//   - Reference: Clarte, Loureiro, Krzakala and Zdeborova 2023
//   - Compared with: scipy's brentq, as in lclarte's code (the authors')
//   - Agreement: T to 1e-12 with scipy on drawn rows
//   - Departures: If no T in the bracket reaches the accuracy, T is the nearer end,
//     with a warning. The authors' root finder fails there.
type ExpectationConsistency struct{}

// ECEntry is the entry of ExpectationConsistency.
var ECEntry = calib.NewEntry[ExpectationConsistency, calib.Temperature](calib.Entry{
	Name:    "ec",
	Label:   "EC",
	Version: 2,
	Summary: "one temperature at which the mean confidence equals the accuracy",
	Aliases: []string{"expectation-consistency"},
})

// String returns the name of the method.
func (ExpectationConsistency) String() string { return ECEntry.Name }

// The bracket of the authors' code.
const (
	ecMinT = 0.01
	ecMaxT = 10.
)

// Contract needs logits and labels.
func (ExpectationConsistency) Contract() calib.Contract {
	return method.OfValues(method.LogitsContract())
}

// Fit returns the temperature. The gradient of the report is the remaining
// difference between the mean confidence and the accuracy.
func (ExpectationConsistency) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	o, err := fit.NewObjective(in.Cal)
	if err != nil {
		return nil, err
	}
	t, report, err := fitConfidence(ctx, o, accuracy(in.Cal))
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: calib.Temperature{T: t}, Report: report}, nil
}

// accuracy returns the share of rows whose label is the top class.
func accuracy(set *data.Set) float64 {
	hits := 0
	for i, y := range set.Labels {
		if fit.TopClass(set.Logits.Row(i)) == int(y) {
			hits++
		}
	}
	return float64(hits) / float64(len(set.Labels))
}

// fitConfidence returns the T in [ecMinT, ecMaxT] at which the mean confidence
// is target. It uses Newton's method in u = log(1/T) in a bracket, and bisection if
// a step would leave the bracket.
func fitConfidence(ctx context.Context, o *fit.Objective, target float64) (float64, calib.Report, error) {
	const maxIterations = 100
	minU, maxU := softmax.Log(1/ecMaxT), softmax.Log(1/ecMinT)
	lo, hi := math.Inf(-1), math.Inf(1) // the confidence is below the target at lo, above it at hi
	u := 0.0
	for iter := 0; ; iter++ {
		beta := softmax.Exp(u)
		at, err := confidenceAt(ctx, o, beta)
		if err != nil {
			return 0, calib.Report{}, err
		}
		r := calib.Report{NLL: at.nll, Gradient: math.Abs(at.mean - target), Iterations: iter, Passes: o.Passes}
		excess := at.mean - target
		switch {
		case excess > 0 && u <= minU:
			r.AtBound = report.Bounds{report.AtMost("T", 0, ecMaxT)}
			r.Warn(calib.Warning{Text: "T = 10: the accuracy is below the mean confidence even there"})
			return ecMaxT, r, nil
		case excess < 0 && u >= maxU:
			r.AtBound = report.Bounds{report.AtLeast("T", 0, ecMinT)}
			r.Warn(calib.Warning{Text: "T = 0.01: the accuracy is above the mean confidence even there"})
			return ecMinT, r, nil
		case excess > 0:
			hi = u
		default:
			lo = u
		}
		step := -excess / float64(beta*at.slope)
		if excess == 0 || math.Abs(step) < 1e-13 || hi-lo < 1e-13 {
			return 1 / beta, r, nil
		}
		if iter == maxIterations {
			r.Warn(calib.Warning{Text: "not converged: mean confidence off by {value} after {steps} iterations", Value: report.Rounded(excess, 2), Steps: iter})
			return 1 / beta, r, nil
		}
		u = min(max(u+step, minU), maxU)
		if !(u > lo && u < hi) { // also if the slope vanished and step is NaN
			u = (max(lo, minU) + min(hi, maxU)) / 2
		}
	}
}

// meanConf holds means over the rows from one pass at a single scale.
type meanConf struct {
	mean  float64 // confidence
	slope float64 // its derivative in the scale: conf (max l - E_p[l]), >= 0
	nll   float64
}

func confidenceAt(ctx context.Context, o *fit.Objective, scale float64) (meanConf, error) {
	total, err := o.Sums(ctx, fit.Constant(scale), 3, func(b *fit.RowBlock, sum []float64) {
		var c meanConf
		for i := range b.Moments {
			m := &b.Moments[i]
			conf := m.Conf()
			c.mean += conf
			c.slope -= float64(conf * (m.S1 / (1 + m.Tail)))
			c.nll += m.NLL(scale, b.LabelLogit[i])
		}
		sum[0] += c.mean
		sum[1] += c.slope
		sum[2] += c.nll
	})
	if err != nil {
		return meanConf{}, err
	}
	n := float64(o.Rows())
	return meanConf{total[0] / n, total[1] / n, total[2] / n}, nil
}
