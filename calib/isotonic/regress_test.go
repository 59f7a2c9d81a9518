package isotonic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/internal/stretch"
)

// regressFixtures holds curves of scikit-learn; the recipe is in the file.
type regressFixtures struct {
	Curves []struct {
		Name    string
		X, T, W []float64
		KnotsX  []float64 `json:"knots_x"`
		KnotsY  []float64 `json:"knots_y"`
		Query   []float64
		Predict []float64
	}
}

// stretchedProb returns the probability p stretched.
func stretchedProb(p float64) float64 { return stretch.Of(p, 1-p) }

// runsOf returns a run for each point, of probability p.
func runsOf(p, t, w []float64) []tieRun {
	runs := make([]tieRun, len(p))
	for i := range p {
		x := stretchedProb(p[i])
		runs[i] = tieRun{Lo: x, Hi: x, Sum: w[i] * t[i], Weight: w[i]}
	}
	return runs
}

// minMax is isotonic regression by its closed form at the distinct x:
// max over a <= i of min over b >= i of the weighted mean of a..b.
func minMax(x, t, w []float64) (at []float64, g []float64) {
	at = slices.Clone(x)
	slices.Sort(at)
	at = slices.Compact(at)
	sum, weight := make([]float64, len(at)), make([]float64, len(at))
	for i := range x {
		j, _ := slices.BinarySearch(at, x[i])
		sum[j] += w[i] * t[i]
		weight[j] += w[i]
	}
	for i := range at {
		best := math.Inf(-1)
		for a := 0; a <= i; a++ {
			least, s, v := math.Inf(1), 0.0, 0.0
			for b := a; b < len(at); b++ {
				s, v = s+sum[b], v+weight[b]
				if b >= i {
					least = min(least, s/v)
				}
			}
			best = max(best, least)
		}
		g = append(g, best)
	}
	return at, g
}

func TestRegressIsMinMax(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 400 {
		n := 1 + rng.IntN(40)
		x, y, w := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i], w[i] = rng.Float64(), rng.Float64(), 0.1+rng.Float64()
			if trial%2 == 0 { // many ties
				x[i] = math.Round(8*x[i]) / 8
			}
			if trial%4 < 2 { // outcomes
				y[i], w[i] = math.Round(y[i]), 1
			}
		}
		at, want := minMax(x, y, w)
		g := regress(runsOf(x, y, w))
		if err := g.Check(); err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		for i := range at {
			if got := g.At(stretchedProb(at[i])); !(math.Abs(got-want[i]) <= 1e-14) {
				t.Fatalf("trial %d: g(%v) = %v, min-max formula %v", trial, at[i], got, want[i])
			}
		}
	}
}

func TestRegressIsScikitLearn(t *testing.T) {
	var f regressFixtures
	testset.Read(t, "testdata/isotonic.json", &f)
	for _, c := range f.Curves {
		g := regress(runsOf(c.X, c.T, c.W))
		knots := make([]float64, len(g.X))
		for i, x := range g.X {
			knots[i] = stretch.Prob(x)
		}
		if !testset.Near(knots, c.KnotsX, 1e-16) || !testset.Near(g.Y, c.KnotsY, 1e-14) {
			t.Errorf("%s: knots %v %v, want %v %v", c.Name, knots, g.Y, c.KnotsX, c.KnotsY)
		}
		for i, x := range c.Query {
			if got := g.At(stretchedProb(x)); !(math.Abs(got-c.Predict[i]) <= 1e-14) {
				t.Errorf("%s: g(%v) = %v, want %v", c.Name, x, got, c.Predict[i])
			}
		}
	}
}

// If the targets are 0 or 1, the order of the points changes no bit.
func TestRegressDoesNotDependOnTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	runs := make([]tieRun, 300)
	for i := range runs {
		x := math.Round(50*rng.Float64()) / 50
		runs[i] = tieRun{Lo: x, Hi: x, Sum: float64(rng.IntN(2)), Weight: 1}
	}
	want := regress(slices.Clone(runs))
	for range 20 {
		rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		if got := regress(slices.Clone(runs)); !testset.Near(got.X, want.X, 0) || !testset.Near(got.Y, want.Y, 0) {
			t.Fatal("the order of points changed the fit")
		}
	}
}

// At is monotone in floating point: for neighbouring floats around knots, for knots that
// are neighbouring floats, and for probabilities from 1e-18 to 1 - 1e-18.
func TestAtIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		var g Function
		x, y := math.Ldexp(rng.Float64(), rng.IntN(120)-60), math.Ldexp(rng.Float64(), -rng.IntN(60))
		for range 1 + rng.IntN(5) {
			g.X, g.Y = append(g.X, x), append(g.Y, y)
			if rng.IntN(2) == 0 {
				x = math.Nextafter(x, 1e300)
			} else {
				x += x * math.Ldexp(rng.Float64(), rng.IntN(50)-40)
			}
			if rng.IntN(2) == 0 {
				y += (1 - y) * math.Ldexp(rng.Float64(), -rng.IntN(50))
			}
			if x <= g.X[len(g.X)-1] {
				break
			}
		}
		var at []float64
		for i, x := range g.X {
			if got := g.At(x); got != g.Y[i] {
				t.Fatalf("g(x[%d]) = %v, want y[%d] = %v", i, got, i, g.Y[i])
			}
			below, above := x, x
			for range 4 {
				at = append(at, below, above)
				below, above = math.Nextafter(below, 0), math.Nextafter(above, 1e300)
			}
			at = append(at, rng.Float64()*x, x/rng.Float64())
		}
		slices.Sort(at)
		for i := 1; i < len(at); i++ {
			if g.At(at[i]) < g.At(at[i-1]) {
				t.Fatalf("g(%v) = %v but g(%v) = %v with knots %v %v",
					at[i-1], g.At(at[i-1]), at[i], g.At(at[i]), g.X, g.Y)
			}
		}
	}
}

