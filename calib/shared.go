package calib

import (
	"context"
	"slices"
	"sync"
)

// sharedFits caches what several fits on one calibration set need; calib.Shared
// documents it.
type sharedFits struct {
	mu    sync.Mutex
	whole *temperatureFit
}

// temperatureFit is how fitTemperature ended.
type temperatureFit struct {
	t      float64
	report fitReport // with its own passes alone
	beta   float64
	near   bool // the last pass was at beta and expected to be the last
}

func (s *sharedFits) temperature() *temperatureFit {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.whole
}

func (s *sharedFits) keep(f *temperatureFit) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole = f
}

// fitTemperature returns the T in [minT, maxT] with the least mean NLL. The
// report is of the T returned, where the last pass was, or a Newton step away
// (see stepped); its passes are all of o.
func fitTemperature(ctx context.Context, o *objective) (float64, fitReport, error) {
	t, report, _, err := fitTemperatureAnd(ctx, o, 0, nil)
	return t, report, err
}

// fitTemperatureAnd is fitTemperature with the totals at T of what visit adds
// to further sums (see slopeAnd), which cost no pass of their own; nil where
// the last pass did not look like the last. Where another fit has found T
// before, the totals take that last pass and all others are saved.
func fitTemperatureAnd(ctx context.Context, o *objective, width int, visit func(b *rowBlock, sum []float64)) (float64, fitReport, []float64, error) {
	before := o.passes
	var totals []float64
	f := o.shared.temperature()
	if f == nil {
		o.passes = 0
		var err error
		if f, totals, err = solveTemperature(ctx, o, width, visit); err != nil {
			return 0, fitReport{}, nil, err
		}
		o.shared.keep(f)
	} else if f.near && visit != nil {
		var err error
		if totals, err = o.sums(ctx, constant(f.beta), width, visit); err != nil {
			return 0, fitReport{}, nil, err
		}
	}
	o.passes = before + f.report.Passes
	report := f.report
	report.Passes = o.passes
	report.AtBound, report.Warnings = slices.Clip(report.AtBound), slices.Clip(report.Warnings) // others have them, too
	return f.t, report, totals, ctx.Err()
}
