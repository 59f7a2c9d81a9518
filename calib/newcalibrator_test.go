package calib_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/temperature"
	"github.com/qats-bench/qats/data"
)

// text returns a file with LF line ends.
func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

func TestPageShowsTheMethodThatIsTested(t *testing.T) {
	source := text(t, "example_method_test.go")
	_, source, _ = strings.Cut(source, ")\n\n") // after the imports
	source, _, found := strings.Cut(source, "// A method of one's own is")
	page := text(t, "../docs/calibrator.md")
	_, page, _ = strings.Cut(page, "```go\n")
	page, _, ended := strings.Cut(page, "\n```\n")
	if !found || !ended {
		t.Fatal("no method in example_method_test.go, or no code in docs/calibrator.md")
	}
	if strings.TrimSpace(source) != strings.TrimSpace(page) {
		t.Error("the first code block of docs/calibrator.md differs from example_method_test.go: copy the method into the page")
	}
}

func TestWorkedMethodConforms(t *testing.T) {
	calibtest.Run(t, entropyLineEntry, calibtest.Claims{MinimisesNLL: true})
}

func TestWorkedMethodIsTEntropy(t *testing.T) {
	for seed := range uint64(5) {
		set := testset.Drawn(500, 6, 2, seed)
		mine, err := calib.Fit(context.Background(), EntropyLine{}, set)
		if err != nil {
			t.Fatal(err)
		}
		want, err := calib.Fit(context.Background(), temperature.EntropyTemperature{}, set)
		if err != nil {
			t.Fatal(err)
		}
		// t-entropy has a s + b with s = 1 - h, so its slope is the same and its
		// offset is this one.
		slope, offset := want.Parameters()[0].Value, want.Parameters()[1].Value
		got := mine.Map.(entropyLineMap)
		if !(math.Abs(got.B-slope) <= 1e-6) || !(math.Abs(got.A-offset) <= 1e-6) || !(math.Abs(mine.Report.NLL-want.Report.NLL) <= 1e-12) {
			t.Errorf("seed %d: a = %v, b = %v, NLL %v; t-entropy has %v, %v and %v", seed, got.A, got.B, mine.Report.NLL, offset, slope, want.Report.NLL)
		}
	}
}

// bent is the temperature exp(theta_1 + theta_2 h), but for rows whose h is above 0.9, where
// it is held at 2.
func bent(h []float64) calib.RowTemperature {
	return func(i int, theta, slope []float64) (t, rate, bend float64) {
		if slope[0], slope[1] = 1, h[i]; h[i] > 0.9 {
			return 2, 0, 0
		}
		t = math.Exp(theta[0] + theta[1]*h[i])
		return t, t, 1
	}
}

