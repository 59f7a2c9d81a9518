package fit

import (
	"context"
	"slices"
	"sync"
)

// Shared caches what several fits on one calibration set need; calib.Shared
// documents it.
type Shared struct {
	mu    sync.Mutex
	whole *temperatureFit
}

// temperatureFit is how Temperature ended.
type temperatureFit struct {
	t      float64
	report Report // with its own passes alone
	beta   float64
	near   bool // the last pass was at beta and expected to be the last
}

func (s *Shared) temperature() *temperatureFit {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.whole
}

func (s *Shared) keep(f *temperatureFit) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole = f
}

// Temperature returns the T in [MinT, MaxT] with the least mean NLL. The
// report is of the T returned, where the last pass was, or a Newton step away
// (see stepped); its passes are all of o.
func Temperature(ctx context.Context, o *Objective) (float64, Report, error) {
	t, report, _, err := fitTemperatureAnd(ctx, o, 0, nil)
	return t, report, err
}

// fitTemperatureAnd is Temperature with the totals at T of what visit adds
// to further sums (see slopeAnd), which cost no pass of their own; nil where
// the last pass did not look like the last. Where another fit has found T
// before, the totals take that last pass and all others are saved.
func fitTemperatureAnd(ctx context.Context, o *Objective, width int, visit func(b *RowBlock, sum []float64)) (float64, Report, []float64, error) {
	before := o.Passes
	var totals []float64
	f := o.Shared.temperature()
	if f == nil {
		o.Passes = 0
		var err error
		if f, totals, err = solveTemperature(ctx, o, width, visit); err != nil {
			return 0, Report{}, nil, err
		}
		o.Shared.keep(f)
	} else if f.near && visit != nil {
		var err error
		if totals, err = o.Sums(ctx, Constant(f.beta), width, visit); err != nil {
			return 0, Report{}, nil, err
		}
	}
	o.Passes = before + f.report.Passes
	report := f.report
	report.Passes = o.Passes
	report.AtBound, report.Warnings = slices.Clip(report.AtBound), slices.Clip(report.Warnings) // others have them, too
	return f.t, report, totals, ctx.Err()
}
