package temperature

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// BinnedTemperatureScaling is bin-wise temperature scaling: the rows are split into
// bins by confidence, and each bin has its own temperature. Like qats, it depends on
// the rank of the confidence, but by steps instead of a line.
//
//   - Formula: p = softmax(l/T_b), b the bin of the confidence among 15 of equal mass,
//     T_b at the least NLL of the bin
//   - Reference: Ji, Jung, Yoon, Kim and Shin 2019
//   - Compared with: a version by others
//   - Agreement: not compared number by number: that version has other bins, and its
//     NLL explodes on bins whose rows are all right
//   - Departures: Only the abstract is known to us. We take bins of equal mass, and leave
//     out the augmented images of the variant ABTS. If all rows of a bin are right, the
//     minimum is at T = 0. Such a bin has the temperature of ts, and a warning counts
//     these bins. A bin whose labels contradict its logits has the largest T, 1000. The
//     version by others has 50 bins, one of them for confidences above .999.
type BinnedTemperatureScaling struct {
	Bins int // of confidence, equal mass, 1 to 1000; 0 means 15
}

// BTSEntry is the entry of BinnedTemperatureScaling.
var BTSEntry = calib.NewEntry[BinnedTemperatureScaling, binnedMap](calib.Entry{
	Name:    "bts",
	Label:   "BTS",
	Version: 4,
	Summary: "a temperature for each bin of confidence, at the minimum of its NLL",
	Aliases: []string{"bin-temperature-scaling"},
})

// String returns the name of the method.
func (BinnedTemperatureScaling) String() string { return BTSEntry.Name }

// Options returns the option bins.
func (m *BinnedTemperatureScaling) Options() []calib.Option { return method.BinsOption(&m.Bins) }

// Contract needs logits and labels.
func (BinnedTemperatureScaling) Contract() calib.Contract {
	return method.Sized(method.LogitsContract())
}

// Fit returns the edges of the bins and a temperature for each.
func (m BinnedTemperatureScaling) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	_, whole, flat, err := method.Temperature(ctx, in)
	if err != nil {
		return nil, err
	}
	kept := 0
	fitted, report, err := fitBins(ctx, in.Cal, m.Bins, whole, func(ctx context.Context, bin *data.Set) (float64, calib.Report, error) {
		o, err := fit.NewObjective(bin)
		if err != nil {
			return 0, calib.Report{}, err
		}
		t, r, err := fit.TemperatureOfPart(ctx, o, whole, 0)
		if err != nil || !fit.AtLeastT(t, r) {
			return t, r, err
		}
		kept++
		r.NLL, err = o.NLL(ctx, whole)
		return whole, calib.Report{NLL: r.NLL, Iterations: r.Iterations, Passes: o.Passes}, err
	})
	if err != nil {
		return nil, err
	}
	report.Passes += flat.Passes
	report.Iterations += flat.Iterations
	if kept > 0 {
		report.Warn(calib.Warning{Text: "all rows are right in {count} of {of} bins: T of ts there", Count: kept, Of: m.Bins})
		report.AtBound, report.Warnings = append(report.AtBound, flat.AtBound...), append(report.Warnings, flat.Warnings...)
	}
	return &calib.Fitted{Map: fitted, Report: report}, nil
}
