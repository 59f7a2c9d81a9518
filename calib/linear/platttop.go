package linear

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
)

// TopPlatt is logistic regression of the hits (1 if the prediction is right) on the log odds of the confidence; see
// TopLabel. Targets are smoothed as in platt. Log odds are limited to +-log 2^53 = 36.7, since the confidence of a row of logits may
// round to 1. For a set with a confidence of exactly 0 or 1 see calib.Ends. If all confidences are equal, a is 0 and the confidence is the smoothed accuracy. The order of the
// confidences is kept if a is above 0. It is reversed if a is below 0, because rows with more confidence are then wrong more often.
// Calibration rows with one class that is not masked are left out, since their confidence is 1 whatever is fitted.
//
//   - Formula: confidence sigmoid(a z + b), z the log odds of conf, a and b at the minimum of the logistic loss with
//     targets (N+ + 1)/(N+ + 2) for the N+ hits and 1/(N- + 2) for the N- misses
//   - Reference: Platt 1999; Lin, Lin and Weng 2007
//   - Compared with: scipy's BFGS
//   - Agreement: a and b to 1e-6 on a network of data/bundle
//   - Departures: none
type TopPlatt struct{}

// PlattTopEntry is the entry of TopPlatt.
var PlattTopEntry = calib.NewEntry[TopPlatt, plattTopMap](calib.Entry{
	Name:    "platt-top",
	Label:   "Platt-top",
	Version: 2,
	Summary: "logistic regression on the log odds of the confidence of the prediction; a top-label method",
	Cost:    4,
})

// String returns the name of the method.
func (TopPlatt) String() string { return PlattTopEntry.Name }

// Contract needs logits and labels, or a confidence alone.
func (TopPlatt) Contract() calib.Contract { return method.OfValues(method.Sized(method.TopContract())) }

// Fit returns a and b.
func (TopPlatt) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	rows, err := method.TopRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	odds, hit := method.Odds(rows)
	slopes, offset, end := plattLoss(odds, hit, true)
	f := method.TopFitted(plattTopMap{A: slopes[0], B: offset})
	onevsrest.Note(&f.Report, []calib.Minimum{end})
	return f, nil
}

// plattTopMap is the sigmoid of the log odds.
type plattTopMap struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func (m plattTopMap) Check() error {
	return fit.CheckVectors([]string{"a", "b"}, []float64{m.A}, []float64{m.B})
}

// Parameters returns a and b.
func (m plattTopMap) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "a", Value: m.A, Meaning: "slope on the log odds of the confidence"}, {Name: "b", Value: m.B, Meaning: "offset of the log odds"}}
}

// Confidences writes the sigmoid of every row.
func (m plattTopMap) Confidences(dst []float64, _ *data.Set, at *calib.Unscaled) {
	method.EachConfidence(dst, at, func(tail float64) float64 { return fit.Sigmoid(float64(m.A*fit.LogOdds(tail)) + m.B) })
}
