package splines

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// smoothFunction returns column c of the basis at x by its definition.
func smoothFunction(knots []float64, c int, x float64) float64 {
	cube := func(v float64) float64 { return math.Pow(max(v, 0), 3) }
	last := knots[len(knots)-1]
	d := func(i int) float64 { return (cube(x-knots[i]) - cube(x-last)) / (last - knots[i]) }
	switch c {
	case 0:
		return 1
	case 1:
		return x
	}
	return d(c-2) - d(len(knots)-2)
}

func TestPiecesAreTheBasis(t *testing.T) {
	for _, knots := range [][]float64{{-1, 2}, {-3, 0, 0.5}, {-5, -4.9, -1, 0, 1.5, 4}} {
		for c := range knots {
			coefficients := make([]float64, len(knots))
			coefficients[c] = 1
			s := smoothSpline{Limit: 40, Knots: knots, Coefficients: coefficients}.Prepared()
			for x := -7.0; x < 7; x += 0.1 {
				if got, want := s.logOdds(x), smoothFunction(knots, c, x); math.Abs(got-want) > 1e-11*max(1, math.Abs(want)) {
					t.Fatalf("knots %v, column %d at %v: %v, want %v", knots, c, x, got, want)
				}
			}
		}
	}
}

// smoothProblem returns n log odds, some of them equal or at knots, outcomes and a design.
func smoothProblem(n int, seed uint64) (x []float64, positive []bool, knots []float64, samples []smoothSample) {
	rng := rand.New(rand.NewPCG(seed, 2))
	knots = []float64{-3, -1, 0, 1, 2.5}
	for i := range n {
		v := 2 * rng.NormFloat64()
		if i%5 == 0 {
			v = math.Round(v)
		}
		x = append(x, v)
		positive = append(positive, rng.Float64() < 1/(1+math.Exp(-0.5*v-math.Sin(v))))
		one := smoothSample{x: v, weight: 0.5 + rng.Float64()}
		if positive[i] {
			one.target = 0.9
		}
		samples = append(samples, one)
	}
	return x, positive, knots, samples
}

// smoothObjective is the penalised loss and its gradient by the definition.
func smoothObjective(knots []float64, samples []smoothSample, b []float64, lambda float64) (value float64, gradient []float64) {
	gradient = make([]float64, len(b))
	n := float64(len(samples))
	for _, one := range samples {
		s := 0.0
		for c, v := range b {
			s += v * smoothFunction(knots, c, one.x)
		}
		value += one.weight * (testset.Softplus(s) - one.target*s) / n
		for c := range b {
			gradient[c] += one.weight * (1/(1+math.Exp(-s)) - one.target) * smoothFunction(knots, c, one.x) / n
		}
	}
	for c, v := range b {
		value += lambda / float64(len(b)) * v * v
		gradient[c] += 2 * lambda / float64(len(b)) * v
	}
	return value, gradient
}

func TestDerivativesAreOfTheLoss(t *testing.T) {
	_, _, knots, samples := smoothProblem(60, 1)
	b := []float64{0.3, -0.7, 0.2, 0.05, -0.1}
	n := float64(len(samples))
	at := func(b []float64) (value float64, g, h []float64) {
		d := newSmoothDesign(newSmoothBasis(knots), knots, slices.Clone(samples))
		g, h = make([]float64, 5), make([]float64, 25)
		d.evaluate(b)
		d.derivatives(g, h)
		return d.loss(math.Inf(1)), g, h
	}
	value, g, h := at(b)
	wantValue, want := smoothObjective(knots, samples, b, 0)
	if math.Abs(value/n-wantValue) > 1e-13 {
		t.Errorf("value %v, want %v", value/n, wantValue)
	}
	for c := range b {
		if math.Abs(g[c]/n-want[c]) > 1e-12 {
			t.Errorf("gradient %d: %v, want %v", c, g[c]/n, want[c])
		}
		up, down := slices.Clone(b), slices.Clone(b)
		up[c] += 1e-5
		down[c] -= 1e-5
		_, gUp, _ := at(up)
		_, gDown, _ := at(down)
		for r := c; r < 5; r++ {
			if num := (gUp[r] - gDown[r]) / 2e-5; math.Abs(num-h[r*5+c]) > 1e-5*max(1, math.Abs(num)) {
				t.Errorf("Hessian %d, %d: %v, want %v", r, c, h[r*5+c], num)
			}
		}
	}
}

