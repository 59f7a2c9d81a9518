package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// ConfidenceBinTemperature is confidence-based temperature scaling (Frenkel and Goldberger
// 2022): rows are split by confidence into bins of equal mass, and the
// temperature of a bin makes its mean confidence equal to its accuracy, which
// brings the adaptive calibration error of the calibration set to zero.
//
// Only the abstract is public to us. That confidence is matched to accuracy,
// the bins of equal mass and the accuracy held within [0.01, 0.99] are read
// from public code of the same group; the number of bins, 15, is that of the
// metrics. The temperature is sought as by ec, of which cbt with one bin is a
// case but for those two limits.
type ConfidenceBinTemperature struct {
	Bins int // of confidence, equal mass, 1 to 1000; 0 means 15
}

func cbtEntry() Entry {
	return NewEntry[ConfidenceBinTemperature, binnedMap](Entry{
		Name:      "cbt",
		Label:     "CBT",
		Version:   1,
		Summary:   "a temperature for each bin of confidence, where confidence equals accuracy",
		Reference: "Frenkel and Goldberger 2022",
	})
}

// Options returns the option bins.
func (m *ConfidenceBinTemperature) Options() []Option { return binsOption(&m.Bins) }

func (ConfidenceBinTemperature) Contract() Contract { return logitsContract() }

// Fit reports as the gradient the largest difference between confidence and
// accuracy that is left in a bin.
func (m ConfidenceBinTemperature) Fit(ctx context.Context, in Input) (*Fitted, error) {
	m, err := WithDefaults(m)
	if err != nil {
		return nil, err
	}
	if err := fit.CheckLabelled(in.Cal); err != nil {
		return nil, err
	}
	match := func(ctx context.Context, bin *data.Set) (float64, fit.Report, error) {
		o, err := fit.NewObjective(bin)
		if err != nil {
			return 0, fit.Report{}, err
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
	return result(fitted, report), nil
}
