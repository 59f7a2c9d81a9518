package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

func directScores(x []float64, theta []float64, full bool) []float64 {
	k := len(x)
	s := make([]float64, k)
	for c := range s {
		s[c] = x[c] + theta[len(theta)-k+c]
		for j := range x {
			switch {
			case full:
				s[c] += theta[c*k+j] * x[j]
			case j == c:
				s[c] += theta[c] * x[c]
			}
		}
	}
	return s
}

// randomTheta returns parameters of k classes.
func randomTheta(rng *rand.Rand, k int, full bool) []float64 {
	theta := make([]float64, 2*k)
	if full {
		theta = make([]float64, k*k+k)
	}
	for j := range theta {
		theta[j] = rng.NormFloat64() / 3
	}
	return theta
}

// Value, gradient and the diagonal of the Hessian agree with the definition and its
// differences, for numbers of rows that are not multiples of 4 or of a block.
func TestDerivativesAgreeWithDifferences(t *testing.T) {
	const k, h = 4, 1e-5
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 3, 4, 261} {
		for _, full := range []bool{false, true} {
			set := testset.Drawn(n, k, 1.5, uint64(n))
			f := newProblem(set, full, fit.LogProbs)
			value := func(theta []float64) float64 {
				sum := 0.0
				x := make([]float64, k)
				for i, y := range set.Labels {
					fit.LogProbs(x, set.Logits.Row(i))
					s := directScores(x, theta, full)
					total := 0.0
					for _, v := range s {
						total += math.Exp(v)
					}
					sum += math.Log(total) - s[y]
				}
				return sum / float64(n)
			}
			theta := randomTheta(rng, k, full)
			gradient, curvature := make([]float64, len(theta)), make([]float64, len(theta))
			got, err := f.Pass(context.Background(), theta, gradient, false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Pass(context.Background(), theta, curvature, true); err != nil {
				t.Fatal(err)
			}
			middle := value(theta)
			if !(math.Abs(got-middle) <= 1e-13) {
				t.Errorf("n = %d, full %v: value %v, want %v", n, full, got, middle)
			}
			for j := range theta {
				moved := slices.Clone(theta)
				moved[j] += h
				up := value(moved)
				moved[j] -= 2 * h
				down := value(moved)
				if d := (up - down) / (2 * h); !(math.Abs(d-gradient[j]) <= 1e-9*(1+math.Abs(d))) {
					t.Errorf("n = %d, full %v: gradient[%d] = %v, differences give %v", n, full, j, gradient[j], d)
				}
				if d := (up - 2*middle + down) / (h * h); !(math.Abs(d-curvature[j]) <= 1e-4*(1+math.Abs(d))) {
					t.Errorf("n = %d, full %v: curvature[%d] = %v, differences give %v", n, full, j, curvature[j], d)
				}
			}
		}
	}
}

// A set in which every row is repeated four times, with more rows than one wave, has
// the value and the gradient of a quarter of it. The bits do not depend on the number
// of processors.
func TestRepeatedRowsChangeNoMean(t *testing.T) {
	const k = 3
	n := wave*fit.BlockRows/4 + 100
	one := testset.Drawn(n, k, 2, 3)
	four := &data.Set{Logits: data.NewMatrix(4*n, k)}
	for r := range 4 {
		copy(four.Logits.Data[r*n*k:], one.Logits.Data)
		four.Labels = append(four.Labels, one.Labels...)
	}
	theta := randomTheta(rand.New(rand.NewPCG(3, 3)), k, true)
	pass := func(set *data.Set) []float64 {
		sums := make([]float64, len(theta))
		value, err := newProblem(set, true, fit.LogProbs).Pass(context.Background(), theta, sums, false)
		if err != nil {
			t.Fatal(err)
		}
		return append(sums, value)
	}
	want := pass(four)
	if !testset.Near(want, pass(one), 1e-13) {
		t.Errorf("rows four times: %v, once: %v", want, pass(one))
	}
	for _, workers := range []int{1, 3, 8} {
		old := runtime.GOMAXPROCS(workers)
		got := pass(four)
		runtime.GOMAXPROCS(old)
		if !slices.Equal(got, want) {
			t.Errorf("%d processors: %v, want %v", workers, got, want)
		}
	}
}

