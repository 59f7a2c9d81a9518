package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

func TestFoldsPartitionTheRows(t *testing.T) {
	const n, k, parts = 103, 4, 5
	set := testset.Drawn(n, k, 2, 1)
	for i, l := range set.Logits.Data { // a grid on which float32 adds 16 exactly
		set.Logits.Data[i] = float32(math.Round(float64(l)*64) / 64)
	}
	part := fit.Folds(set, parts, 7)
	var size [parts]int
	for _, p := range part {
		size[p]++
	}
	if slices.Min(size[:]) != n/parts || slices.Max(size[:]) != n/parts+1 {
		t.Errorf("sizes %v of %d rows", size, n)
	}
	if slices.Equal(part, fit.Folds(set, parts, 8)) {
		t.Error("another seed gives the same folds")
	}

	rng := rand.New(rand.NewPCG(1, 1))
	rows, classes := rng.Perm(n), rng.Perm(k)
	moved := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i, to := range rows {
		for j, l := range set.Logits.Row(i) {
			moved.Logits.Row(to)[classes[j]] = l + 16
		}
		moved.Labels[to] = int32(classes[set.Labels[i]])
	}
	again := fit.Folds(moved, parts, 7)
	for i, to := range rows {
		if again[to] != part[i] {
			t.Fatalf("row %d: fold %d, moved to place %d fold %d", i, part[i], to, again[to])
		}
	}
}

// odirMethod returns the method on logits or on log-probabilities, and its scores.
func odirMethod(d Dirichlet, raw bool) (calib.Method, scores) {
	if raw {
		return MatrixODIR(d), rawLogits
	}
	return d, fit.LogProbs
}

// odirOf returns the fits behind a map of either method.
func odirOf(m calib.Map) odirMap {
	if m, ok := m.(matrixMap); ok {
		return m.odirMap
	}
	return m.(dirichletMap).odirMap
}

// lambda and the models agree with independent fits that end at the minimum.
func TestDirichletChoosesLambdaByCrossValidation(t *testing.T) {
	const n, k, seed = 90, 3, 11
	for _, raw := range []bool{false, true} {
		set := testset.Drawn(n, k, 3, 2)
		method, scores := odirMethod(Dirichlet{Folds: 3}, raw)
		f, err := calib.FitInput(context.Background(), method, calib.Input{Cal: set, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		got := odirOf(f.Map)
		part := fit.Folds(set, 3, seed)
		best, least, worse := 0.0, math.Inf(1), 0
		var models [][]float64
		for _, lambda := range odirGrid() {
			nll := 0.0
			var thetas [][]float64
			for p := range 3 {
				outside, inside := fit.Split(set, part, p)
				problem := newProblem(outside, true, scores)
				problem.Penalise(odirDiagonal, lambda, lambda)
				theta := make([]float64, k*k+k)
				if _, err := problem.Minimise(context.Background(), theta); err != nil {
					t.Fatal(err)
				}
				w, b := matrixOf(theta, k)
				q := data.NewProbs(inside.Logits.Rows, k)
				odirMap{Models: []odirModel{{w, b}}}.apply(q, inside, scores)
				for i, y := range inside.Labels {
					nll -= math.Log(q.Row(i)[y])
				}
				thetas = append(thetas, theta)
			}
			if nll < least {
				best, least, worse, models = lambda, nll, 0, thetas
			} else if worse++; worse == 2 {
				break
			}
		}
		if got.Lambda != best || got.Mu != best || len(got.Models) != 3 {
			t.Fatalf("raw %v: lambda %v, mu %v, %d models; want lambda %v", raw, got.Lambda, got.Mu, len(got.Models), best)
		}
		for p, theta := range models {
			w, b := matrixOf(theta, k)
			for c := range w {
				if !testset.Near(got.Models[p].W[c], w[c], 1e-5) || !(math.Abs(got.Models[p].B[c]-b[c]) <= 1e-5) {
					t.Errorf("raw %v, fold %d, class %d: %v %v, want %v %v", raw, p, c, got.Models[p].W[c], got.Models[p].B[c], w[c], b[c])
				}
			}
		}
	}
}

// With large penalties only the diagonal is free.
func TestLargePenaltiesLeaveTheDiagonal(t *testing.T) {
	set := testset.Drawn(200, 4, 2, 3)
	for _, raw := range []bool{false, true} {
		method, _ := odirMethod(Dirichlet{Lambda: 1e9, Mu: 1e9, Folds: 2}, raw)
		m := odirOf(calibtest.Map(t, method, set))
		for _, one := range m.Models {
			for c, w := range one.W {
				for j, v := range w {
					if j != c && !(math.Abs(v) <= 1e-6) || j == c && !(v > 0 && v < 1) { // drawn at temperature 2
						t.Errorf("raw %v: w[%d][%d] = %v", raw, c, j, v)
					}
				}
				if !(math.Abs(one.B[c]) <= 1e-6) {
					t.Errorf("raw %v: b[%d] = %v", raw, c, one.B[c])
				}
			}
		}
	}
}

func TestODIRRejects(t *testing.T) {
	set := testset.Drawn(20, 3, 2, 3)
	for name, method := range map[string]calib.Method{
		"one fold":        Dirichlet{Folds: 1},
		"negative lambda": MatrixODIR{Lambda: -1},
		"mu no number":    Dirichlet{Mu: math.NaN()},
	} {
		if _, err := calib.FitInput(context.Background(), method, calib.Input{Cal: set}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for _, name := range []string{"dirichlet", "ms-odir"} {
		e := entry(name)
		m, err := e.New().Method()
		if err != nil {
			t.Fatal(err)
		}
		_, err = calib.FitInput(context.Background(), m, calib.Input{Cal: testset.Simulated(3, 101, 1, 1, 1)})
		if err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s of 101 classes: %v", name, err)
		}
	}
}