func TestMinimiseEndsAtTheMinimum(t *testing.T) {
	for seed := range uint64(5) {
		_, _, knots, samples := smoothProblem(40, seed)
		for _, lambda := range []float64{1e-4, 0.1, 100} {
			b := make([]float64, len(knots))
			newSmoothDesign(newSmoothBasis(knots), knots, slices.Clone(samples)).minimise(b, lambda, 1e-9)
			if _, g := smoothObjective(knots, samples, b, lambda); slices.ContainsFunc(g, func(v float64) bool { return !(math.Abs(v) < 1e-11) }) {
				t.Errorf("lambda %v: gradient %v", lambda, g)
			}
		}
	}
}

// A descent ends after the step of a decrement below the one asked for, at once where the
// gradient is 0, and soon where rounding hides any further fall.
func TestMinimiseEndsWhereItIsAsked(t *testing.T) {
	_, _, knots, samples := smoothProblem(40, 2)
	run := func(enough float64) (int, float64) {
		return newSmoothDesign(newSmoothBasis(knots), knots, slices.Clone(samples)).minimise(make([]float64, len(knots)), .1, enough)
	}
	rough, far := run(1e-2)
	fine, near := run(1e-7)
	if !(far < 1e-2 && far > 1e-9 && near < 1e-7) || !(rough < fine) {
		t.Errorf("decrements %v after %d steps, %v after %d", far, rough, near, fine)
	}
	if last, rest := run(0); last > fine+4 || !(rest < 1e-12) {
		t.Errorf("decrement %v after %d steps, %v after %d", rest, last, near, fine)
	}
	even := newSmoothDesign(newSmoothBasis(knots), knots, []smoothSample{{-2, .5, 1}, {2, .5, 1}})
	if steps, decrement := even.minimise(make([]float64, len(knots)), .1, 1e-9); steps != 0 || decrement != 0 {
		t.Errorf("at the minimum: %d steps, decrement %v", steps, decrement)
	}
}

// A singular system has the solution of one whose scaled diagonal is larger by little.
func TestNewtonStepOfASingularSystem(t *testing.T) {
	step := make([]float64, 3)
	smoothNewton(step, []float64{1e4, 1, 8}, []float64{1e8, 0, 0, 1e4, 1, 0, 0, 0, 4})
	step[0] *= 1e4
	if want := []float64{.5, .5, 2}; !testset.Near(step, want, 1e-3) {
		t.Errorf("step times (1e4, 1, 1): %v, want %v", step, want)
	}
	smoothNewton(step[:2], []float64{1, 1}, []float64{1, 0, 1 + 1e-9, 1}) // the diagonal grows several times
	if !testset.Near(step[:2], []float64{.5, .5}, 1e-3) {
		t.Errorf("step %v, want both near 1/2", step[:2])
	}
}

// Fit takes the least lambda whose loss on the validation rows is the least to 4
// decimals, and fits all rows with it.
func TestFitIsItsDefinition(t *testing.T) {
	for _, seed := range []uint64{5, 6, 7, 9, 148} { // 148 has two weights of equal loss
		x, positive, _, _ := smoothProblem(90, seed)
		if seed == 9 { // the largest weight
			for i := range positive {
				positive[i] = i%2 == 0
			}
		}
		validation := make([]bool, len(x))
		for i := range validation {
			validation[i] = i%5 == 2
		}
		got, end := fitSmooth(x, positive, validation)
		rows := func(keep bool) (all []smoothSample) {
			for i, v := range x {
				if validation[i] == keep {
					one := smoothSample{x: v, weight: 1}
					if positive[i] {
						one.target = 1
					}
					all = append(all, one)
				}
			}
			return all
		}
		pseudo := smoothPrior(got.Limit)
		total := 0
		minimise := func(b []float64, samples []smoothSample, lambda, enough float64) []float64 {
			steps, _ := newSmoothDesign(newSmoothBasis(got.Knots), got.Knots, samples).minimise(b, lambda, enough)
			total += steps
			return slices.Clone(b)
		}
		best, lambda := math.Inf(1), 0.0
		b, chosen := make([]float64, len(got.Knots)), make([]float64, len(got.Knots))
		for e := 4.0; e >= -4; e -= 0.5 {
			minimise(b, append(rows(false), pseudo...), math.Pow(10, e), smoothRoughly)
			loss := 0.0
			for _, one := range rows(true) {
				s := 0.0
				for c, v := range b {
					s += v * smoothFunction(got.Knots, c, one.x)
				}
				loss += min(testset.Softplus(s)-one.target*s, -math.Log(1e-16)) / 18
			}
			if loss = math.Round(1e4 * loss); loss <= best {
				best, lambda = loss, math.Pow(10, e)
				copy(chosen, b)
			}
		}
		if math.Abs(got.Lambda/lambda-1) > 1e-12 {
			t.Errorf("seed %d: lambda %v, want %v", seed, got.Lambda, lambda)
		}
		all := append(append(rows(false), rows(true)...), pseudo...)
		minimise(chosen, all, lambda, 1e-9)
		if end.Gradient > 1e-9 || end.Steps != total {
			t.Errorf("seed %d: %+v, want %d steps", seed, end, total)
		}
		if _, g := smoothObjective(got.Knots, all, got.Coefficients, got.Lambda); slices.ContainsFunc(g, func(v float64) bool { return !(math.Abs(v) < 1e-8) }) {
			t.Errorf("seed %d: gradient of all rows: %v", seed, g)
		}
		for _, v := range []float64{-50, -3, 0, 0.25, 2, 50} {
			want := 0.0
			for c, b := range got.Coefficients {
				want += b * smoothFunction(got.Knots, c, min(max(v, -got.Limit), got.Limit))
			}
			if math.Abs(got.logOdds(v)-want) > 1e-9 {
				t.Errorf("seed %d, at %v: %v, want %v", seed, v, got.logOdds(v), want)
			}
		}
	}
}

