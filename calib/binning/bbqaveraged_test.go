package binning

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCountsFollowTheCubeRoot(t *testing.T) {
	for _, c := range []struct{ n, least, most int }{
		{1, 1, 1}, {5, 1, 1}, {6, 1, 2}, {100, 1, 20}, {343, 1, 69}, {400, 1, 74},
		{1000, 1, 100}, {5000, 1, 171}, {7999, 1, 200}, {8000, 2, 200}, {8001, 2, 201}, {1_000_000, 10, 1000},
	} {
		if least, most := binCounts(c.n); least != c.least || most != c.most {
			t.Errorf("%d rows: %d to %d bins, want %d to %d", c.n, least, most, c.least, c.most)
		}
	}
}

// sample returns n probabilities, many of them small, equal or on edges, and outcomes
// with these probabilities.
func sample(n int, seed uint64) (p []float64, positive []bool) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		x := math.Pow(rng.Float64(), 3)
		switch rng.IntN(4) {
		case 0:
			x = math.Round(12*x) / 12
		case 1:
			x /= 1000
		}
		p, positive = append(p, x), append(positive, rng.Float64() < x)
	}
	return p, positive
}

// direct is Average by its definition: bin edges, sums over rows, sorted pairs.
func direct(p []float64, positive []bool, cost float64) func(x float64) float64 {
	inBin := func(x float64, b, m int) bool {
		return b == 0 && x == 0 || x*float64(m) > float64(b) && x*float64(m) <= float64(b+1)
	}
	type model struct {
		values []float64
		s, v   float64
	}
	var all []model
	least, most := binCounts(len(p))
	for m := least; m <= most; m++ {
		one := model{s: float64(m) * cost}
		for b := range m {
			rows, hits := 0.0, 0.0
			for i, x := range p {
				if inBin(x, b, m) {
					rows++
					if positive[i] {
						hits++
					}
				}
			}
			share := (float64(b) + 0.5) / float64(m)
			if rows > 0 {
				share = hits / rows
			}
			for i, x := range p {
				if !inBin(x, b, m) {
					continue
				}
				if positive[i] {
					one.s -= 2 * math.Log(share)
				} else {
					one.s -= 2 * math.Log(1-share)
				}
			}
			one.values = append(one.values, share)
		}
		all = append(all, one)
	}
	smallest, mean, variance := math.Inf(1), 0.0, 0.0
	for _, m := range all {
		smallest = min(smallest, m.s)
	}
	for i := range all {
		all[i].v = math.Exp((smallest - all[i].s) / 2)
		mean += all[i].v
	}
	mean /= float64(len(all))
	for _, m := range all {
		variance += (m.v - mean) * (m.v - mean) / float64(len(all))
	}
	slices.SortStableFunc(all, func(a, b model) int {
		if a.v > b.v {
			return -1
		}
		return 1
	})
	n := 1
	for n < len(all) && (all[n-1].v-all[n].v)/variance > 0.001 {
		n++
	}
	return func(x float64) float64 {
		sum, weights := 0.0, 0.0
		for _, m := range all[:n] {
			for b, v := range m.values {
				if inBin(x, b, len(m.values)) {
					sum += m.v * v
					weights += m.v
				}
			}
		}
		return sum / weights
	}
}

func TestAverageIsItsDefinition(t *testing.T) {
	for seed := range uint64(8) {
		n := 60 + 45*int(seed)
		p, positive := sample(n, seed)
		for _, cost := range []float64{2, math.Log(float64(n))} {
			a, want := averageHistograms(p, positive, cost), direct(p, positive, cost)
			if err := a.Check(); err != nil {
				t.Fatalf("%d rows: %v", n, err)
			}
			for _, x := range append([]float64{0, 1e-9, 0.25, 0.5, 1. / 3, 1}, p...) {
				if got := a.At(x); math.Abs(got-want(x)) > 1e-12 {
					t.Fatalf("%d rows, x = %v: %v, want %v", n, x, got, want(x))
				}
			}
		}
	}
}

// If all outcomes are equal, every likelihood is 1, so a single bin is the best.
func TestEqualOutcomesPreferOneBin(t *testing.T) {
	p, positive := sample(200, 3)
	for _, y := range []bool{false, true} {
		for i := range positive {
			positive[i] = y
		}
		a := averageHistograms(p, positive, math.Log(200))
		if len(a.Histograms[0]) != 1 || a.Weights[0] < 0.9 {
			t.Errorf("outcomes %v: %d bins with weight %v first", y, len(a.Histograms[0]), a.Weights[0])
		}
	}
}

// Equal scores are in one bin of every histogram; the value there is their share.
func TestConstantScoresHaveTheirShare(t *testing.T) {
	for _, x := range []float64{0, 0.5, 0.7, 1} {
		p, positive := make([]float64, 30), make([]bool, 30)
		for i := range p {
			p[i], positive[i] = x, i < 12
		}
		if a := averageHistograms(p, positive, math.Log(30)); math.Abs(a.At(x)-0.4) > 1e-15 {
			t.Errorf("x = %v: %v, want 0.4", x, a.At(x))
		}
	}
}

