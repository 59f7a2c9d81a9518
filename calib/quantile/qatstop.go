package quantile

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// QaTSTop is QaTS for predictions with a confidence c alone: the temperature falls with the rank of c, and divides
// the logits that ts-top derives from c. With two classes and logits it is QaTS; with more it is another map, as ts-top
// is. See TopLabel.
//
// Confidences are ranked by their log odds. Log odds are limited to +-log 2^53 = 36.7, so that all confidences beyond tie
// with 0 and 1. A
// confidence above 1/k keeps its order among them. Below 1/k, which no softmax gives, a lower temperature lowers the
// confidence, and two rows may change places. If all confidences are equal the rank is 1 and a has no effect: a is 0.
// If a = 0, the fit equals ts-top, and a warning says so. Calibration rows with one class that is not masked are
// left out, since their confidence is 1 whatever is fitted.
//
//   - Formula: confidence sigmoid((z + L)/T - L), T = a (1-q) + b, z the log odds of c, L = log(k-1), q the rank of c
//     among the calibration rows, a in [0, 1000], b in [0.001, 1000], by mean NLL of "the prediction is right"
//   - Reference: variant of QaTS, Eqs. 5 and 6, of derived logits
//   - Compared with: scipy's L-BFGS-B; qats of this program, on the derived logits
//   - Agreement: a and b to 1e-6 with scipy on a network of data/bundle, and with qats on
//     drawn rows
//   - Departures: The loss is smaller than the loss of qats by log(k-1) for each wrong row, which does not depend on T.
type QaTSTop struct{}

// QaTSTopEntry is the entry of QaTSTop.
var QaTSTopEntry = calib.NewEntry[QaTSTop, qatsTopMap](calib.Entry{
	Name:    "qats-top",
	Label:   "QaTS-top",
	Version: 2,
	Summary: "QaTS on logits that are derived from the confidence alone; a top-label method",
	Cost:    5,
})

// String returns the name of the method.
func (QaTSTop) String() string { return QaTSTopEntry.Name }

// Contract needs logits and labels, or a confidence alone.
func (QaTSTop) Contract() calib.Contract { return method.OfValues(method.TopContract()) }

// Fit returns a, b and the ranks.
func (QaTSTop) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	rows, err := method.TopRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	odds, hit := method.Odds(rows)
	k := method.OpenClasses(in.Cal)
	derived := fit.NewTopOdds(odds, hit, k)
	t, flat, err := method.TopTemperature(ctx, derived)
	if err != nil {
		return nil, err
	}
	method.WarnClasses(in.Cal, &flat)
	q := make([]float64, len(rows))
	for i, r := range rows {
		q[i] = fit.LimitedTail(r.Tail)
	}
	ranks, err := fit.RankRows(ctx, q)
	if err != nil {
		return nil, err
	}
	m := qatsTopMap{Line: fit.Line{B: t, ECDF: ranks}, K: k}
	if derived.Undetermined() || ranks[0] == ranks[len(ranks)-1] {
		flat.Warn(calib.Warning{Text: "every confidence is the same: a = 0, as ts-top"})
		return &calib.Fitted{Map: m, Report: flat}, nil
	}
	span := fit.Usual()
	passes := flat.Passes
	end, err := calib.MinimiseInBox(func(x []float64) (calib.Local, error) {
		passes++
		f, err := derived.Line(ctx, q, x)
		return calib.Local(f), err
	}, [][]float64{{0, t}, {min(t, span.Most), max(t/2, span.Least)}}, []calib.Range{{Name: "a", Least: 0, Most: span.Most}, {Name: "b", Least: span.Least, Most: span.Most}}, t)
	if err != nil {
		return nil, err
	}
	if end.At[0] == 0 {
		flat.Warn(calib.Warning{Text: "a = 0: the fit is that of ts-top"})
		return &calib.Fitted{Map: m, Report: flat}, nil
	}
	m.A, m.B = end.At[0], end.At[1]
	r := end.Report(passes)
	r.NLL, r.Iterations = 0, r.Iterations+flat.Iterations
	method.WarnClasses(in.Cal, &r)
	for _, b := range r.AtBound {
		r.Warn(report.End(b))
	}
	return &calib.Fitted{Map: m, Report: r}, nil
}

// qatsTopMap is the line of temperatures of logits derived for K classes.
type qatsTopMap struct {
	fit.Line
	K int `json:"classes"` // 2 or more
}

func (m qatsTopMap) Check() error {
	if m.K < 2 {
		return fmt.Errorf("classes = %d: want 2 or more", m.K)
	}
	return m.Line.Check()
}

// WithoutECDF returns the map without its ranks, and the ranks.
func (m qatsTopMap) WithoutECDF() (calib.Map, fit.ECDF) {
	e := m.ECDF
	m.ECDF = nil
	return m, e
}

// Confidences writes the confidence at T(q), q the rank of the row.
func (m qatsTopMap) Confidences(dst []float64, _ *data.Set, at *calib.Unscaled) {
	l, tails := softmax.Log(float64(m.K-1)), make([]float64, len(dst))
	for i, tail := range at.Tails() {
		tails[i] = fit.LimitedTail(tail)
	}
	m.AtTails(dst, tails)
	for i, tail := range at.Tails() {
		dst[i] = fit.TopScaled(fit.LogOdds(tail), l, dst[i])
	}
}