// A descent counts the steps to both of its gradients, asks after each but the last whether
// it is enough, and ends where the gradient is 0.
func TestMinimiseCountsItsSteps(t *testing.T) {
	ctx := context.Background()
	set := testset.Drawn(300, 4, 2, 3)
	run := func(tolerance float64, most int) (fit.Descent, []float64, int) {
		f := newProblem(set, false, fit.LogProbs)
		for j := range f.Penalty {
			f.Penalty[j] = 1e-3
		}
		theta, asked := make([]float64, 8), 0
		for j := range 4 {
			theta[j] = 1
		}
		end, err := f.MinimiseTo(ctx, theta, tolerance, func([]float64) bool {
			asked++
			return asked == most
		})
		if err != nil {
			t.Fatal(err)
		}
		return end, theta, asked
	}
	far, _, asked := run(problemNear, -1)
	if far.Steps < 2 || far.Steps-asked < 0 || far.Steps-asked > 1 || far.Gradient > problemNear {
		t.Errorf("to the gradient %g: %+v, asked %d times", problemNear, far, asked)
	}
	all, theta, asked := run(tolerance, -1)
	if all.Steps <= far.Steps || all.Steps-asked < 0 || all.Steps-asked > 2 || all.Gradient > tolerance {
		t.Errorf("%+v, asked %d times; %+v on the way", all, asked, far)
	}
	if end, _, asked := run(tolerance, 2); asked != 2 || end.Steps > 2 {
		t.Errorf("enough at the second step: %+v, asked %d times", end, asked)
	}
	f := newProblem(set, false, fit.LogProbs)
	for j := range f.Penalty {
		f.Penalty[j] = 1e-3
	}
	gradient := make([]float64, 8)
	if _, err := f.Pass(ctx, theta, gradient, false); err != nil {
		t.Fatal(err)
	}
	for j, g := range gradient {
		if g += 2e-3 * theta[j]; !(math.Abs(g) <= 10*tolerance) {
			t.Errorf("parameter %d: gradient %g", j, g)
		}
	}
}

// With one D for all classes the derivatives agree with differences.
func TestDerivativesOfASharedScale(t *testing.T) {
	const k, h = 3, 1e-5
	set := testset.Drawn(70, k, 1.5, 2)
	f := newSharedProblem(set, fit.LogProbs)
	if len(f.Penalty) != 1+k {
		t.Fatalf("%d penalties, want %d", len(f.Penalty), 1+k)
	}
	theta := []float64{.4, -.2, .1, .3}
	value := func(theta []float64) float64 {
		sum, x := 0.0, make([]float64, k)
		for i, y := range set.Labels {
			fit.LogProbs(x, set.Logits.Row(i))
			s := directScores(x, append([]float64{theta[0], theta[0]}, theta...), false)
			sum += math.Log(math.Exp(s[0])+math.Exp(s[1])+math.Exp(s[2])) - s[y]
		}
		return sum / 70
	}
	gradient := make([]float64, 1+k)
	got, err := f.Pass(context.Background(), theta, gradient, false)
	if err != nil || !(math.Abs(got-value(theta)) <= 1e-13) || f.Passes != 1 {
		t.Errorf("value %v (%v) after %v passes, want %v", got, err, f.Passes, value(theta))
	}
	for j := range theta {
		up, down := slices.Clone(theta), slices.Clone(theta)
		up[j] += h
		down[j] -= h
		if d := (value(up) - value(down)) / (2 * h); !(math.Abs(d-gradient[j]) <= 1e-9*(1+math.Abs(d))) {
			t.Errorf("gradient[%d] = %v, differences give %v", j, gradient[j], d)
		}
	}
}

// Penalties and matrices are in the order of the parameters.
func TestPenaltiesAndMatrixFollowTheParameters(t *testing.T) {
	f := newProblem(testset.Drawn(4, 3, 1, 2), true, fit.LogProbs)
	f.Penalise(1, 2, 3)
	if want := []float64{1, 2, 2, 2, 1, 2, 2, 2, 1, 3, 3, 3}; !slices.Equal(f.Penalty, want) {
		t.Errorf("penalties %v, want %v", f.Penalty, want)
	}
	w, b := matrixOf([]float64{.5, 2, 3, -.5, 7, 8}, 2)
	if !reflect.DeepEqual(w, [][]float64{{1.5, 2}, {3, .5}}) || !slices.Equal(b, []float64{7, 8}) {
		t.Errorf("matrix %v, offsets %v", w, b)
	}
}

