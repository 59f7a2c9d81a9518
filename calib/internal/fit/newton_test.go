package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// The minimum of a convex quadratic in a box is the best over all sets of active
// bounds.
func TestBoxNewtonMinimisesQuadratics(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	const p = 4
	for trial := range 200 {
		h := make([]float64, p*p)
		root := make([]float64, p*p)
		for i := range root {
			root[i] = rng.NormFloat64()
		}
		for i := range p {
			for j := range p {
				for c := range p {
					h[i*p+j] += root[i*p+c] * root[j*p+c]
				}
			}
			h[i*p+i] += 0.1
		}
		g := make([]float64, p)
		lo, hi, start := make([]float64, p), make([]float64, p), make([]float64, p)
		for i := range g {
			g[i] = 3 * rng.NormFloat64()
			lo[i], hi[i] = -rng.Float64(), rng.Float64()
			start[i] = lo[i] + rng.Float64()*(hi[i]-lo[i])
		}
		eval := func(x []float64) (Local, error) {
			f := Local{Gradient: make([]float64, p), Hessian: h}
			for i := range p {
				hx := 0.0
				for j := range p {
					hx += h[i*p+j] * x[j]
				}
				f.Gradient[i] = g[i] + hx
				f.Value += x[i] * (g[i] + hx/2)
			}
			return f, nil
		}
		sol, err := BoxNewton(eval, start, lo, hi, 1)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		for code := range 81 { // each parameter free, at lo or at hi
			x := make([]float64, p)
			var free []int
			for i, c := 0, code; i < p; i, c = i+1, c/3 {
				switch c % 3 {
				case 0:
					free = append(free, i)
				case 1:
					x[i] = lo[i]
				case 2:
					x[i] = hi[i]
				}
			}
			a, b := make([]float64, len(free)*len(free)), make([]float64, len(free))
			for r, i := range free {
				b[r] = -g[i]
				for j := range p {
					b[r] -= h[i*p+j] * x[j]
				}
				for c, j := range free {
					a[r*len(free)+c] = h[i*p+j]
				}
			}
			if !Cholesky(a, b) {
				t.Fatal("a positive definite matrix is refused")
			}
			inside := true
			for r, i := range free {
				x[i] = b[r]
				inside = inside && x[i] >= lo[i] && x[i] <= hi[i]
			}
			if f, _ := eval(x); inside {
				best = min(best, f.Value)
			}
		}
		if math.Abs(sol.Value-best) > 1e-12 || sol.Gradient > GradTol {
			t.Errorf("trial %d: value %.15g, want %.15g; gradient %g", trial, sol.Value, best, sol.Gradient)
		}
		if sol.Steps > p+1 { // one step for each bound that is released, and one more
			t.Errorf("trial %d: %d steps for a quadratic", trial, sol.Steps)
		}
	}
}

