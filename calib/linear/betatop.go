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

// TopBeta is beta calibration of the hits (1 if the prediction is right) on the confidence; see TopLabel. The log odds
// of conf are limited to +-log 2^53, 36.7, for logits of which the confidence rounds to 1; see calib.Ends for exact ones. The identity is a = b = 1,
// c = 0. The order of the confidences is kept, since a and b are not negative. If all confidences are equal, the new
// one is the accuracy. Where conf parts right from wrong rows without an error there is no minimum, and a warning says
// so. Calibration rows with one class that is not masked are left out, since their confidence is 1 whatever is fitted.
//
//   - Formula: confidence sigmoid(a ln conf - b ln(1-conf) + c), a, b in [0, 1000], |c| <= 1000, at the least logistic
//     loss
//   - Reference: Kull, Silva Filho and Flach 2017
//   - Compared with: scipy's L-BFGS-B
//   - Agreement: a, b and c to 1e-6 on a network of data/bundle
//   - Departures: Those of beta: the minimum for a, b >= 0 in place of a second fit.
type TopBeta struct{}

// BetaTopEntry is the entry of TopBeta.
var BetaTopEntry = calib.NewEntry[TopBeta, betaTopMap](calib.Entry{
	Name:    "beta-top",
	Label:   "Beta-top",
	Version: 2,
	Summary: "beta calibration of the confidence of the prediction; a top-label method",
	Cost:    6,
})

// String returns the name of the method.
func (TopBeta) String() string { return BetaTopEntry.Name }

// Contract needs logits and labels, or a confidence alone.
func (TopBeta) Contract() calib.Contract { return method.OfValues(method.TopContract()) }

// Fit returns a, b and c.
func (TopBeta) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	rows, err := method.TopRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	odds, hit := method.Odds(rows)
	ln, lnRest := make([]float64, len(odds)), make([]float64, len(odds))
	for i, z := range odds {
		ln[i], lnRest[i] = logsOfOdds(z)
	}
	end := betaLoss(ln, lnRest, hit)
	f := method.TopFitted(betaTopMap{A: end.At[0], B: end.At[1], C: end.At[2]})
	onevsrest.Note(&f.Report, []calib.Minimum{end})
	for i, name := range []string{"a", "b"} {
		if end.At[i] == 0 {
			f.Report.AtBound = append(f.Report.AtBound, report.AtLeast(name, 0, 0))
		}
	}
	if separated(ln, hit) {
		f.Report.Warn(calib.Warning{Text: "no unique fit: the confidence tells right from wrong rows without an error, or all rows are one or the other"})
	}
	return f, nil
}

// logsOfOdds returns ln p and -ln(1-p) of a probability with the given log odds, to all digits.
func logsOfOdds(z float64) (ln, lnRest float64) {
	e := softmax.Log1p(softmax.Exp(-math.Abs(z)))
	return min(z, 0) - e, max(z, 0) + e
}

// betaTopMap has the parameters.
type betaTopMap struct {
	A float64 `json:"a"` // >= 0
	B float64 `json:"b"` // >= 0
	C float64 `json:"c"`
}

func (m betaTopMap) Check() error {
	if !(m.A >= 0 && m.A <= betaMost) || !(m.B >= 0 && m.B <= betaMost) || !(math.Abs(m.C) <= betaMost) {
		return fmt.Errorf("a = %v, b = %v, c = %v: want a and b in [0, 1000] and |c| <= 1000", m.A, m.B, m.C)
	}
	return nil
}

// Parameters returns a, b and c.
func (m betaTopMap) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "a", Value: m.A, Meaning: "slope on ln conf"}, {Name: "b", Value: m.B, Meaning: "slope on -ln(1-conf)"}, {Name: "c", Value: m.C, Meaning: "offset"}}
}

// Confidences writes the sigmoid of every row.
func (m betaTopMap) Confidences(dst []float64, _ *data.Set, at *calib.Unscaled) {
	method.EachConfidence(dst, at, func(tail float64) float64 {
		ln, lnRest := logsOfOdds(fit.LogOdds(tail))
		return fit.Sigmoid(float64(m.A*ln) + float64(m.B*lnRest) + m.C)
	})
}