func TestTemperatureLossHasTheDerivativesOfItsValue(t *testing.T) {
	set := testset.Drawn(300, 5, 2, 3)
	loss, err := calib.NewTemperatureLoss(calib.Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	h := calib.NewUnscaled(set.Logits).Entropies()
	at := func(x []float64) calib.Local {
		f, err := loss.At(context.Background(), bent(h), x)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const step = 1e-5
	x := []float64{0.4, 0.3}
	f := at(x)
	for j := range x {
		up, down := []float64{x[0], x[1]}, []float64{x[0], x[1]}
		up[j] += step
		down[j] -= step
		high, low := at(up), at(down)
		if want := (high.Value - low.Value) / (2 * step); !(math.Abs(f.Gradient[j]-want) <= 1e-8) {
			t.Errorf("gradient[%d] = %v, differences give %v", j, f.Gradient[j], want)
		}
		for i := range x {
			if want := (high.Gradient[i] - low.Gradient[i]) / (2 * step); !(math.Abs(f.Hessian[i*2+j]-want) <= 1e-8) {
				t.Errorf("hessian[%d][%d] = %v, differences give %v", i, j, f.Hessian[i*2+j], want)
			}
		}
	}
}

func TestTemperatureLossRejectsWhatIsNoTemperature(t *testing.T) {
	loss, err := calib.NewTemperatureLoss(calib.Input{Cal: testset.Drawn(10, 3, 2, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := loss.At(context.Background(), func(i int, _, slope []float64) (t, rate, bend float64) {
			if slope[0] = 1; i >= 7 {
				return bad, 1, 0
			}
			return 1, 1, 0
		}, []float64{1})
		if err == nil || !strings.HasPrefix(err.Error(), "row 7: ") {
			t.Errorf("T = %v: error %v", bad, err)
		}
	}
	if _, err := calib.NewTemperatureLoss(calib.Input{Cal: &data.Set{}}); err == nil {
		t.Error("a loss without rows")
	}
}

// The minimum of a convex quadratic in a box is the best of many points of it.
func TestMinimiseInBoxFindsTheMinimumInTheBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		centre := []float64{4*rng.Float64() - 2, 4*rng.Float64() - 2}
		mixed := 1.8*rng.Float64() - 0.9
		value := func(x []float64) float64 {
			u, v := x[0]-centre[0], x[1]-centre[1]
			return u*u/2 + v*v/2 + mixed*u*v
		}
		end, err := calib.MinimiseInBox(func(x []float64) (calib.Local, error) {
			u, v := x[0]-centre[0], x[1]-centre[1]
			return calib.Local{Value: value(x), Gradient: []float64{u + mixed*v, v + mixed*u}, Hessian: []float64{1, mixed, mixed, 1}}, nil
		}, [][]float64{{0, 0}}, []calib.Range{{Name: "a", Least: -1, Most: 1}, {Name: "b", Least: 0, Most: 1}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			x := []float64{2*rng.Float64() - 1, rng.Float64()}
			if v := value(x); v < end.Value-1e-12 {
				t.Fatalf("centre %v: %v at %v, but %v at %v", centre, end.Value, end.At, v, x)
			}
		}
		for _, c := range []struct {
			bound  string
			active bool
		}{{"a >= -1", end.At[0] == -1}, {"a <= 1", end.At[0] == 1}, {"b >= 0", end.At[1] == 0}, {"b <= 1", end.At[1] == 1}} {
			if strings.Contains(end.AtBound.String(), c.bound) != c.active {
				t.Errorf("at %v: active bounds %v", end.At, end.AtBound)
			}
		}
	}
}

func TestMinimiseInBoxReturnsTheErrorOfItsFunction(t *testing.T) {
	broken := errors.New("broken")
	_, err := calib.MinimiseInBox(func([]float64) (calib.Local, error) { return calib.Local{}, broken }, [][]float64{{0}}, []calib.Range{{Name: "a"}}, 1)
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// Of two valleys the deeper one is returned, from either start, and the report says that
// there are two.
func TestMinimiseInBoxTakesTheLeastOfSeveralMinima(t *testing.T) {
	valleys := func(x []float64) (calib.Local, error) { // (x^2 - 1)^2 + x/10
		v := x[0]
		return calib.Local{Value: (v*v-1)*(v*v-1) + v/10, Gradient: []float64{4*v*(v*v-1) + 0.1}, Hessian: []float64{12*v*v - 4}}, nil
	}
	box := []calib.Range{{Name: "x", Least: -2, Most: 2}}
	for _, c := range []struct {
		starts   [][]float64
		at       float64
		warnings int
	}{
		{[][]float64{{1}}, 0.987, 0},
		{[][]float64{{1}, {-1}}, -1.012, 1},
		{[][]float64{{-1}, {1}}, -1.012, 1},
		{[][]float64{{-1}, {-1.5}}, -1.012, 0},
	} {
		end, err := calib.MinimiseInBox(valleys, c.starts, box, 1)
		if err != nil || !(math.Abs(end.At[0]-c.at) <= 1e-3) || end.Starts != len(c.starts) || len(end.Report(1).Warnings) != c.warnings {
			t.Errorf("starts %v: %+v, report %+v, error %v; want x = %v and %d warnings", c.starts, end, end.Report(1), err, c.at, c.warnings)
		}
	}
}
