package quantile

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// rankedCurve fits a curve over the rank, and returns its parameters and the ranks.
func rankedCurve(ctx context.Context, in calib.Input, c fit.Curve) ([]float64, fit.ECDF, calib.Report, error) {
	o, err := method.Objective(in)
	if err != nil {
		return nil, nil, calib.Report{}, err
	}
	return fit.RankedCurve(ctx, in.Stage, o, c)
}

// lineMap is the map of QaTS with other values of a and b, or with other ranks.
type lineMap struct{ fit.Line }

// WithoutECDF returns the map without its ranks, and the ranks.
func (m lineMap) WithoutECDF() (calib.Map, fit.ECDF) {
	e := m.ECDF
	m.ECDF = nil
	return m, e
}

// Scales writes 1/T(q), q the rank of the row.
func (m lineMap) Scales(dst []float64, _ *data.Set, at *calib.Unscaled) { m.AtTails(dst, at.Tails()) }
