package method

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
)

// Objective returns the calibration set, in memory or streamed.
func Objective(in calib.Input) (*fit.Objective, error) {
	return fit.ObjectiveOf(in.Cal, in.Stream, in.Shared)
}

// Temperature returns the calibration set, the temperature of ts on it, at which many
// fits start, and the report of that fit.
func Temperature(ctx context.Context, in calib.Input) (o *fit.Objective, t float64, report calib.Report, err error) {
	if o, err = Objective(in); err != nil {
		return nil, 0, calib.Report{}, err
	}
	t, report, err = fit.Temperature(ctx, o)
	return o, t, report, err
}
