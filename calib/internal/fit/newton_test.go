package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
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
		eval := func(x []float64) (report.Local, error) {
			f := report.Local{Gradient: make([]float64, p), Hessian: h}
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
		if !(math.Abs(sol.Value-best) <= 1e-12) || sol.Gradient > report.GradTol {
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
	eval := func(v []float64) (report.Local, error) {
		x, y := v[0], v[1]
		return report.Local{
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
		if !(math.Abs(sol.At[0]-c.want[0]) <= 1e-9) || !(math.Abs(sol.At[1]-c.want[1]) <= 1e-9) {
			t.Errorf("x <= %g: %v, want %v", c.hi, sol.At, c.want)
		}
	}
}

// Gradient and Hessian of every kind of curve agree with differences. The error of
// central differences of step 1e-4 is about 1e-8, that of their differences 1e-5.
func TestCurveDerivativesAgreeWithDifferences(t *testing.T) {
	set := testset.Simulated(700, 5, 3, 1.7, 1)
	for _, c := range []Curve{{Segments: 1}, {Segments: 1, Free: true}, {Segments: 4}, {Segments: 4, Free: true}} {
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
		if !(math.Abs(f.Value-value(x)) <= 1e-13) {
			t.Errorf("%+v: value %g, directly %g", c, f.Value, value(x))
		}
		for i, want := range fd.Gradient(nil, value, x, &fd.Settings{Formula: fd.Central, Step: 1e-4}) {
			if !(math.Abs(f.Gradient[i]-want) <= 1e-7) {
				t.Errorf("%+v: gradient[%d] = %g, differences %g", c, i, f.Gradient[i], want)
			}
		}
		var h mat.SymDense
		fd.Hessian(&h, value, x, &fd.Settings{Formula: fd.Forward, Step: 1e-4})
		for i := range x {
			for j := range x {
				if got, want := f.Hessian[i*len(x)+j], h.At(i, j); !(math.Abs(got-want) <= 1e-3) {
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
		if got := TemperatureAt(knots, c.q); !(math.Abs(got-c.want) <= 1e-14) {
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
	well := func(x []float64) (report.Local, error) {
		v := x[0]
		return report.Local{Value: v*v*v*v - 3*v*v + v, Gradient: []float64{4*v*v*v - 6*v + 1}, Hessian: []float64{12*v*v - 6}}, nil
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
		sol, err := BoxNewtonFrom(well, c.starts, lo, hi, 1)
		if err != nil || !(math.Abs(sol.At[0]-c.at) <= 1e-8) || !(math.Abs(sol.Spread-c.apart) <= 1e-6) || sol.Starts != len(c.starts) {
			t.Errorf("from %v: %v, %v apart, %v; want %v, %v", c.starts, sol.At, sol.Spread, err, c.at, c.apart)
		}
		if r := sol.Report(1); (len(r.Warnings) > 0) != (c.apart > 0) {
			t.Errorf("from %v: warnings %q", c.starts, r.Warnings)
		}
	}
}

// A step to a larger value is rejected even if the gradient vanishes there: beyond a
// barrier, at a local minimum above the start.
func TestBoxNewtonRejectsAStepUpwards(t *testing.T) {
	const start = -3
	eval := func(at []float64) (report.Local, error) {
		x, c := at[0]-start, 0.50005
		if x > 0.97 { // the first Newton step ends here, at x = 1
			return report.Local{Value: 5e-5 + (x-1)*(x-1), Gradient: []float64{2 * (x - 1)}, Hessian: []float64{2}}, nil
		}
		return report.Local{Value: -x + x*x/2 + c*x*x*x, Gradient: []float64{-1 + x + 3*c*x*x}, Hessian: []float64{1 + 6*c*x}}, nil
	}
	sol, err := BoxNewton(eval, []float64{start}, []float64{-9}, []float64{9}, 1)
	if err != nil || sol.Value > -0.3 || !(math.Abs(sol.At[0]-start-0.5486) <= 1e-3) {
		t.Errorf("%+v (%v), want the minimum near %v", sol, err, start+0.5486)
	}
}

// Rounding of a large value does not stop the descent while the gradient falls.
func TestBoxNewtonDescendsBelowTheRoundingOfTheValue(t *testing.T) {
	const start = 1e-6
	eval := func(x []float64) (report.Local, error) {
		f := report.Local{Value: 1e6, Gradient: []float64{x[0]}, Hessian: []float64{1}}
		if x[0] != start {
			f.Value += 5e-10 // four units in the last place
		}
		return f, nil
	}
	if sol, err := BoxNewton(eval, []float64{start}, []float64{-1}, []float64{1}, 1); err != nil || sol.Gradient > 1e-12 {
		t.Errorf("%+v (%v), want the minimum at 0", sol, err)
	}
}

// In other units the solver takes the same steps: after a change by a power of two the
// bits agree. The start has an indefinite Hessian, so some steps are damped.
func TestBoxNewtonDoesNotDependOnUnits(t *testing.T) {
	run := func(unit float64) (report.Minimum, int) {
		evaluations := 0
		eval := func(v []float64) (report.Local, error) {
			evaluations++
			x, y := v[0]/unit, v[1]/unit
			return report.Local{
				Value:    (1-x)*(1-x) + 100*(y-x*x)*(y-x*x),
				Gradient: []float64{(-2*(1-x) - 400*x*(y-x*x)) / unit, 200 * (y - x*x) / unit},
				Hessian:  []float64{(2 - 400*(y-3*x*x)) / unit / unit, -400 * x / unit / unit, -400 * x / unit / unit, 200 / unit / unit},
			}, nil
		}
		sol, err := BoxNewton(eval, []float64{0, 2 * unit}, []float64{-5 * unit, -5 * unit}, []float64{0.5 * unit, 5 * unit}, unit)
		if err != nil {
			t.Fatal(err)
		}
		return sol, evaluations
	}
	want, evaluations := run(1)
	for _, unit := range []float64{1024, 1. / 4096} {
		got, n := run(unit)
		if got.At[0] != unit*want.At[0] || got.At[1] != unit*want.At[1] || got.Steps != want.Steps || n != evaluations {
			t.Errorf("unit %g: %+v after %d evaluations; unit 1: %+v after %d", unit, got, n, want, evaluations)
		}
	}
}

// Damping is the same as a larger diagonal, also after a parameter has met its bound.
func TestBoxStepDampingIsALargerDiagonal(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const p, unit, damping = 4, 2, 1.5
	bounded := 0
	for trial := range 200 {
		f := report.Local{Gradient: make([]float64, p), Hessian: make([]float64, p*p)}
		x, lo, hi := make([]float64, p), make([]float64, p), make([]float64, p)
		for i := range p {
			f.Gradient[i], x[i] = 3*rng.NormFloat64(), rng.Float64()
			lo[i], hi[i] = -rng.Float64(), 1+rng.Float64()
			f.Hessian[i*p+i] = 4
			for j := range i {
				f.Hessian[i*p+j] = rng.Float64() - 0.5
				f.Hessian[j*p+i] = f.Hessian[i*p+j]
			}
		}
		got, _ := boxStep(x, f, lo, hi, unit, damping)
		for i := range p {
			f.Hessian[i*p+i] += damping / (unit * unit)
		}
		want, _ := boxStep(x, f, lo, hi, unit, 0)
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-13) {
				t.Fatalf("trial %d: step %v, want %v", trial, got, want)
			}
			if end := x[i] + want[i]; !(end >= lo[i]-1e-15 && end <= hi[i]+1e-15) {
				t.Fatalf("trial %d: the step %v ends outside the box", trial, want)
			}
			if want[i] == lo[i]-x[i] || want[i] == hi[i]-x[i] {
				bounded++
			}
		}
	}
	if bounded < 100 {
		t.Errorf("only %d steps ended at a bound", bounded)
	}
}

// The tolerance of a step is relative to its parameter, and near 0 to a thousandth of
// the unit.
func TestNegligibleStepsAreRelative(t *testing.T) {
	for _, c := range []struct {
		step, x, unit float64
		want          bool
	}{
		{0.9e-6, 1000, 1, true}, {-1.1e-6, -1000, 1, false}, {0.9e-15, 1e-6, 1e-3, true}, {1.1e-15, 1e-6, 1e-3, false},
		{1.9e-12, 0, 2, true}, {2.1e-12, 0, 2, false}, {math.NaN(), 1, 1, false},
	} {
		if got := negligible([]float64{0, c.step}, []float64{1, c.x}, c.unit); got != c.want {
			t.Errorf("a step of %g from %g in units of %g: %v", c.step, c.x, c.unit, got)
		}
	}
}

func TestCholeskyRejectsSingularMatrices(t *testing.T) {
	for _, a := range [][]float64{{0}, {-1}, {math.NaN()}, {1, 1, 1, 1}, {1, 2, 2, 1}} {
		if Cholesky(append([]float64(nil), a...), make([]float64, int(math.Sqrt(float64(len(a)))))) {
			t.Errorf("%v is accepted", a)
		}
	}
}

// A function times a power of two has the same steps: the least damping follows the
// curvature. The ends differ, since the tolerance of the gradient is absolute.
func TestBoxNewtonDoesNotDependOnTheUnitOfTheValue(t *testing.T) {
	run := func(scale float64) (points [][2]float64) {
		_, err := BoxNewton(func(v []float64) (report.Local, error) {
			x, y := v[0], v[1]
			points = append(points, [2]float64{x, y})
			return report.Local{
				Value:    scale * (100 + (1-x)*(1-x) + 100*(y-x*x)*(y-x*x)),
				Gradient: []float64{scale * (-2*(1-x) - 400*x*(y-x*x)), scale * 200 * (y - x*x)},
				Hessian:  []float64{scale * (2 - 400*(y-3*x*x)), scale * -400 * x, scale * -400 * x, scale * 200},
			}, nil
		}, []float64{0, 2}, []float64{-5, -5}, []float64{5, 5}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return points
	}
	want := run(1)
	for _, scale := range []float64{64, 1. / 64} {
		got := run(scale)
		n := min(len(got), len(want))
		if n < 10 || !slices.Equal(got[:n], want[:n]) {
			t.Errorf("scale %g: %d points %v, want %v", scale, len(got), got, want)
		}
	}
}

// A step is taken if the value falls by 1e-4 of the slope's promise at least (Armijo).
// Here the promise is a fall by 100 over the step of 10.
func TestBoxNewtonAsksForAShareOfThePromisedFall(t *testing.T) {
	for _, c := range []struct {
		fall float64
		want bool
	}{{.011, true}, {.009, false}} {
		var points []float64
		_, err := BoxNewton(func(x []float64) (report.Local, error) {
			points = append(points, x[0])
			f := report.Local{Value: 0, Gradient: []float64{-10}, Hessian: []float64{1}}
			if x[0] >= 10 {
				f.Value = -c.fall
			}
			return f, nil
		}, []float64{0}, []float64{-1}, []float64{25}, 1)
		if err != nil || points[1] != 10 || (points[2] == 20) != c.want {
			t.Errorf("a fall of %g: points %v, %v", c.fall, points[:3], err)
		}
	}
}

// After a step is taken the damping is a tenth of what it was. So where only damped
// steps succeed, with damping 1, each of them costs one trial that fails, with .1.
func TestBoxNewtonKeepsATenthOfTheDamping(t *testing.T) {
	accepted, evaluations, last := 0, 0, 0.0
	sol, err := BoxNewton(func(x []float64) (report.Local, error) {
		evaluations++
		f := report.Local{Value: 1, Gradient: []float64{-1}, Hessian: []float64{1}}
		if x[0]-last <= .6 {
			last = x[0]
			accepted++
			f.Value = -float64(accepted)
		}
		return f, nil
	}, []float64{0}, []float64{-1000}, []float64{1000}, 1)
	if err != nil || evaluations != 201 || accepted < 96 || sol.Steps != accepted-1 {
		t.Errorf("%d steps, %d of %d evaluations (%v)", sol.Steps, accepted, evaluations, err)
	}
}

// Steps of all starts count. Of equal minima the first one is taken.
func TestBoxNewtonFromTakesTheFirstOfEqualMinima(t *testing.T) {
	wells := func(x []float64) (report.Local, error) { // (x^2 - 1)^2
		v := x[0]
		return report.Local{Value: (v*v - 1) * (v*v - 1), Gradient: []float64{4 * v * (v*v - 1)}, Hessian: []float64{12*v*v - 4}}, nil
	}
	for _, start := range []float64{1.5, -1.5} {
		lo, hi := []float64{-5}, []float64{5}
		both, err := BoxNewtonFrom(wells, [][]float64{{start}, {-start}}, lo, hi, 1)
		if err != nil {
			t.Fatal(err)
		}
		one, err := BoxNewton(wells, []float64{start}, lo, hi, 1)
		if err != nil || one.Steps < 2 || both.Steps != 2*one.Steps || both.At[0] != one.At[0] {
			t.Errorf("from both sides %+v, from %g %+v (%v)", both, start, one, err)
		}
	}
}

func TestLargestCurvatureIsThatOfTheDiagonal(t *testing.T) {
	for j := range 3 {
		f := report.Local{Gradient: make([]float64, 3), Hessian: []float64{1, 50, 50, 50, 1, 50, 50, 50, 1}}
		f.Hessian[j*3+j] = -9
		if got := largestCurvature(f, 2); got != 36 {
			t.Errorf("element %d: %g, want 36", j, got)
		}
	}
}

// What counts as singular is relative to the diagonal element, whatever the units.
func TestCholeskyIsRelativeToTheDiagonal(t *testing.T) {
	for _, unit := range []float64{1e-6, 1, 1e6} {
		for _, c := range []struct {
			rest float64 // of the last diagonal element, relatively
			want bool
		}{{1e-14, false}, {1e-12, true}} {
			a := []float64{unit * unit, unit, unit, 1 + c.rest} // rows in different units
			if got := Cholesky(a, []float64{1, 1}); got != c.want {
				t.Errorf("unit %g, rest %g: accepted is %v", unit, c.rest, got)
			}
			a = []float64{1 / (unit * unit), 1, 1, unit * unit * (1 + c.rest)}
			if got := Cholesky(a, []float64{1, 1}); got != c.want {
				t.Errorf("unit %g of the second, rest %g: accepted is %v", unit, c.rest, got)
			}
		}
	}
}

// Steps that no float64 can hold are damped: a steep function without curvature ends in
// the corner of its box.
func TestBoxNewtonMinimisesLinearFunctions(t *testing.T) {
	for _, steep := range []float64{1e-200, 1e-5, 1, 1e3, 1e200} {
		for _, unit := range []float64{1, 1000} {
			sol, err := BoxNewton(func(x []float64) (report.Local, error) {
				return report.Local{Value: steep * (x[0] - 2*x[1]), Gradient: []float64{steep, -2 * steep}, Hessian: make([]float64, 4)}, nil
			}, []float64{0, 0}, []float64{-1, -1}, []float64{1, 1}, unit)
			small := 2*steep*unit <= 1e-12 // the start is a minimum
			if want := []float64{-1, 1}; err != nil || !small && !slices.Equal(sol.At, want) {
				t.Errorf("slope %g, unit %g: %+v (%v)", steep, unit, sol, err)
			}
		}
	}
}

// A Hessian that overflows in the units of the solver ends the fit with an error.
func TestBoxNewtonEndsWhenItsUnitsOverflow(t *testing.T) {
	for _, c := range []report.Local{
		{Value: 1, Gradient: []float64{1}, Hessian: []float64{1e305}},
		{Value: 1, Gradient: []float64{1e306}, Hessian: []float64{1}},
		{Value: 1, Gradient: []float64{1}, Hessian: []float64{-1e305}},
	} {
		if _, err := BoxNewton(func([]float64) (report.Local, error) { return c, nil }, []float64{0}, []float64{-1}, []float64{1}, 1000); err != errOverflow {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
