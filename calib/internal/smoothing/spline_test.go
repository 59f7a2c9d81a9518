package smoothing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// function returns column c of the basis at x by its definition.
func function(knots []float64, c int, x float64) float64 {
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
		pieces := newBasis(knots)
		for x := -7.0; x < 7; x += 0.1 {
			p := &pieces[pieceOf(knots, x)]
			for c := range knots {
				coefficients := make([]float64, len(knots))
				coefficients[c] = 1
				cubic := p.cubic(coefficients)
				if got, want := p.at(&cubic, x), function(knots, c, x); math.Abs(got-want) > 1e-11*max(1, math.Abs(want)) {
					t.Fatalf("knots %v, column %d at %v: %v, want %v", knots, c, x, got, want)
				}
			}
		}
	}
}

// problem returns n log odds, some of them equal or at knots, outcomes and a design.
func problem(n int, seed uint64) (x []float64, positive []bool, knots []float64, samples []sample) {
	rng := rand.New(rand.NewPCG(seed, 2))
	knots = []float64{-3, -1, 0, 1, 2.5}
	for i := range n {
		v := 2 * rng.NormFloat64()
		if i%5 == 0 {
			v = math.Round(v)
		}
		x = append(x, v)
		positive = append(positive, rng.Float64() < 1/(1+math.Exp(-0.5*v-math.Sin(v))))
		one := sample{x: v, weight: 0.5 + rng.Float64()}
		if positive[i] {
			one.target = 0.9
		}
		samples = append(samples, one)
	}
	return x, positive, knots, samples
}

// objective is the penalised loss and its gradient by the definition.
func objective(knots []float64, samples []sample, b []float64, lambda float64) (value float64, gradient []float64) {
	gradient = make([]float64, len(b))
	n := float64(len(samples))
	for _, one := range samples {
		s := 0.0
		for c, v := range b {
			s += v * function(knots, c, one.x)
		}
		value += one.weight * (testset.Softplus(s) - one.target*s) / n
		for c := range b {
			gradient[c] += one.weight * (1/(1+math.Exp(-s)) - one.target) * function(knots, c, one.x) / n
		}
	}
	for c, v := range b {
		value += lambda / float64(len(b)) * v * v
		gradient[c] += 2 * lambda / float64(len(b)) * v
	}
	return value, gradient
}

func TestDerivativesAreOfTheLoss(t *testing.T) {
	_, _, knots, samples := problem(60, 1)
	b := []float64{0.3, -0.7, 0.2, 0.05, -0.1}
	n := float64(len(samples))
	at := func(b []float64) (value float64, g, h []float64) {
		d := newDesign(newBasis(knots), knots, slices.Clone(samples))
		g, h = make([]float64, 5), make([]float64, 25)
		d.evaluate(b)
		d.derivatives(g, h)
		return d.loss(math.Inf(1)), g, h
	}
	value, g, h := at(b)
	wantValue, want := objective(knots, samples, b, 0)
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
		_, _, knots, samples := problem(40, seed)
		for _, lambda := range []float64{1e-4, 0.1, 100} {
			b := make([]float64, len(knots))
			newDesign(newBasis(knots), knots, slices.Clone(samples)).minimise(b, lambda, 1e-9)
			if _, g := objective(knots, samples, b, lambda); slices.ContainsFunc(g, func(v float64) bool { return !(math.Abs(v) < 1e-11) }) {
				t.Errorf("lambda %v: gradient %v", lambda, g)
			}
		}
	}
}

