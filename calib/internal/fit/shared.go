package fit

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/qats-bench/qats/internal/cputime"
)

// Shared caches what several fits on one calibration set need; calib.Shared
// documents it.
type Shared struct {
	whole atomic.Pointer[temperatureFit]
}

// temperatureFit is the result of solveTemperature.
type temperatureFit struct {
	t      float64
	report Report // Passes counts the passes of this fit alone
	beta   float64
	spent  time.Duration // processor time of this fit, if it was measured
	near   bool          // the last pass was at beta, and the solver expected it to be the last
}

// Temperature returns the T in [MinT, MaxT] with the least mean NLL. The report
// is for the T returned. The last pass was at that T, or one Newton step away;
// see stepped. Report.Passes counts all passes of o.
func Temperature(ctx context.Context, o *Objective) (float64, Report, error) {
	t, report, _, err := temperatureWithSums(ctx, o, 0, nil)
	return t, report, err
}

// temperatureWithSums returns Temperature and, from the same last pass, the totals,
// at T, of width additional sums to which visit adds; see slopeWithSums. The totals are
// nil if the solver did not expect that pass to be the last. If another fit has
// found T before, only that last pass is made, for the totals.
func temperatureWithSums(ctx context.Context, o *Objective, width int, visit func(b *RowBlock, sum []float64)) (float64, Report, []float64, error) {
	before := o.Passes
	var totals []float64
	shared := cmp.Or(o.Shared, &Shared{})
	f := shared.whole.Load()
	if f == nil {
		o.Passes = 0
		spent, err := cputime.Part(ctx, func(ctx context.Context) (err error) {
			f, totals, err = solveTemperature(ctx, o, width, visit)
			return err
		})
		if err != nil {
			return 0, Report{}, nil, err
		}
		f.spent = spent
		shared.whole.Store(f)
	} else if cputime.Add(ctx, f.spent); f.near && visit != nil {
		var err error
		if totals, err = o.Sums(ctx, Constant(f.beta), width, visit); err != nil {
			return 0, Report{}, nil, err
		}
	}
	o.Passes = before + f.report.Passes
	report := f.report
	report.Passes = o.Passes
	report.AtBound, report.Warnings = slices.Clip(report.AtBound), slices.Clip(report.Warnings) // other fits share them
	return f.t, report, totals, ctx.Err()
}
