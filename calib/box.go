package calib

import (
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
)

// Local is a function of p parameters near one point.
type Local struct {
	Value    float64
	Gradient []float64 // p
	Hessian  []float64 // p x p, symmetric, row-major
}

// Range is a parameter of a fit with its bounds, which are allowed values.
type Range struct {
	Name        string // as in Parameter
	Least, Most float64
}

// Minimum says how MinimiseInBox ended.
type Minimum struct {
	At       []float64 // p, the parameters
	Value    float64
	Gradient float64  // largest absolute component of the projected gradient
	Steps    int      // accepted steps
	AtBound  []string // active bounds, as "a >= 0"
}

// MinimiseInBox minimises a smooth function of a few parameters, each in its
// range, by Newton's method from start, which must lie in the ranges. The
// function need not be convex: if its Hessian is not positive definite, or it did
// not fall, the step is damped (Levenberg 1944), so the value never rises. The
// result is a stationary point in the box. It has converged if the gradient is
// at most 1e-9. Parameters should be of the order of 1.
//
// QaTS uses the same solver. It returns an error only if eval does.
func MinimiseInBox(eval func(x []float64) (Local, error), start []float64, box []Range) (Minimum, error) {
	lo, hi := make([]float64, len(box)), make([]float64, len(box))
	for i, r := range box {
		lo[i], hi[i] = r.Least, r.Most
	}
	end, err := fit.BoxNewton(func(x []float64) (fit.Local, error) {
		f, err := eval(x)
		return fit.Local(f), err
	}, start, lo, hi, 1)
	if err != nil {
		return Minimum{}, err
	}
	return Minimum{end.At, end.Value, end.Gradient, end.Steps, activeBounds(end.At, box)}, nil
}

// activeBounds returns the bounds at which x is, as "a >= 0".
func activeBounds(x []float64, box []Range) (active []string) {
	for i, r := range box {
		switch x[i] {
		case r.Least:
			active = append(active, fmt.Sprintf("%s >= %g", r.Name, r.Least))
		case r.Most:
			active = append(active, fmt.Sprintf("%s <= %g", r.Name, r.Most))
		}
	}
	return active
}

// Report returns the report of a fit that ended at m, a minimum of the mean NLL,
// after so many passes over the calibration set. It has a warning if the fit did
// not converge.
func (m Minimum) Report(passes float64) Report {
	r := fit.Report{NLL: m.Value, Gradient: m.Gradient, Iterations: m.Steps, Passes: passes, AtBound: m.AtBound}
	r.WarnUnconverged()
	return Report(r)
}
