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

// Stop says when a descent by LBFGS ends, besides at a value that rounding hides.
type Stop struct {
	Steps       int     // the largest number of steps
	Evaluations int     // the largest number of evaluations, 2 or more; a step takes one, or some more
	Gradient    float64 // no component of the gradient exceeds this

	// Enough, if it is not nil, is called with x after each step: true ends the descent.
	Enough func(x []float64) bool
}

// LBFGS minimises a smooth function of many parameters by gonum's limited-memory
// BFGS method. It starts at x and overwrites x with the minimum, or with the best point
// found. eval returns the value at x and writes the gradient.
//
// The error of eval or of ctx ends the descent, also within a line search. So does a value
// or a gradient that is not finite, which is an error: gonum's line search would not end.
//
// Processor time of evaluations counts for the meter of ctx; that of gonum's steps,
// about 60 operations a parameter, does not.
//
// The order of sums in gonum's vector code depends on the processor. So fits by
// this method agree across processors to about 1e-6, not to the bit.
func LBFGS(ctx context.Context, eval func(x, gradient []float64) (float64, error), x []float64, stop Stop) (Descent, error) {
	f := &evaluation{ctx: ctx, eval: eval, gradient: make([]float64, len(x))}
	r, err := optimize.Minimize(
		optimize.Problem{Func: f.value, Grad: f.grad, Status: f.status}, x,
		&optimize.Settings{GradientThreshold: stop.Gradient, MajorIterations: stop.Steps, FuncEvaluations: max(2, stop.Evaluations), Converger: converger(stop.Enough)},
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
	panicked any // by eval
}

// errOverflow ends a descent that has met numbers beyond float64.
var errOverflow = errors.New("the fit overflows: logits or features are too large for this method")

// errPanicked ends a descent whose eval has panicked.
var errPanicked = errors.New("the evaluation panicked")

// compute runs on a goroutine of gonum, where nothing recovers a panic.
func (e *evaluation) compute(x []float64) {
	if e.err != nil || e.at != nil && floats.Equal(e.at, x) {
		return
	}
	if e.err = e.ctx.Err(); e.err != nil {
		return
	}
	defer cputime.Join(e.ctx)()
	defer func() {
		if p := recover(); p != nil {
			e.err, e.panicked = errPanicked, p
		}
	}()
	e.at = append(e.at[:0], x...)
	if e.f, e.err = e.eval(x, e.gradient); e.err == nil && !(math.Abs(e.f) <= math.MaxFloat64 && floats.Norm(e.gradient, 2) <= math.MaxFloat64) {
		e.err = errOverflow
	}
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

// Adam is the state of the method of Kingma and Ba (2015) with its usual constants,
// in float64.
type Adam struct {
	first, second  []float64 // moments
	decay1, decay2 float64   // the constants to the power of the steps so far
}

// NewAdam returns the state before the first step on size parameters.
func NewAdam(size int) *Adam {
	return &Adam{make([]float64, size), make([]float64, size), 1, 1}
}

// Step moves w against the gradient.
func (a *Adam) Step(w, gradient []float64, rate float64) {
	const decay1, decay2, tiny = 0.9, 0.999, 1e-8
	a.decay1 *= decay1
	a.decay2 *= decay2
	for i, g := range gradient {
		a.first[i] = float64(decay1*a.first[i]) + float64((1-decay1)*g)
		a.second[i] = float64(decay2*a.second[i]) + float64((1-decay2)*float64(g*g))
		root := math.Sqrt(a.second[i]/(1-a.decay2)) + tiny
		w[i] -= float64(rate * (a.first[i] / (1 - a.decay1) / root))
	}
}
