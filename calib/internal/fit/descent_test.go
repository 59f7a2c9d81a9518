package fit

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/qats-bench/qats/internal/cputime"
)

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
		}, []float64{1}, 100, 1e-9, nil)
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
	}, []float64{3}, 100, 1e-9, nil)
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
	end, err := LBFGS(context.Background(), eval, []float64{1}, 100, 1e-9, nil)
	if err != nil || end.Steps < 2 {
		t.Fatalf("%+v, %v", end, err)
	}
	for i := range points[1:] {
		if points[i] == points[i+1] {
			t.Errorf("%v is evaluated twice", points[i])
		}
	}
	points = nil
	if _, err := LBFGS(context.Background(), eval, []float64{1e6}, 100, 1e-9, nil); err != failure || len(points) != 4 {
		t.Errorf("error %v after %d evaluations", err, len(points))
	}
}
