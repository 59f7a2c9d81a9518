package linearmap

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// TestLBFGS compares the end with that of gonum's BFGS on functions whose
// minimum is known.
func TestLBFGS(t *testing.T) {
	rosenbrock := func(x, g []float64) float64 {
		clear(g)
		f := 0.0
		for i := range len(x) - 1 {
			a, b := 1-x[i], x[i+1]-x[i]*x[i]
			f += a*a + 100*b*b
			g[i] += -2*a - 400*b*x[i]
			g[i+1] += 200 * b
		}
		return f
	}
	ellipse := func(x, g []float64) float64 { // condition number 1e6
		f := 0.0
		for i, v := range x {
			c := math.Pow(1e6, float64(i)/float64(len(x)-1))
			f += c * (v - 2) * (v - 2) / 2
			g[i] = c * (v - 2)
		}
		return f
	}
	softplus := func(x, g []float64) float64 { // flat far out
		f := 0.0
		for i, v := range x {
			c := float64(i + 1)
			e := math.Exp(v)
			f += math.Log1p(e) - v*c/(c+1)
			g[i] = e/(1+e) - c/(c+1)
		}
		return f
	}
	for _, c := range []struct {
		name  string
		f     func(x, g []float64) float64
		start []float64
	}{
		{"rosenbrock", rosenbrock, []float64{-1.2, 1, -1.2, 1, -1.2, 1}},
		{"ellipse", ellipse, make([]float64, 8)},
		{"softplus", softplus, []float64{-20, 30, 0, 5, -3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := optimize.Minimize(optimize.Problem{
				Func: func(x []float64) float64 { return c.f(x, make([]float64, len(x))) },
				Grad: func(g, x []float64) { c.f(x, g) },
			}, c.start, &optimize.Settings{GradientThreshold: 1e-8}, &optimize.BFGS{})
			if err != nil {
				t.Fatal(err)
			}
			x := append([]float64(nil), c.start...)
			evaluations := 0
			end, err := LBFGS(func(x, g []float64) (float64, error) {
				evaluations++
				return c.f(x, g), nil
			}, x, 1000, 1e-8, 0)
			if err != nil {
				t.Fatal(err)
			}
			if end.Gradient > 1e-8 {
				t.Errorf("gradient %.1e after %d steps, %d evaluations", end.Gradient, end.Steps, evaluations)
			}
			if evaluations > 4*end.Steps+20 {
				t.Errorf("%d evaluations for %d steps", evaluations, end.Steps)
			}
			for j := range x {
				if math.Abs(x[j]-want.X[j]) > 1e-6 {
					t.Errorf("x[%d] = %v, gonum %v", j, x[j], want.X[j])
				}
			}
		})
	}
}

// TestLBFGSStops: a step limit, a start at the minimum, a function that does
// not fall where its gradient says, and one that is no number far out.
func TestLBFGSStops(t *testing.T) {
	square := func(x, g []float64) (float64, error) {
		g[0] = 2 * x[0]
		return x[0] * x[0], nil
	}
	x := []float64{3}
	if end, _ := LBFGS(square, x, 0, 1e-9, 0); end.Steps != 0 || x[0] != 3 {
		t.Errorf("no steps allowed: %+v at %v", end, x)
	}
	if end, _ := LBFGS(square, []float64{0}, 100, 1e-9, 0); end.Steps != 0 {
		t.Errorf("at the minimum: %+v", end)
	}
	x = []float64{3}
	if end, _ := LBFGS(func(x, g []float64) (float64, error) {
		g[0] = -1
		return 1 + math.Abs(x[0]-3), nil
	}, x, 100, 1e-9, 0); end.Steps != 0 || x[0] != 3 {
		t.Errorf("no descent: %+v at %v", end, x)
	}
	x = []float64{1e-3}
	if end, _ := LBFGS(func(x, g []float64) (float64, error) { // minimum at 1, NaN below 0
		g[0] = 1 - 1/x[0]
		return x[0] - math.Log(x[0]), nil
	}, x, 100, 1e-9, 0); math.Abs(x[0]-1) > 1e-8 {
		t.Errorf("barrier: %+v at %v", end, x)
	}
}

// TestLBFGSBelowRounding: an error of some units in the last place of the
// value hides the last digits of the minimum from comparisons of values, not
// from slopes.
func TestLBFGSBelowRounding(t *testing.T) {
	f := func(x, g []float64) (float64, error) {
		value := 100.0
		for j, v := range x {
			c := float64(j + 1)
			value += c * math.Log(math.Cosh(v-c))
			g[j] = c * math.Tanh(v-c)
			value += 1e-14 * float64(math.Float64bits(v)%16)
		}
		return value, nil
	}
	gradient := func(rounding float64) float64 {
		end, _ := LBFGS(f, make([]float64, 6), 1000, 1e-13, rounding)
		return end.Gradient
	}
	if by := gradient(1e-13); by > 1e-13 {
		t.Errorf("by slopes to a gradient of %v", by)
	}
	if by := gradient(0); by < 1e-11 {
		t.Errorf("by values to a gradient of %v: the test shows nothing", by)
	}
}
