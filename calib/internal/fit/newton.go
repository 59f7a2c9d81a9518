package fit

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/report"
)

// BoxNewton minimises a smooth, possibly non-convex function of a few
// parameters in the box lo <= x <= hi. It starts at x, which it does not change.
// Parameters are measured in units of unit. So the damping and the gradient,
// unit * d/dx, do not depend on the scale of the problem.
//
// Each step minimises the quadratic model in the box by an active set. If the
// Hessian is not positive definite, or the function did not fall, a multiple of
// the identity is added until it falls (Levenberg 1944). The method ends at a
// projected gradient below 1e-12. It also ends at a gradient below report.GradTol if the
// next step is below boxStepTol or if rounding hides any further descent. Near
// the minimum that step is the error of x, up to its square. After maxTrials it
// ends in any case. The value and the gradient returned are those at the
// solution. A value or a derivative that is not finite is an error.
//
// The Cholesky factorisation is our own, because bytes must agree across
// processors, which libraries with vector code do not promise.
func BoxNewton(eval func(x []float64) (report.Local, error), x, lo, hi []float64, unit float64) (report.Minimum, error) {
	const (
		maxTrials = 200
		target    = 1e-12
		rounding  = 1e-14 // largest rounding error of the value, relative to max(1, value)
	)
	at := func(x []float64) (report.Local, error) {
		f, err := eval(x)
		if err == nil && !finite(f) {
			err = errOverflow
		}
		return f, err
	}
	cur, err := at(x)
	if err != nil {
		return report.Minimum{}, err
	}
	sol := report.Minimum{At: append([]float64(nil), x...), Value: cur.Value, Gradient: projected(x, cur, lo, hi, unit), Starts: 1}
	damping := 0.0
	for range maxTrials {
		if sol.Gradient <= target {
			break
		}
		least := 1e-6 * largestCurvature(cur, unit)
		step, ok := boxStep(sol.At, cur, lo, hi, unit, damping)
		for !ok {
			if damping = max(4*damping, least); math.IsInf(damping, 1) {
				return report.Minimum{}, errOverflow
			}
			step, ok = boxStep(sol.At, cur, lo, hi, unit, damping)
		}
		if sol.Gradient <= report.GradTol && negligible(step, sol.At, unit) {
			break
		}
		next := make([]float64, len(x))
		expected := 0.0 // change of the value to first order
		moved := false
		for j := range next {
			next[j] = min(max(sol.At[j]+step[j], lo[j]), hi[j])
			moved = moved || next[j] != sol.At[j]
			expected += float64(cur.Gradient[j] * (next[j] - sol.At[j]))
		}
		if !moved {
			break
		}
		trial, err := at(next)
		if err != nil {
			return report.Minimum{}, err
		}
		gradient := projected(next, trial, lo, hi, unit)
		fell := trial.Value <= cur.Value+float64(1e-4*expected)
		unchanged := trial.Value <= cur.Value+float64(rounding*max(1, math.Abs(cur.Value)))
		if !fell && !(unchanged && gradient < sol.Gradient) {
			if sol.Gradient <= report.GradTol {
				break
			}
			damping = max(10*damping, least)
			continue
		}
		cur = trial
		sol = report.Minimum{At: next, Value: trial.Value, Gradient: gradient, Steps: sol.Steps + 1, Starts: 1}
		if damping /= 10; damping < least {
			damping = 0
		}
	}
	return sol, nil
}

// finite reports whether all numbers of f are finite.
func finite(f report.Local) bool {
	most := math.Abs(f.Value)
	for _, list := range [][]float64{f.Gradient, f.Hessian} {
		for _, v := range list {
			most = max(most, math.Abs(v))
		}
	}
	return most <= math.MaxFloat64 // false if one is NaN
}

// FewRows is the largest number of rows for which non-convex fits have more than
// one start. Local minima were seen on smaller sets, and never on larger ones.
const FewRows = 1000

// BoxNewtonFrom runs BoxNewton from each start in turn. It returns the least
// minimum, the first one on ties, with the sum of all steps.
func BoxNewtonFrom(eval func(x []float64) (report.Local, error), starts [][]float64, lo, hi []float64, unit float64) (best report.Minimum, err error) {
	steps, highest := 0, math.Inf(-1)
	for i, x := range starts {
		end, err := BoxNewton(eval, x, lo, hi, unit)
		if err != nil {
			return report.Minimum{}, err
		}
		steps += end.Steps
		highest = max(highest, end.Value)
		if i == 0 || end.Value < best.Value-report.SameMinimum {
			best = end
		}
	}
	best.Steps, best.Starts, best.Spread = steps, len(starts), highest-best.Value
	return best, nil
}