// With few rows there is one bin alone.
func TestFewRowsHaveOneBin(t *testing.T) {
	for n := 1; n <= 5; n++ {
		p, positive := make([]float64, n), make([]bool, n)
		positive[0] = true
		for i := range p {
			p[i] = float64(i) / 5
		}
		if a := averageHistograms(p, positive, 2); len(a.Weights) != 1 || a.At(0.9) != 1/float64(n) {
			t.Errorf("%d rows: %+v", n, a)
		}
	}
}

// Relative posteriors after the first gap of at most 0.001 times their variance, which
// is 0.1 to 0.2, are left out. Equal ones at the beginning are no such gap.
func TestSmallWeightsAreLeftOut(t *testing.T) {
	scores := func(v ...float64) (all []averagedCandidate) {
		for _, x := range v {
			all = append(all, averagedCandidate{score: -2 * math.Log(x)})
		}
		return all
	}
	for _, c := range []struct {
		v    []float64
		want int
	}{
		{[]float64{1}, 1},
		{[]float64{0.2, 1, 0.2, 1}, 3}, // the variance is 0.16; of the second equal pair one stays
		{[]float64{1, 1, 1}, 3},
		{[]float64{0.3, 0.29999, 1, 0.1}, 2},
		{[]float64{0.3, 0.299, 1, 0.1}, 4},
	} {
		if got := keptCandidates(scores(c.v...)); len(got) != c.want || got[0].relative != 1 {
			t.Errorf("%v: %d kept, want %d", c.v, len(got), c.want)
		}
	}
}

// A binning whose relative posterior underflows is left out, though its gap is large.
func TestPosteriorsThatUnderflowAreLeftOut(t *testing.T) {
	for _, scores := range [][]float64{{0, 4000}, {0, 0, 1489}, {4000, 0, 1, 1489}} {
		var all []averagedCandidate
		for _, s := range scores {
			all = append(all, averagedCandidate{score: s, histogram: []float64{0.5}})
		}
		if a := weightedCandidates(keptCandidates(all)); a.Check() != nil {
			t.Errorf("scores %v: %v", scores, a.Check())
		}
	}
}

func TestCheckRejectsWhatNoFitReturns(t *testing.T) {
	good := func() averagedHistogram {
		return averagedHistogram{Weights: []float64{0.75, 0.25}, Histograms: [][]float64{{0.5}, {0, 1}}}
	}
	if a := good(); a.Check() != nil {
		t.Fatal(a.Check())
	}
	for name, damage := range map[string]func(a *averagedHistogram){
		"no weights":         func(a *averagedHistogram) { *a = averagedHistogram{} },
		"a weight too few":   func(a *averagedHistogram) { a.Weights = []float64{1} },
		"a weight of 0":      func(a *averagedHistogram) { a.Weights = []float64{1, 0} },
		"a NaN":              func(a *averagedHistogram) { a.Weights[0] = math.NaN() },
		"weights of 1.1":     func(a *averagedHistogram) { a.Weights[0] = 0.85 },
		"no bins":            func(a *averagedHistogram) { a.Histograms[1] = nil },
		"a share of 1.5":     func(a *averagedHistogram) { a.Histograms[1][1] = 1.5 },
		"a share of no size": func(a *averagedHistogram) { a.Histograms[0][0] = math.NaN() },
	} {
		a := good()
		damage(&a)
		if a.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A mean of histograms is certain if it is 0 or 1 at one of many numbers, which are in every part between two edges.
func TestAveragedHistogramIsCertainWhereAllHistogramsAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	found := 0
	for range 3000 {
		var a averagedHistogram
		for range 1 + rng.IntN(3) {
			h := make([]float64, 1+rng.IntN(6))
			for b := range h {
				h[b] = []float64{0, 1, .5}[rng.IntN(3)]
			}
			a.Histograms, a.Weights = append(a.Histograms, h), append(a.Weights, 1)
		}
		for i := range a.Weights {
			a.Weights[i] = 1 / float64(len(a.Weights))
		}
		want := false
		for x := 0.; x <= 1; x += 1. / 240 { // and beside every edge, of up to 6 bins
			for _, y := range []float64{max(x-1e-6, 0), x, min(x+1e-6, 1)} {
				v := a.mean(y)
				want = want || v == 0 || v > 1-1e-12
			}
		}
		if got := a.Certain(); got != want {
			t.Fatalf("%v is certain: %v, want %v", a.Histograms, got, want)
		}
		if want {
			found++
		}
	}
	if found < 300 || found > 2700 {
		t.Errorf("%d of 3000 are certain", found)
	}
}