// A curved valley with an indefinite Hessian at the start, without and with an active
// bound.
func TestBoxNewtonMinimisesRosenbrock(t *testing.T) {
	eval := func(v []float64) (Local, error) {
		x, y := v[0], v[1]
		return Local{
			Value:    (1-x)*(1-x) + 100*(y-x*x)*(y-x*x),
			Gradient: []float64{-2*(1-x) - 400*x*(y-x*x), 200 * (y - x*x)},
			Hessian:  []float64{2 - 400*(y-3*x*x), -400 * x, -400 * x, 200},
		}, nil
	}
	for _, c := range []struct {
		hi   float64
		want [2]float64
	}{{5, [2]float64{1, 1}}, {0.5, [2]float64{0.5, 0.25}}} {
		sol, err := BoxNewton(eval, []float64{0, 2}, []float64{-5, -5}, []float64{c.hi, 5}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(sol.At[0]-c.want[0]) > 1e-9 || math.Abs(sol.At[1]-c.want[1]) > 1e-9 {
			t.Errorf("x <= %g: %v, want %v", c.hi, sol.At, c.want)
		}
	}
}

// Gradient and Hessian of every kind of curve agree with differences. The error of
// central differences of step 1e-4 is about 1e-8, that of their differences 1e-5.
func TestCurveDerivativesAgreeWithDifferences(t *testing.T) {
	set := testset.Simulated(700, 5, 3, 1.7, 1)
	for _, c := range []Curve{{1, false}, {1, true}, {4, false}, {4, true}} {
		o, err := NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Tails(context.Background(), set.Logits)
		if err != nil {
			t.Fatal(err)
		}
		ranks := NewECDF(q)
		for i := range q {
			q[i] = ranks.Rank(q[i])
		}
		x := c.Flat(1.3)
		for i := range x {
			x[i] += 0.2 + 0.1*float64(i%2)
		}
		f, err := c.At(context.Background(), o, q, x)
		if err != nil {
			t.Fatal(err)
		}
		value := func(x []float64) float64 {
			knots := c.Knots(x)
			return testset.DirectNLL(set, func(i int) float64 { return TemperatureAt(knots, q[i]) })
		}
		if math.Abs(f.Value-value(x)) > 1e-13 {
			t.Errorf("%+v: value %g, directly %g", c, f.Value, value(x))
		}
		for i, want := range fd.Gradient(nil, value, x, &fd.Settings{Formula: fd.Central, Step: 1e-4}) {
			if math.Abs(f.Gradient[i]-want) > 1e-7 {
				t.Errorf("%+v: gradient[%d] = %g, differences %g", c, i, f.Gradient[i], want)
			}
		}
		var h mat.SymDense
		fd.Hessian(&h, value, x, &fd.Settings{Formula: fd.Forward, Step: 1e-4})
		for i := range x {
			for j := range x {
				if got, want := f.Hessian[i*len(x)+j], h.At(i, j); math.Abs(got-want) > 1e-3 {
					t.Errorf("%+v: hessian[%d,%d] = %g, differences %g", c, i, j, got, want)
				}
			}
		}
	}
}

func TestTemperatureAtIsLinearBetweenKnots(t *testing.T) {
	knots := []float64{5, 3, 2.5, 1}
	for _, c := range []struct{ q, want float64 }{
		{0, 5}, {1. / 6, 4}, {1. / 3, 3}, {0.5, 2.75}, {2. / 3, 2.5}, {5. / 6, 1.75}, {1, 1},
	} {
		if got := TemperatureAt(knots, c.q); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("T(%g) = %g, want %g", c.q, got, c.want)
		}
	}
	if TemperatureAt(knots, 1) != 1 || TemperatureAt(knots, 0) != 5 {
		t.Error("the ends are not exact")
	}
}

// Of several starts the least minimum is taken, and the difference to the largest is
// returned. x^4 - 3x^2 + x has minima at about -1.30 and 1.13.
func TestBoxNewtonFromTakesTheLeastMinimum(t *testing.T) {
	well := func(x []float64) (Local, error) {
		v := x[0]
		return Local{v*v*v*v - 3*v*v + v, []float64{4*v*v*v - 6*v + 1}, []float64{12*v*v - 6}}, nil
	}
	lo, hi := []float64{-5}, []float64{5}
	for _, c := range []struct {
		starts [][]float64
		at     float64
		apart  float64
	}{
		{[][]float64{{1}}, 1.1309011226, 0},
		{[][]float64{{1}, {-1}}, -1.3008395659, 2.443674857},
		{[][]float64{{-1}, {2}, {1}}, -1.3008395659, 2.443674857},
		{[][]float64{{-1}, {-2}}, -1.3008395659, 0},
	} {
		sol, apart, err := BoxNewtonFrom(well, c.starts, lo, hi, 1)
		if err != nil || math.Abs(sol.At[0]-c.at) > 1e-8 || math.Abs(apart-c.apart) > 1e-6 {
			t.Errorf("from %v: %v, %v apart, %v; want %v, %v", c.starts, sol.At, apart, err, c.at, c.apart)
		}
		var r Report
		if WarnLocalMinima(&r, len(c.starts), apart); (len(r.Warnings) > 0) != (c.apart > 0) {
			t.Errorf("from %v: warnings %q", c.starts, r.Warnings)
		}
	}
}
