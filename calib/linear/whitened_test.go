package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// problems returns the problem with one D and that with a diagonal.
func problems(set *data.Set, penalty float64) []*matrixProblem {
	list := []*matrixProblem{newSharedProblem(set, fit.LogProbs), newProblem(set, false, fit.LogProbs)}
	for _, f := range list {
		for j := range f.Penalty {
			f.Penalty[j] = penalty
		}
	}
	return list
}

// The upper triangle of the Hessian agrees with differences of the gradient.
func TestHessianAgreesWithDifferences(t *testing.T) {
	const h = 1e-5
	for _, f := range problems(testset.Drawn(300, 4, 1.5, 2), 1) {
		p := len(f.Penalty)
		theta := randomTheta(rand.New(rand.NewPCG(1, 2)), 4, false)[:p]
		hessian, up, down := make([]float64, p*p), make([]float64, p), make([]float64, p)
		if _, err := f.pass(t.Context(), theta, hessian, f.addHessian); err != nil {
			t.Fatal(err)
		}
		for a := range p {
			moved := slices.Clone(theta)
			moved[a] += h
			f.Pass(t.Context(), moved, up, false)
			moved[a] -= 2 * h
			f.Pass(t.Context(), moved, down, false)
			for b := a; b < p; b++ {
				if d := (up[b] - down[b]) / (2 * h); !(math.Abs(d-hessian[a*p+b]) <= 1e-8*(1+math.Abs(d))) {
					t.Errorf("%d parameters: Hessian[%d][%d] = %v, differences give %v", p, a, b, hessian[a*p+b], d)
				}
			}
		}
	}
}

// MinimiseWhitened ends at the minimum of Minimise, in fewer passes, also if a class has no
// rows, and with the same bits on any number of processors.
func TestWhitenedMinimumIsThatOfMinimise(t *testing.T) {
	const k = 12
	set := testset.Drawn(3000, k, 2, 3)
	for i, y := range set.Labels {
		if y == k-1 {
			set.Labels[i] = int32(i % 3)
		}
		set.Logits.Row(i)[1] += 2 // an offset that is to be found
	}
	for which := range 2 {
		run := func(workers int, minimise func(*matrixProblem, context.Context, []float64) error) ([]float64, *matrixProblem) {
			old := runtime.GOMAXPROCS(workers)
			defer runtime.GOMAXPROCS(old)
			f := problems(set, 1e-6)[which]
			theta := make([]float64, len(f.Penalty))
			if err := minimise(f, t.Context(), theta); err != nil {
				t.Fatal(err)
			}
			return theta, f
		}
		plain := func(f *matrixProblem, ctx context.Context, theta []float64) error {
			_, err := f.Minimise(ctx, theta)
			return err
		}
		whitened := func(f *matrixProblem, ctx context.Context, theta []float64) error {
			end, err := f.MinimiseWhitened(ctx, theta)
			if end.Gradient > tolerance {
				t.Errorf("problem %d: %+v", which, end)
			}
			return err
		}
		want, slow := run(2, plain)
		got, fast := run(2, whitened)
		if !(fast.Passes < slow.Passes) {
			t.Errorf("problem %d: %v passes, Minimise takes %v", which, fast.Passes, slow.Passes)
		}
		value := func(theta []float64) float64 {
			v, err := fast.penalised(t.Context(), theta, make([]float64, len(theta)))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if v, least := value(got), value(want); !(math.Abs(v-least) <= 1e-12) || !testset.Near(got, want, 1e-3) {
			t.Errorf("problem %d: objective %v at %v, Minimise gives %v at %v", which, v, got, least, want)
		}
		if again, _ := run(1, whitened); !slices.Equal(again, got) {
			t.Errorf("problem %d: %v on one processor, %v on two", which, again, got)
		}
	}
}

// Where a Hessian would take too long, MinimiseWhitened is Minimise.
func TestManyParametersAreNotWhitened(t *testing.T) {
	set := testset.Drawn(40, mostWhitened, 1, 4)
	f := problems(set, 1e-2)[0]
	got, want := make([]float64, len(f.Penalty)), make([]float64, len(f.Penalty))
	if _, err := f.MinimiseWhitened(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Minimise(t.Context(), want); err != nil || !slices.Equal(got, want) {
		t.Errorf("parameters %v, want %v (%v)", got, want, err)
	}
}