// Fit takes the least lambda whose loss on the validation rows is the least to 4
// decimals, and fits all rows with it.
func TestFitIsItsDefinition(t *testing.T) {
	x, positive, _, _ := problem(90, 7)
	validation := make([]bool, len(x))
	for i := range validation {
		validation[i] = i%5 == 2
	}
	got, end := Fit(x, positive, validation)
	if end.Gradient > 1e-9 || end.Steps < 17 {
		t.Errorf("%+v", end)
	}
	rows := func(keep bool) (all []sample) {
		for i, v := range x {
			if validation[i] == keep {
				one := sample{x: v, weight: 1}
				if positive[i] {
					one.target = 1
				}
				all = append(all, one)
			}
		}
		return all
	}
	pseudo := prior(got.Limit)
	solve := func(samples []sample, lambda float64) []float64 {
		b := make([]float64, len(got.Knots))
		newDesign(newBasis(got.Knots), got.Knots, samples).minimise(b, lambda, 1e-9)
		return b
	}
	best, lambda := math.Inf(1), 0.0
	for e := -4.0; e <= 4; e += 0.5 {
		b, loss := solve(append(rows(false), pseudo...), math.Pow(10, e)), 0.0
		for _, one := range rows(true) {
			s := 0.0
			for c, v := range b {
				s += v * function(got.Knots, c, one.x)
			}
			loss += min(testset.Softplus(s)-one.target*s, -math.Log(1e-16)) / 18
		}
		if loss = math.Round(1e4 * loss); loss < best {
			best, lambda = loss, math.Pow(10, e)
		}
	}
	if math.Abs(got.Lambda/lambda-1) > 1e-12 {
		t.Errorf("lambda %v, want %v", got.Lambda, lambda)
	}
	all := append(append(rows(false), rows(true)...), pseudo...)
	if _, g := objective(got.Knots, all, got.Coefficients, got.Lambda); slices.ContainsFunc(g, func(v float64) bool { return !(math.Abs(v) < 1e-8) }) {
		t.Errorf("gradient of all rows: %v", g)
	}
	for _, v := range []float64{-50, -3, 0, 0.25, 2, 50} {
		want := 0.0
		for c, b := range got.Coefficients {
			want += b * function(got.Knots, c, min(max(v, -got.Limit), got.Limit))
		}
		if math.Abs(got.At(v)-want) > 1e-9 {
			t.Errorf("at %v: %v, want %v", v, got.At(v), want)
		}
	}
}

// The expected values are those of splinecalib's _compute_logodds_eps_from_data.
func TestLimitFollowsTheLeastProbability(t *testing.T) {
	for _, c := range []struct{ x, eps float64 }{
		{3, 0x1p-28}, {-18, 0x1p-28}, {-20, 0x1p-30}, {-30, 0x1p-44}, {-36, 0x1p-53}, {-40, 1e-16}, {-700, 1e-16},
	} {
		if got, want := limit(c.x), math.Log((1-c.eps)/c.eps); math.Abs(got-want) > 1e-12 {
			t.Errorf("least log odds %v: limit %v, want %v", c.x, got, want)
		}
	}
}

func TestPriorIsOnTheLine(t *testing.T) {
	weight, mean := 0.0, 0.0
	all := prior(18)
	for _, one := range all {
		weight += one.weight
		mean += one.weight * one.target / priorWeight
		if want := min(max(math.Log(one.target/(1-one.target)), -18), 18); math.Abs(one.x-want) > 1e-7 {
			t.Errorf("probability %v at log odds %v", one.target, one.x)
		}
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
		if got := knots(c.sorted); !testset.Near(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
	many := knots(series(1000, 0.01))
	if len(many) != 39 || many[9] != 5 || many[38] != 5+0.01*999 {
		t.Errorf("knots %v", many)
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
		s, _ := Fit(x, positive, validation)
		for v := -3.0; v <= 3; v += 0.5 {
			p, want := 1/(1+math.Exp(-s.At(v))), 1/(1+math.Exp(-slope*v))
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
			s, end := Fit(x, positive, validation)
			if err := s.Check(); err != nil || !(end.Gradient <= 1e-9) {
				t.Errorf("%s, outcomes %v: %v, %+v", name, outcome, err, end)
			}
			for _, v := range []float64{-700, -1, 0, 2, 700} {
				if at := s.At(v); math.IsNaN(at) || math.IsInf(at, 0) {
					t.Errorf("%s, outcomes %v: %v at %v", name, outcome, at, v)
				}
			}
		}
	}
}

func TestCheckRejectsWhatNoFitReturns(t *testing.T) {
	good := func() Spline {
		return Spline{Limit: 20, Lambda: 0.1, Knots: []float64{-1, 0, 2}, Coefficients: []float64{0, 1, 0.1}}
	}
	if s := good(); s.Check() != nil {
		t.Fatal(s.Check())
	}
	for name, damage := range map[string]func(s *Spline){
		"a limit of 0":        func(s *Spline) { s.Limit = 0 },
		"a limit of NaN":      func(s *Spline) { s.Limit = math.NaN() },
		"lambda of 0":         func(s *Spline) { s.Lambda = 0 },
		"lambda of 1e5":       func(s *Spline) { s.Lambda = 1e5 },
		"one knot":            func(s *Spline) { s.Knots, s.Coefficients = s.Knots[:1], s.Coefficients[:1] },
		"a coefficient less":  func(s *Spline) { s.Coefficients = s.Coefficients[:2] },
		"equal knots":         func(s *Spline) { s.Knots[1] = -1 },
		"a knot far away":     func(s *Spline) { s.Knots[2] = 41 },
		"a knot of NaN":       func(s *Spline) { s.Knots[0] = math.NaN() },
		"a large coefficient": func(s *Spline) { s.Coefficients[1] = 1e13 },
	} {
		s := good()
		damage(&s)
		if s.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