// Of zeros far from the positives only number and range are kept, but the result is
// that of all points: for values far apart, tied, within and just beyond a tie, in
// chains of near values, and of any size.
func TestTallyIsTheRegressionOfAllPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	wider := 0
	for trial := range 1000 {
		var all []tieRun
		var positives, zeros []float64
		share := 0.4 // of positives
		if trial%5 == 3 {
			share = 0.03
		}
		for range 1 + rng.IntN(150) {
			x := rng.Float64()
			switch trial % 5 {
			case 1:
				x = math.Round(10*x) / 10
			case 2: // clusters of rounding noise
				x = math.Ceil(10*x) / 10 * (1 - float64(rng.IntN(12))*0x1p-25)
			case 3: // a chain whose links are shorter than a tie, down from the top
				x = 0.5 * (1 - float64(rng.IntN(100))*0x1p-24)
			case 4:
				x = math.Exp(1400*x - 700)
			}
			r := tieRun{Lo: x, Hi: x, Weight: 1}
			if rng.Float64() < share {
				positives, r.Sum = append(positives, x), 1
			} else {
				zeros = append(zeros, x)
			}
			all = append(all, r)
		}
		want := regress(inBlocks(slices.Clone(all)))
		if len(positives) == 0 {
			want = Function{}
		}
		certain := false
		for _, window := range windows() {
			pairs := newTally(slices.Clone(positives), window)
			for _, x := range zeros { // in every second trial only the largest unlikely zero is kept
				if trial%2 == 0 || len(positives) == 0 || x >= pairs.Least() {
					pairs.AddZero(x)
				} else {
					pairs.AddUnlikelyZero(x)
				}
			}
			got, ok := pairs.Regress()
			if !ok {
				wider++
				continue
			}
			certain = true
			for _, r := range all {
				if got.At(r.Lo) != want.At(r.Lo) {
					t.Fatalf("trial %d, window %g: at %v: %v, want %v", trial, window, r.Lo, got.At(r.Lo), want.At(r.Lo))
				}
			}
			if len(got.X) > 0 && got.X[0] == 0 && want.X[0] > 0 { // the block of unlikely zeros starts at 0
				continue
			}
			if !testset.Near(got.X, want.X, 0) || !testset.Near(got.Y, want.Y, 0) {
				t.Fatalf("trial %d, window %g: knots %v %v, want %v %v", trial, window, got.X, got.Y, want.X, want.Y)
			}
		}
		if !certain {
			t.Fatalf("trial %d: no window was wide enough", trial)
		}
	}
	if wider == 0 {
		t.Error("no trial needed a second window: they do not test it")
	}
}

func TestCheckKnotsWantsAKnot(t *testing.T) {
	if got := fmt.Sprint((Function{}).CheckKnots()); got != "no knots" {
		t.Error(got)
	}
	if err := (Function{[]float64{0}, []float64{1}}).CheckKnots(); err != nil {
		t.Error(err)
	}
}

func TestCheckRejectsWhatIsNotIsotonic(t *testing.T) {
	for _, c := range []struct {
		g    Function
		want string
	}{
		{Function{}, "<nil>"},
		{Function{[]float64{0, 1}, []float64{0, 0}}, "<nil>"},
		{Function{[]float64{0}, nil}, "1 knots x but 0 values y"},
		{Function{[]float64{0, 0}, []float64{0, 1}}, "x[1] = 0 is not above x[0] = 0"},
		{Function{[]float64{0, 1}, []float64{.5, .4}}, "y[1] = 0.4 is below y[0] = 0.5"},
		{Function{[]float64{math.Inf(1)}, []float64{0}}, "x[0] = +Inf is outside [0, 1.07e+301]"},
		{Function{[]float64{-1}, []float64{0}}, "x[0] = -1 is outside [0, 1.07e+301]"},
		{Function{[]float64{math.NaN()}, []float64{0}}, "x[0] = NaN is outside [0, 1.07e+301]"},
		{Function{[]float64{0}, []float64{1.5}}, "y[0] = 1.5 is outside [0, 1]"},
	} {
		if got := fmt.Sprint(c.g.Check()); got != c.want {
			t.Errorf("check of %v: %s, want %s", c.g, got, c.want)
		}
	}
}

// A function is certain if it is 0 or 1 at a probability above 0.
func TestFunctionsAreCertainAboveZero(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want bool
	}{
		{nil, nil, true},
		{[]float64{0, .5}, []float64{0, .5}, false}, // 0 at 0 alone
		{[]float64{.1, .5}, []float64{0, .5}, true},
		{[]float64{0, .1, .5}, []float64{0, 0, .5}, true},
		{[]float64{0, .5}, []float64{.1, 1}, true},
		{[]float64{0, .5}, []float64{.1, .9}, false},
		{[]float64{0}, []float64{0}, true}, // 0 everywhere
	} {
		if got := (Function{c.x, c.y}).certain(); got != c.want {
			t.Errorf("%v, %v: %v", c.x, c.y, got)
		}
	}
}