// The logarithms of probabilities are finite and sum to 1 for logits of any size.
func TestLogProbsOfLargeLogits(t *testing.T) {
	for _, offset := range []float32{0, 1000, -1000} {
		got := make([]float64, 2)
		fit.LogProbs(got, []float32{offset, offset + 2})
		if want := []float64{-math.Log1p(math.Exp(2)), -math.Log1p(math.Exp(-2))}; !testset.Near(got, want, 1e-14) {
			t.Errorf("logits %v and %v: %v, want %v", offset, offset+2, got, want)
		}
	}
}

// Scores of very different sizes and any penalty end at the minimum, in few steps, since
// parameters are measured in units of their curvature.
func TestMinimumOfScoresOfVeryDifferentSizes(t *testing.T) {
	ctx := context.Background()
	set := testset.Drawn(300, 3, 2, 3)
	for _, c := range []struct {
		penalty  float64
		minimise func(*matrixProblem, context.Context, []float64) (fit.Descent, error)
	}{{1e-7, (*matrixProblem).Minimise}, {10, (*matrixProblem).Minimise}, {1e-7, (*matrixProblem).MinimiseWhitened}, {10, (*matrixProblem).MinimiseWhitened}} {
		penalty := c.penalty
		f := newProblem(set, false, func(dst []float64, row []float32) {
			fit.LogProbs(dst, row)
			dst[1] *= 1e-3
			dst[2] *= 1e3
		})
		for j := range f.Penalty {
			f.Penalty[j] = penalty
		}
		theta, gradient, curvature := make([]float64, 6), make([]float64, 6), make([]float64, 6)
		end, err := c.minimise(f, ctx, theta)
		if err != nil || end.Steps > 100 {
			t.Errorf("penalty %g: %d steps (%v)", penalty, end.Steps, err)
		}
		if _, err := f.Pass(ctx, theta, gradient, false); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Pass(ctx, theta, curvature, true); err != nil {
			t.Fatal(err)
		}
		for j, g := range gradient {
			if g += 2 * penalty * theta[j]; !(math.Abs(g) <= 10*tolerance*math.Sqrt(curvature[j]+2*penalty)) {
				t.Errorf("penalty %g, parameter %d: gradient %g, curvature %g", penalty, j, g, curvature[j])
			}
		}
	}
}

// A full matrix keeps its scores, and so does a small diagonal. If a diagonal computes its
// scores anew, the result has the same bits.
func TestKeptScoresChangeNoBit(t *testing.T) {
	for rows, kept := range map[int]bool{mostKept / 1024: true, mostKept/1024 + 1: false} {
		set := &data.Set{Logits: data.NewMatrix(rows, 1024), Labels: make([]int32, rows)}
		if f := newProblem(set, false, func([]float64, []float32) {}); (f.kept != nil) != kept {
			t.Errorf("%d rows of 1024 classes: kept is %v", rows, f.kept != nil)
		}
	}
	set := testset.Drawn(300, 4, 2, 3)
	for name, problem := range map[string]func(*data.Set, func([]float64, []float32)) *matrixProblem{
		"shared": newSharedProblem, "diagonal": func(set *data.Set, scores func([]float64, []float32)) *matrixProblem {
			return newProblem(set, false, scores)
		},
	} {
		pass := func(keep bool) []float64 {
			f := problem(set, fit.LogProbs)
			if !keep {
				f.kept = nil
			}
			theta := []float64{.3, -.2, .1, .4, .2, -.1, .5, .6}[:len(f.Penalty)]
			gradient := make([]float64, len(theta))
			value, err := f.Pass(context.Background(), theta, gradient, false)
			if err != nil {
				t.Fatal(err)
			}
			return append(gradient, value)
		}
		if got, want := pass(false), pass(true); !slices.Equal(got, want) {
			t.Errorf("%s: %v, with kept scores %v", name, got, want)
		}
	}
	if f := newProblem(set, true, fit.LogProbs); f.kept == nil {
		t.Error("the scores of a full matrix are not kept")
	}
}
