package calib

import (
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/report"
)

// Range is a parameter of a fit with its bounds, which are allowed values.
type Range struct {
	Name        string // as in Parameter
	Least, Most float64
}

// MinimiseInBox minimises a smooth function of a few parameters, each in its range, by
// Newton's method from each of the starts, which must lie in the ranges. It returns the
// least minimum, the first one on ties. The function need not be convex: if its Hessian
// is not positive definite, or it did not fall, the step is damped (Levenberg 1944), so
// the value never rises. The result is a stationary point in the box. It has converged if
// the gradient is at most 1e-9. Parameters are measured in units of unit, which is 1 or,
// for parameters that are temperatures, the temperature of ts.
//
// It returns an error if eval does, or if eval returns a number that is not finite. hfe,
// hts, dac and qats-reading call it, and the fits of QaTS have the same solver.
func MinimiseInBox(eval func(x []float64) (Local, error), starts [][]float64, box []Range, unit float64) (Minimum, error) {
	lo, hi := make([]float64, len(box)), make([]float64, len(box))
	for i, r := range box {
		lo[i], hi[i] = r.Least, r.Most
	}
	end, err := fit.BoxNewtonFrom(eval, starts, lo, hi, unit)
	if err != nil {
		return Minimum{}, err
	}
	end.AtBound = activeBounds(end.At, box)
	return end, nil
}

// activeBounds returns the bounds at which x is.
func activeBounds(x []float64, box []Range) (active report.Bounds) {
	for i, r := range box {
		switch x[i] {
		case r.Least:
			active = append(active, report.AtLeast(r.Name, 0, r.Least))
		case r.Most:
			active = append(active, report.AtMost(r.Name, 0, r.Most))
		}
	}
	return active
}
