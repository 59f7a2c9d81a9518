package temperature

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
)

// TSGuo50 is temperature scaling as gpleiss/temperature_scaling fitted it until July 2025.
// Most papers copied that code, and many published columns of TS come from it, so it is
// a method of its own. The fit follows torch.optim.LBFGS with lr 0.01, max_iter 50
// and no line search. It stops before the minimum, because each step covers a hundredth
// of the way. Start and rate are fixed, so it does not follow logits of an unusual size.
//
//   - Formula: p = softmax(l/T), T after at most 50 steps of L-BFGS from 1.5 with rate
//     0.01
//   - Reference: github.com/gpleiss/temperature_scaling before July 2025
//   - Compared with: gpleiss/temperature_scaling before July 2025 (the authors')
//   - Agreement: T to 1e-10 on drawn sets in float64, to 2e-5 in float32, with the same
//     number of steps
//   - Departures: Ours computes in float64, theirs in float32. A step to T <= 0 is an
//     error.
type TSGuo50 struct{}

// TSGuo50Entry is the entry of TSGuo50.
var TSGuo50Entry = calib.NewEntry[TSGuo50, calib.Temperature](calib.Entry{
	Name:    "ts-guo50",
	Label:   "TS (Guo, 50)",
	Version: 2,
	Summary: "temperature after 50 LBFGS steps of 0.01 from 1.5, as the first public code; not converged",
})

// String returns the name of the method.
func (TSGuo50) String() string { return TSGuo50Entry.Name }

// Contract needs logits and labels, and accepts a Stream.
func (TSGuo50) Contract() calib.Contract { return method.StreamedContract() }

// Fit returns the temperature after the last step.
func (TSGuo50) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	o, err := method.Objective(in)
	if err != nil {
		return nil, err
	}
	loss := func(t float64) (lossAt, error) {
		if !(t > 0) || math.IsInf(t, 0) {
			return lossAt{}, fmt.Errorf("the recipe steps to T = %g, which is no temperature", t)
		}
		s, err := o.Slope(ctx, 1/t)
		return lossAt{s.NLL, -(s.LabelGap - s.MeanGap) / t / t}, err
	}
	t, steps, err := torchLBFGS(1.5, 0.01, 50, loss)
	if err != nil {
		return nil, err
	}
	last, err := loss(t) // the recipe does not evaluate its last point
	if err != nil {
		return nil, err
	}
	r := calib.Report{NLL: last.value, Gradient: math.Abs(last.gradient), Iterations: steps, Passes: o.Passes}
	if r.Gradient > 1e-7 {
		r.Warn(report.Early(r.Gradient, steps))
	}
	return &calib.Fitted{Map: calib.Temperature{T: t}, Report: r}, nil
}

// lossAt is the value and the derivative of a function of one variable.
type lossAt struct{ value, gradient float64 }

// torchLBFGS minimises f as torch.optim.LBFGS.step does for one variable
// without line search (PyTorch 1.13; the loop is unchanged since 1.0), with
// its defaults tolerance_grad 1e-7 and tolerance_change 1e-9. It returns the last
// point and the number of steps. As in torch, f was not evaluated at that point if
// max_iter ended the loop. A step has one evaluation, so from max_iter = 4 on the
// default of max_eval, 5/4 max_iter, ends no loop, and it is left out.
//
// In one variable the two-loop recursion returns -gradient * s/y of the newest
// pair, with any history: after the first pair the remaining vector is zero, up to
// rounding. (torch skips a pair if y s <= 1e-10.)
func torchLBFGS(x, lr float64, maxIter int, f func(float64) (lossAt, error)) (float64, int, error) {
	const tolGrad, tolChange = 1e-7, 1e-9
	cur, err := f(x)
	if err != nil || math.Abs(cur.gradient) <= tolGrad {
		return x, 0, err
	}
	inverse := 1.0 // s/y of the newest pair
	step := min(1, 1/math.Abs(cur.gradient)) * lr
	var direction float64
	var prev lossAt
	for iter := 1; ; iter++ {
		if iter > 1 {
			y, s := cur.gradient-prev.gradient, direction*step
			if y*s > 1e-10 {
				inverse = s / y
			}
			step = lr
		}
		direction = -float64(cur.gradient * inverse)
		prev = cur
		if cur.gradient*direction > -tolChange {
			return x, iter, nil
		}
		x += float64(step * direction)
		if iter == maxIter {
			return x, iter, nil
		}
		if cur, err = f(x); err != nil {
			return x, iter, err
		}
		if math.Abs(cur.gradient) <= tolGrad || math.Abs(direction*step) <= tolChange || math.Abs(cur.value-prev.value) < tolChange {
			return x, iter, nil
		}
	}
}
