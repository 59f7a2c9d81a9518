package temperature

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// ConfidenceBinTemperature is confidence-based temperature scaling: the rows are split
// by confidence into bins, and each bin has its own temperature. The adaptive
// calibration error of the calibration set becomes zero.
//
//   - Formula: p = softmax(l/T_b), b the bin of the confidence among 15 of equal mass,
//     T_b with mean confidence = accuracy in the bin
//   - Reference: Frenkel and Goldberger 2022
//   - Compared with: none: only code of the same group for a related method
//   - Agreement: not compared
//   - Departures: Only the abstract is known to us. Matching confidence to accuracy,
//     bins of equal mass and limiting the accuracy to [0.01, 0.99] follow public code
//     of the same group. The metrics have as many bins. Each bin is
//     fitted as by ec, so cbt with one bin is ec, except for the limits of the accuracy.
type ConfidenceBinTemperature struct {
	Bins int // of confidence, equal mass, 1 to 1000; 0 means 15
}

// CBTEntry is the entry of ConfidenceBinTemperature.
var CBTEntry = calib.NewEntry[ConfidenceBinTemperature, binnedMap](calib.Entry{
	Name:    "cbt",
	Label:   "CBT",
	Version: 2,
	Summary: "a temperature for each bin of confidence, at which confidence equals accuracy",
})

// String returns the name of the method.
func (ConfidenceBinTemperature) String() string { return CBTEntry.Name }

// Options returns the option bins.
func (m *ConfidenceBinTemperature) Options() []calib.Option { return method.BinsOption(&m.Bins) }

// Contract needs logits and labels.
func (ConfidenceBinTemperature) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.LogitsContract()))
}

// Fit returns the edges of the bins and a temperature for each. The gradient of
// the report is the largest remaining difference between confidence and accuracy
// in a bin.
func (m ConfidenceBinTemperature) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := method.Ready(m, in)
	if err != nil {
		return nil, err
	}
	match := func(ctx context.Context, bin *data.Set) (float64, calib.Report, error) {
		o, err := fit.NewObjective(bin)
		if err != nil {
			return 0, calib.Report{}, err
		}
		return fitConfidence(ctx, o, min(max(accuracy(bin), 0.01), 0.99))
	}
	whole, _, err := match(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	fitted, report, err := fitBins(ctx, in.Cal, m.Bins, whole, match)
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: fitted, Report: report}, nil
}
