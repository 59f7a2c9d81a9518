package fit

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/internal/cputime"
)

var descentStop = Stop{Steps: 100, Evaluations: 1000, Gradient: 1e-9}

// TestEvaluationsOfADescentAreTimed: the optimiser evaluates on a goroutine of its own,
// whose processor time belongs to the fit.
func TestEvaluationsOfADescentAreTimed(t *testing.T) {
	const work = 20 * time.Millisecond // of the first evaluation
	var evaluated time.Duration
	spent, known, err := cputime.Measure(t.Context(), func(ctx context.Context) error {
		_, err := LBFGS(ctx, func(x, gradient []float64) (float64, error) {
			took, _, err := cputime.Measure(ctx, func(context.Context) error {
				for start := time.Now(); evaluated == 0 && time.Since(start) < work; {
				}
				return nil
			})
			evaluated += took
			gradient[0] = 2 * x[0]
			return x[0] * x[0], err
		}, []float64{1}, descentStop)
		return err
	})
	if !known {
		t.Skip("this system has no clock of threads")
	}
	if err != nil || evaluated == 0 || spent < evaluated {
		t.Errorf("measured %v, error %v, of which the evaluations took %v", spent, err, evaluated)
	}
}

// TestPanicOfAnEvaluationReachesTheCaller: gonum evaluates on a goroutine of its own,
// where a panic would end the program.
func TestPanicOfAnEvaluationReachesTheCaller(t *testing.T) {
	defer func() {
		if p := recover(); p != "cut" {
			t.Errorf("recovered %v, want the panic of the evaluation", p)
		}
	}()
	calls := 0
	_, err := LBFGS(context.Background(), func(x, gradient []float64) (float64, error) {
		if calls++; calls == 3 {
			panic("cut")
		}
		gradient[0] = 4 * x[0] * x[0] * x[0]
		return x[0] * x[0] * x[0] * x[0], nil
	}, []float64{3}, descentStop)
	t.Errorf("LBFGS returned %v", err)
}

// gonum asks for value and gradient in separate calls; both come from one evaluation.
// An error ends the descent at once.
func TestDescentEvaluatesAPointOnce(t *testing.T) {
	var points []float64
	failure := errors.New("no value")
	eval := func(x, gradient []float64) (float64, error) {
		points = append(points, x[0])
		gradient[0] = 4 * x[0] * x[0] * x[0]
		if len(points) == 4 && x[0] > 2 {
			return 0, failure
		}
		return x[0] * x[0] * x[0] * x[0], nil
	}
	end, err := LBFGS(context.Background(), eval, []float64{1}, descentStop)
	if err != nil || end.Steps < 2 {
		t.Fatalf("%+v, %v", end, err)
	}
	for i := range points[1:] {
		if points[i] == points[i+1] {
			t.Errorf("%v is evaluated twice", points[i])
		}
	}
	points = nil
	if _, err := LBFGS(context.Background(), eval, []float64{1e6}, descentStop); err != failure || len(points) != 4 {
		t.Errorf("error %v after %d evaluations", err, len(points))
	}
}

// A value or a gradient that is not finite ends a descent with an error, wherever it is met.
// gonum's line search would never end, and panics at a gradient whose norm is infinite.
func TestDescentEndsAtNumbersThatAreNotFinite(t *testing.T) {
	for name, bad := range map[string]struct{ value, gradient float64 }{
		"value NaN": {math.NaN(), -1}, "value Inf": {math.Inf(1), -1}, "value -Inf": {math.Inf(-1), -1},
		"gradient NaN": {1, math.NaN()}, "gradient Inf": {1, math.Inf(-1)}, "norm of the gradient": {1, -math.MaxFloat64},
	} {
		for _, first := range []int{1, 2, 5} { // the evaluation that is not finite
			calls := 0
			_, err := LBFGS(t.Context(), func(x, gradient []float64) (float64, error) {
				if calls++; calls >= first {
					gradient[0], gradient[1] = bad.gradient, bad.gradient
					return bad.value, nil
				}
				gradient[0], gradient[1] = -1, -1
				return -x[0] - x[1], nil
			}, []float64{0, 0}, descentStop)
			if err != errOverflow || calls != first {
				t.Errorf("%s at evaluation %d: error %v after %d", name, first, err, calls)
			}
		}
	}
}

// A line search without an end is cut by the number of evaluations. x is then the best
// point found, at the least the start.
func TestDescentEndsAfterItsEvaluations(t *testing.T) {
	for _, most := range []int{0, 1, 2, 3, 50} {
		calls, x := 0, []float64{3, 4}
		end, err := LBFGS(t.Context(), func(x, gradient []float64) (float64, error) {
			calls++
			gradient[0], gradient[1] = -1, -1 // which contradicts the value
			return x[0]*x[0] + x[1]*x[1], nil
		}, x, Stop{Steps: 100, Evaluations: most, Gradient: 1e-9})
		if err != nil || calls > max(2, most) || !slices.Equal(x, []float64{3, 4}) || end.Value != 25 || end.Gradient != 1 {
			t.Errorf("at most %d evaluations: %d, x = %v, %+v, error %v", most, calls, x, end, err)
		}
	}
}

// A cancelled context ends a descent within the line search.
func TestDescentEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err := LBFGS(ctx, func(x, gradient []float64) (float64, error) {
		if calls++; calls == 3 {
			cancel()
		}
		gradient[0] = -1
		return x[0] * x[0], nil
	}, []float64{3}, Stop{Steps: 100, Evaluations: 1000, Gradient: 1e-9})
	if err != context.Canceled || calls != 3 {
		t.Errorf("error %v after %d evaluations", err, calls)
	}
}

// On a parabola Adam's first step is the rate, for any slope.
func TestAdamStepsByTheRateAndConverges(t *testing.T) {
	for _, slope := range []float64{1e-3, 1, 1e3} {
		a, w := NewAdam(1), []float64{5}
		a.Step(w, []float64{slope}, 0.25)
		if !(math.Abs(w[0]-4.75) <= 1e-5) {
			t.Errorf("slope %v: first step to %v", slope, w[0])
		}
	}
	for slope, want := range map[float64]float64{0: 5, 1e-8: 4.875, -1e-8: 5.125} { // 1e-8 is added to the root
		a, w := NewAdam(1), []float64{5}
		a.Step(w, []float64{slope}, 0.25)
		if !(math.Abs(w[0]-want) <= 1e-8) {
			t.Errorf("slope %v: first step to %v, want %v", slope, w[0], want)
		}
	}
	a, w := NewAdam(2), []float64{3, -2}
	for range 5000 {
		a.Step(w, []float64{2 * w[0], 200 * w[1]}, 0.01)
	}
	if !testset.Near(w, []float64{0, 0}, 1e-6) {
		t.Errorf("ends at %v", w)
	}
}
