package isotonic

import (
	"context"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/stretch"
)

// TopRegression is isotonic regression of the top label, fitted to confidence and hit
// (1 if the prediction is right); see TopLabel. Calibration rows with one class that is not
// masked are left out, since their confidence is 1 whatever is fitted.
//
//   - Formula: confidence g(conf), g nondecreasing, fitted to the n pairs (conf, hit)
//   - Reference: Zadrozny and Elkan 2002
//   - Compared with: scikit-learn's IsotonicRegression
//   - Agreement: scikit-learn on networks of others, without the mass: docs/evidence.md
//   - Departures: Ties are as in ir. Where g is 0 or 1, right and wrong share a mass of 1/(n + 2)
//     evenly (calib.Mass).
type TopRegression struct{}

// IRTopEntry is the entry of TopRegression.
var IRTopEntry = calib.NewEntry[TopRegression, irTopMap](calib.Entry{
	Name:    "ir-top",
	Label:   "IR-top",
	Version: 6,
	Since:   5,
	Summary: "isotonic regression on the confidence of the prediction; a top-label method",
	Aliases: []string{"isotonic-top"},
})

// String returns the name of the method.
func (TopRegression) String() string { return IRTopEntry.Name }

// Contract needs logits and labels.
func (TopRegression) Contract() calib.Contract {
	return method.OfRanks(method.Sized(method.TopContract()))
}

// Fit returns g.
func (TopRegression) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	rows, err := method.TopRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	// Bits of numbers above 0 have the order of the numbers, and sort faster than runs.
	keys := make([]uint64, len(rows))
	for i, r := range rows {
		keys[i] = math.Float64bits(method.TopStretched(r.Tail)) << 1
		if r.Hit {
			keys[i]++
		}
	}
	slices.Sort(keys)
	at := func(i int) float64 { return math.Float64frombits(keys[i] >> 1) }
	runs := make([]tieRun, 0, len(keys))
	for lo, hi := range stretch.Logits.Groups(len(keys), at) {
		run := tieRun{Lo: at(lo), Hi: at(hi - 1), Weight: float64(hi - lo)}
		for _, key := range keys[lo:hi] {
			run.Sum += float64(key & 1)
		}
		runs = append(runs, run)
	}
	return method.TopMixed(irTopMap{regress(runs)}, len(rows)), nil
}

// irTopMap is the function g.
type irTopMap struct{ Function }

func (m irTopMap) Check() error { return m.CheckKnots() }

// Certain reports whether g is 0 or 1 somewhere; see calib.Certain.
func (m irTopMap) Certain() bool { return m.certain() }

// Confidences writes g(conf) of every row.
func (m irTopMap) Confidences(dst []float64, _ *data.Set, at *calib.Unscaled) {
	method.EachConfidence(dst, at, func(tail float64) float64 { return m.At(method.TopStretched(tail)) })
}
