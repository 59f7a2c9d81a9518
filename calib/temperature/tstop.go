package temperature

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// TopTemperature is one temperature for predictions with a confidence c alone. It divides logits that are derived
// from c: log c for the predicted class, and the logarithm of an equal share of 1-c for each of the k-1 others. k is
// the stated number of classes, or the number of logits. If none is stated, k is 2, and the derived logits
// are the log odds of c. With k = 2 and logits it is TemperatureScaling. With more classes it is another map: a
// softmax does not share 1-c equally, so its confidence at T is another function of c in each row. See TopLabel.
//
// Log odds are limited to +-log 2^53 = 36.7, since the confidence of a row of logits may round to 1. For a set with a
// confidence of exactly 0 or 1 see calib.Ends. The order of the confidences is kept. A confidence of 1/k stays as it is at every T, and below it T > 1 raises the confidence. If all confidences
// are 1/k, T is 1, with a warning. Equal confidences get the accuracy of the rows where some T reaches it. Calibration
// rows with one class that is not masked are left out, since their confidence is 1 whatever is fitted.
// Without a number of classes no T gives a confidence below 1/2: where half or more of the predictions are wrong, a warning says so.
//
//   - Formula: confidence sigmoid((z + L)/T - L), z the log odds of c, L = log(k-1), T in [0.001, 1000] at the least
//     mean NLL of "the prediction is right"
//   - Reference: Guo, Pleiss, Sun and Weinberger 2017, of derived logits
//   - Compared with: scipy's BFGS; ts of this program, on the derived logits
//   - Agreement: T to 1e-6 with scipy on a network of data/bundle, and with ts on drawn
//     rows
//   - Departures: The NLL of the derived logits has log(k-1) more for each wrong row, which does not depend on T.
type TopTemperature struct{}

// TSTopEntry is the entry of TopTemperature.
var TSTopEntry = calib.NewEntry[TopTemperature, tsTopMap](calib.Entry{
	Name:    "ts-top",
	Label:   "TS-top",
	Version: 2,
	Summary: "one temperature on logits that are derived from the confidence alone; a top-label method",
	Cost:    3,
})

// String returns the name of the method.
func (TopTemperature) String() string { return TSTopEntry.Name }

// Contract needs logits and labels, or a confidence alone.
func (TopTemperature) Contract() calib.Contract { return method.OfValues(method.TopContract()) }

// Fit returns T.
func (TopTemperature) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	rows, err := method.TopRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	odds, hit := method.Odds(rows)
	k := method.OpenClasses(in.Cal)
	t, r, err := method.TopTemperature(ctx, fit.NewTopOdds(odds, hit, k))
	if err != nil {
		return nil, err
	}
	method.WarnClasses(in.Cal, &r)
	return &calib.Fitted{Map: tsTopMap{T: t, K: k}, Report: r}, nil
}

// tsTopMap is the temperature of logits derived for K classes.
type tsTopMap struct {
	T float64
	K int `json:"classes"` // 2 or more
}

func (m tsTopMap) Check() error {
	if m.K < 2 {
		return fmt.Errorf("classes = %d: want 2 or more", m.K)
	}
	return fit.CheckTemperature("T", m.T)
}

// Parameters returns T.
func (m tsTopMap) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "T", Value: m.T, Meaning: "temperature of the logits that are derived from the confidence"}}
}

// Confidences writes the confidence at T.
func (m tsTopMap) Confidences(dst []float64, _ *data.Set, at *calib.Unscaled) {
	l := softmax.Log(float64(m.K - 1))
	method.EachConfidence(dst, at, func(tail float64) float64 { return fit.TopScaled(fit.LogOdds(tail), l, 1/m.T) })
}
