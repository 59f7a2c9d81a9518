package fit

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/qats-bench/qats/internal/cputime"
)

// Descent says how LBFGS ended.
type Descent struct {
	Value    float64
	Gradient float64 // largest absolute component
	Steps    int
}

// LBFGS minimises a smooth function of many parameters by gonum's limited-memory
// BFGS method. It starts at x and overwrites x with the minimum. eval returns the
// value at x and writes the gradient; an error of eval ends the descent. The
// descent also ends when no component of the gradient exceeds tolerance, after
// maxSteps steps, or when rounding of the value hides any further descent. If enough is
// not nil, it is called with x after each step, and the descent ends if it returns true.
// Processor time of evaluations counts for the meter of ctx; that of gonum's steps,
// about 60 operations a parameter, does not.
//
// The order of sums in gonum's vector code depends on the processor. So fits by
// this method agree across processors to about 1e-6, not to the bit.
func LBFGS(ctx context.Context, eval func(x, gradient []float64) (float64, error), x []float64, maxSteps int, tolerance float64, enough func(x []float64) bool) (Descent, error) {
	f := &evaluation{ctx: ctx, eval: eval, gradient: make([]float64, len(x))}
	r, err := optimize.Minimize(
		optimize.Problem{Func: f.value, Grad: f.grad, Status: f.status}, x,
		&optimize.Settings{GradientThreshold: tolerance, MajorIterations: maxSteps, Converger: converger(enough)},
		&optimize.LBFGS{Linesearcher: &optimize.MoreThuente{}, GradStopThreshold: math.NaN()})
	switch {
	case f.panicked != nil:
		panic(f.panicked)
	case f.err != nil:
		return Descent{}, f.err
	case r == nil:
		return Descent{}, err
	}
	// An err with a result r is a line search that failed because of rounding.
	copy(x, r.X)
	return Descent{Value: r.F, Gradient: floats.Norm(r.Gradient, math.Inf(1)), Steps: r.MajorIterations}, nil
}

// converger is a function that may end a descent; it may be nil.
type converger func(x []float64) bool

func (converger) Init(int) {}

func (enough converger) Converged(at *optimize.Location) optimize.Status {
	if enough != nil && enough(at.X) {
		return optimize.MethodConverge
	}
	return optimize.NotTerminated
}

// evaluation keeps the value and the gradient at one point, because gonum asks
// for them in separate calls.
type evaluation struct {
	ctx      context.Context
	eval     func(x, gradient []float64) (float64, error)
	at       []float64
	f        float64
	gradient []float64
	err      error
	panicked any // by eval, such as the fault of a matrix that was cut while it was mapped
}

// errPanicked ends a descent whose eval has panicked.
var errPanicked = errors.New("the evaluation panicked")

// compute runs on a goroutine of gonum, where nothing recovers a panic.
func (e *evaluation) compute(x []float64) {
	if e.err != nil || e.at != nil && floats.Equal(e.at, x) {
		return
	}
	defer cputime.Join(e.ctx)()
	defer func() {
		if p := recover(); p != nil {
			e.err, e.panicked = errPanicked, p
		}
	}()
	e.at = append(e.at[:0], x...)
	e.f, e.err = e.eval(x, e.gradient)
}

func (e *evaluation) value(x []float64) float64 {
	e.compute(x)
	return e.f
}

func (e *evaluation) grad(gradient, x []float64) {
	e.compute(x)
	copy(gradient, e.gradient)
}

func (e *evaluation) status() (optimize.Status, error) {
	if e.err != nil {
		return optimize.Failure, e.err
	}
	return optimize.NotTerminated, nil
}