// The expected values are those of splinecalib's _compute_logodds_eps_from_data.
func TestLimitFollowsTheLeastProbability(t *testing.T) {
	for _, c := range []struct{ x, eps float64 }{
		{3, 0x1p-28}, {-18, 0x1p-28}, {-20, 0x1p-30}, {-30, 0x1p-44}, {-36, 0x1p-53}, {-40, 1e-16}, {-700, 1e-16},
	} {
		if got, want := smoothLimit(c.x), math.Log((1-c.eps)/c.eps); math.Abs(got-want) > 1e-12 {
			t.Errorf("least log odds %v: limit %v, want %v", c.x, got, want)
		}
	}
}

func TestPriorIsOnTheLine(t *testing.T) {
	weight, mean := 0.0, 0.0
	all := smoothPrior(18)
	for _, one := range all {
		weight += one.weight
		mean += one.weight * one.target / priorWeight
		if want := min(max(math.Log(one.target/(1-one.target)), -18), 18); math.Abs(one.x-want) > 1e-7 {
			t.Errorf("probability %v at log odds %v", one.target, one.x)
		}
	}
	least, largest := math.Log10(all[0].target), math.Log10(all[34].target) // of those below 0.01
	if math.Abs(least+8) > 1e-12 || math.Abs(largest+7./3) > 1e-12 {
		t.Errorf("small probabilities from 10^%v to 10^%v, want 10^-8 to 10^(-7/3)", least, largest)
	}
	if len(all) != 135 || math.Abs(weight-20) > 1e-12 || math.Abs(mean-0.5) > 1e-12 {
		t.Errorf("%d pseudo-rows of weight %v and mean %v, want 135, 20 and 0.5", len(all), weight, mean)
	}
}

