package calib

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// BinnedTemperatureScaling is bin-wise temperature scaling (Ji, Jung, Yoon, Kim and Shin 2019):
// rows are split by confidence and each bin has a temperature of its own, at
// the minimum of its NLL. It conditions on the rank of confidence as qats does,
// by steps instead of a line.
//
// Only the abstract is public to us; bins are read as 15 of equal mass, and
// the augmented images of its variant ABTS are left out. Where all rows of a
// bin are right, the literal answer is T = 0, certainty; such a bin keeps the
// temperature of ts, and a warning counts them. A bin whose labels contradict
// its logits has the largest T, 1000. A version by others has 50 bins, one of
// them for the confidences above .999; its NLL explodes on bins that are all
// right, which 15 bins with the rule above do not.
type BinnedTemperatureScaling struct {
	Bins int // of confidence, equal mass, 1 to 1000; 0 means 15
}

func btsEntry() Entry {
	return NewEntry[BinnedTemperatureScaling, binnedMap](Entry{
		Name:      "bts",
		Label:     "BTS",
		Version:   2,
		Summary:   "a temperature for each bin of confidence, by NLL",
		Reference: "Ji, Jung, Yoon, Kim and Shin 2019",
	})
}

// Options returns the option bins.
func (m *BinnedTemperatureScaling) Options() []Option { return binsOption(&m.Bins) }

func (BinnedTemperatureScaling) Contract() Contract { return logitsContract() }

func (m BinnedTemperatureScaling) Fit(ctx context.Context, in Input) (*Fitted, error) {
	m, err := WithDefaults(m)
	if err != nil {
		return nil, err
	}
	o, err := in.objective()
	if err != nil {
		return nil, err
	}
	whole, flat, err := fit.Temperature(ctx, o)
	if err != nil {
		return nil, err
	}
	kept := 0
	fitted, report, err := fitBins(ctx, in.Cal, m.Bins, whole, func(ctx context.Context, bin *data.Set) (float64, fit.Report, error) {
		o, err := fit.NewObjective(bin)
		if err != nil {
			return 0, fit.Report{}, err
		}
		t, r, err := fit.Temperature(ctx, o)
		if err != nil || t > fit.MinT {
			return t, r, err
		}
		kept++
		r.NLL, err = o.NLL(ctx, whole)
		return whole, fit.Report{NLL: r.NLL, Iterations: r.Iterations, Passes: o.Passes}, err
	})
	if err != nil {
		return nil, err
	}
	report.Passes += flat.Passes
	report.Iterations += flat.Iterations
	if kept > 0 {
		report.Warnings = append(report.Warnings, fmt.Sprintf("all rows are right in %d of %d bins: T of ts there", kept, m.Bins))
		report.AtBound, report.Warnings = append(report.AtBound, flat.AtBound...), append(report.Warnings, flat.Warnings...)
	}
	return result(fitted, report), nil
}
