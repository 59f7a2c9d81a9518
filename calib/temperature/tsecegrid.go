package temperature

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// TSECEGrid is temperature scaling by the ECE, the other common fit: the default of
// focal_calibration and of code derived from it. The metric has the same bins
// (softmax.Bin), in float64. If several temperatures have the least ECE, the smallest
// wins, as in the original. The calibration set is read once for every temperature.
// The grid is fixed, as in the original, so it does not follow logits of an unusual size.
//
//   - Formula: p = softmax(l/T), T of 0.1, 0.2, ..., 10 with the least ECE-15
//   - Reference: Mukhoti, Kulharia, Sanyal, Golodetz, Torr and Dokania 2020, public
//     code
//   - Compared with: torrvision/focal_calibration (the authors')
//   - Agreement: not compared with code; equal to a search by the definition
//   - Departures: T = i/10 is the float64 nearest to the decimal, where theirs adds 0.1
//     repeatedly. The ECE is computed in float64.
type TSECEGrid struct{}

// TSECEGridEntry is the entry of TSECEGrid.
var TSECEGridEntry = calib.NewEntry[TSECEGrid, calib.Temperature](calib.Entry{
	Name:    "ts-ecegrid",
	Label:   "TS (ECE grid)",
	Version: 2,
	Summary: "temperature of 0.1, 0.2, ..., 10 with the least ECE-15 on the calibration set",
	Cost:    70,
	Cost100: 80,
})

// String returns the name of the method.
func (TSECEGrid) String() string { return TSECEGridEntry.Name }

// Minimises names the objective.
func (TSECEGrid) Minimises() calib.Objective { return calib.ByECE }

// Contract needs logits and labels, and accepts a Stream.
func (TSECEGrid) Contract() calib.Contract { return method.StreamedContract() }

// Fit returns the temperature. The report has no gradient, because the ECE has
// none.
func (TSECEGrid) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	o, err := method.Objective(in)
	if err != nil {
		return nil, err
	}
	const points = 100
	var best float64
	least := math.Inf(1)
	for i := 1; i <= points; i++ {
		t := float64(i) / 10
		ece, err := eceAt(ctx, o, 1/t)
		if err != nil {
			return nil, err
		}
		if ece < least {
			best, least = t, ece
		}
	}
	nll, err := o.NLL(ctx, best)
	if err != nil {
		return nil, err
	}
	r := calib.Report{NLL: nll, Iterations: points, Passes: o.Passes}
	switch best {
	case 0.1:
		r.AtBound = report.Bounds{report.AtLeast("T", 0, 0.1)}
	case 10:
		r.AtBound = report.Bounds{report.AtMost("T", 0, 10)}
	}
	if r.AtBound != nil {
		r.Warn(report.End(r.AtBound[0]))
	}
	return &calib.Fitted{Map: calib.Temperature{T: best}, Report: r}, nil
}

// eceAt returns the ECE-15 at one scale: the sum over the bins of
// |sum of hits - sum of confidences| / n.
func eceAt(ctx context.Context, o *fit.Objective, scale float64) (float64, error) {
	const bins = 15
	gap, err := o.Sums(ctx, fit.Constant(scale), bins, func(b *fit.RowBlock, sum []float64) {
		for i := range b.Moments {
			m := &b.Moments[i]
			conf := m.Conf()
			hit := 0.0
			if m.Top == b.Labels[i] {
				hit = 1
			}
			sum[softmax.Bin(conf, bins)] += hit - conf
		}
	})
	total := 0.0
	for _, v := range gap {
		total += math.Abs(v)
	}
	return total / float64(o.Rows()), err
}