func TestKnots(t *testing.T) {
	fixed := []float64{}
	for p := 1; p < 10; p++ {
		fixed = append(fixed, math.Log(float64(p)/float64(10-p)))
	}
	series := func(n int, gap float64) (all []float64) {
		for i := range n {
			all = append(all, 5+gap*float64(i))
		}
		return all
	}
	for _, c := range []struct {
		name   string
		sorted []float64
		data   []float64 // knots among the scores
	}{
		{"one score", []float64{7}, []float64{7}},
		{"equal scores", []float64{7, 7, 7 + 1e-12, 8}, []float64{7, 8}},
		{"a fixed knot", []float64{0, 7}, []float64{7}},
		{"thirty scores", series(30, 1), series(30, 1)},
		{"59 scores", series(59, 1), series(30, 2)},
	} {
		want := append(slices.Clone(fixed), c.data...)
		slices.Sort(want)
		if got := smoothKnots(c.sorted); !testset.Near(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
	all := series(1000, 0.01)
	many := smoothKnots(all)
	if len(many) != 39 {
		t.Fatalf("knots %v", many)
	}
	for i, v := range many[9:] {
		if want := all[int(math.Round(float64(i)*999/29))]; v != want {
			t.Errorf("knot %d is %v, want %v", i, v, want)
		}
	}
	if got := smoothSpaced([]float64{0, knotGap / 2, knotGap}); !slices.Equal(got, []float64{0, knotGap}) {
		t.Errorf("spaced: %v", got)
	}
}

// Outcomes drawn from their probabilities leave the function near the identity, and
// outcomes of twice the log odds do not.
func TestFitFindsTheLogOdds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, slope := range []float64{1, 2} {
		n := 20000
		x, positive, validation := make([]float64, n), make([]bool, n), make([]bool, n)
		for i := range x {
			x[i] = 2 * rng.NormFloat64()
			positive[i] = rng.Float64() < 1/(1+math.Exp(-slope*x[i]))
			validation[i] = i%5 == 0
		}
		s, _ := fitSmooth(x, positive, validation)
		for v := -3.0; v <= 3; v += 0.5 {
			p, want := 1/(1+math.Exp(-s.logOdds(v))), 1/(1+math.Exp(-slope*v))
			if math.Abs(p-want) > 0.025 {
				t.Errorf("slope %v at %v: %v, want %v", slope, v, p, want)
			}
		}
	}
}

// Sets without an inner variety have a fit: the pseudo-rows hold it.
func TestFitOfDegenerateSets(t *testing.T) {
	for name, x := range map[string][]float64{"one row": {2}, "equal scores": {-1, -1, -1, -1, -1, -1}, "far": {-700, 700, 700, -700, 0}} {
		for _, outcome := range []bool{false, true} {
			positive, validation := make([]bool, len(x)), make([]bool, len(x))
			for i := range positive {
				positive[i], validation[i] = outcome, i == 1
			}
			s, end := fitSmooth(x, positive, validation)
			if err := s.Check(); err != nil || !(end.Gradient <= 1e-9) {
				t.Errorf("%s, outcomes %v: %v, %+v", name, outcome, err, end)
			}
			for _, v := range []float64{-700, -1, 0, 2, 700} {
				if at := s.logOdds(v); math.IsNaN(at) || math.IsInf(at, 0) {
					t.Errorf("%s, outcomes %v: %v at %v", name, outcome, at, v)
				}
			}
		}
	}
}

func TestCheckRejectsWhatNoFitReturns(t *testing.T) {
	good := func() smoothSpline {
		return smoothSpline{Limit: 20, Lambda: 0.1, Knots: []float64{-1, 0, 2}, Coefficients: []float64{0, 1, 0.1}}
	}
	if s := good(); s.Check() != nil {
		t.Fatal(s.Check())
	}
	for _, limit := range []float64{1, 40} {
		ends := smoothSpline{Limit: limit, Lambda: 0.99e-4, Knots: []float64{-40, -20, -20 + knotGap, 40}, Coefficients: []float64{1e12, 0, 0, -1e12}}
		if err := ends.Check(); err != nil {
			t.Errorf("at the ends of the ranges: %v", err)
		}
		ends = smoothSpline{Limit: limit, Lambda: 1.01e4, Knots: []float64{0, knotGap / 2}, Coefficients: []float64{0, 0}}
		if err := ends.Check(); err != nil {
			t.Errorf("at the ends of the ranges: %v", err)
		}
	}
	for name, damage := range map[string]func(s *smoothSpline){
		"a limit of 0":        func(s *smoothSpline) { s.Limit = 0 },
		"a limit of NaN":      func(s *smoothSpline) { s.Limit = math.NaN() },
		"lambda of 0":         func(s *smoothSpline) { s.Lambda = 0 },
		"lambda of 1e5":       func(s *smoothSpline) { s.Lambda = 1e5 },
		"one knot":            func(s *smoothSpline) { s.Knots, s.Coefficients = s.Knots[:1], s.Coefficients[:1] },
		"a coefficient less":  func(s *smoothSpline) { s.Coefficients = s.Coefficients[:2] },
		"equal knots":         func(s *smoothSpline) { s.Knots[1] = -1 },
		"a knot far away":     func(s *smoothSpline) { s.Knots[2] = 41 },
		"a knot of NaN":       func(s *smoothSpline) { s.Knots[0] = math.NaN() },
		"a large coefficient": func(s *smoothSpline) { s.Coefficients[1] = 1e13 },
	} {
		s := good()
		damage(&s)
		if s.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