// boxStepTol is the largest last step of a parameter, relative to the parameter
// or to a thousandth of the unit, whichever is larger.
const boxStepTol = 1e-9

// negligible reports whether a step is below boxStepTol.
func negligible(step, x []float64, unit float64) bool {
	for j, s := range step {
		if !(math.Abs(s) <= boxStepTol*max(math.Abs(x[j]), 1e-3*unit)) {
			return false
		}
	}
	return true
}

// projected returns the largest absolute component of the gradient among the
// parameters that are not blocked by a bound.
func projected(x []float64, f report.Local, lo, hi []float64, unit float64) float64 {
	most := 0.0
	for j, g := range f.Gradient {
		if !blocked(x[j], g, lo[j], hi[j]) {
			most = max(most, math.Abs(g)*unit)
		}
	}
	return most
}

// blocked reports whether a parameter is at a bound and descent would leave the box.
func blocked(x, gradient, lo, hi float64) bool {
	return (x <= lo && gradient >= 0) || (x >= hi && gradient <= 0)
}

// largestCurvature returns the largest diagonal element of the scaled Hessian,
// at least 2^-1000 so that a multiple of it is positive.
func largestCurvature(f report.Local, unit float64) float64 {
	p := len(f.Gradient)
	most := 0x1p-1000
	for j := range p {
		most = max(most, math.Abs(f.Hessian[j*p+j])*unit*unit)
	}
	return most
}

// boxStep returns the step that minimises the quadratic model of f plus
// damping in the box around x. It moves along the Newton step of the free
// parameters and fixes the first parameter that meets its bound, until none
// does. It reports false if the model has no minimum, or none that a float64 can hold.
func boxStep(x []float64, f report.Local, lo, hi []float64, unit, damping float64) ([]float64, bool) {
	p := len(x)
	var free []int
	for j := range x {
		if !blocked(x[j], f.Gradient[j], lo[j], hi[j]) {
			free = append(free, j)
		}
	}
	step := make([]float64, p) // in units of x
	for len(free) > 0 {
		m := len(free)
		a, b := make([]float64, m*m), make([]float64, m)
		for r, j := range free {
			slope := float64(f.Gradient[j] * unit)
			for i := range step {
				slope += float64(float64(f.Hessian[j*p+i]*unit) * step[i])
			}
			slope += float64(damping * (step[j] / unit))
			b[r] = -slope
			for c, i := range free {
				a[r*m+c] = float64(f.Hessian[j*p+i] * unit * unit)
			}
			a[r*m+r] += damping
		}
		if !Cholesky(a, b) || slices.ContainsFunc(b, func(v float64) bool { return !(math.Abs(v*unit) <= math.MaxFloat64) }) {
			return nil, false
		}
		share, first := 1.0, -1
		for r, j := range free {
			d := b[r] * unit
			room := hi[j] - x[j] - step[j]
			if d < 0 {
				room = lo[j] - x[j] - step[j]
			}
			if d != 0 && room/d < share {
				share, first = max(0, room/d), r
			}
		}
		for r, j := range free {
			step[j] += float64(share * float64(b[r]*unit))
		}
		if first < 0 {
			break
		}
		j := free[first]
		if b[first] < 0 {
			step[j] = lo[j] - x[j]
		} else {
			step[j] = hi[j] - x[j]
		}
		free = append(free[:first], free[first+1:]...)
	}
	return step, true
}

// Cholesky solves a x = b for the m x m symmetric matrix a. It overwrites b with
// x and a with its factor. It reports false if a is not positive definite, or
// too close to singular.
func Cholesky(a, b []float64) bool {
	m := len(b)
	for j := range m {
		diagonal := a[j*m+j]
		for c := range j {
			diagonal -= float64(a[j*m+c] * a[j*m+c])
		}
		if !(diagonal > 1e-13*a[j*m+j]) {
			return false
		}
		root := math.Sqrt(diagonal)
		a[j*m+j] = root
		for r := j + 1; r < m; r++ {
			v := a[r*m+j]
			for c := range j {
				v -= float64(a[r*m+c] * a[j*m+c])
			}
			a[r*m+j] = v / root
		}
	}
	for r := range m {
		for c := range r {
			b[r] -= float64(a[r*m+c] * b[c])
		}
		b[r] /= a[r*m+r]
	}
	for r := m - 1; r >= 0; r-- {
		for c := r + 1; c < m; c++ {
			b[r] -= float64(a[c*m+r] * b[c])
		}
		b[r] /= a[r*m+r]
	}
	return true
}
