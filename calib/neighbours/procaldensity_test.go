package neighbours

import (
	"math"
	"math/rand/v2"
	"testing"
)

// points returns n points around (x, y).
func points(n int, x, y, spread float64, seed uint64) densityKernels {
	rng := rand.New(rand.NewPCG(seed, 1))
	var k densityKernels
	for range n {
		k.X = append(k.X, min(1, max(0, x+spread*rng.NormFloat64())))
		k.Y = append(k.Y, min(1, max(0, y+spread*rng.NormFloat64())))
	}
	return k
}

// If a quantity varies in a small group, but not among all points, its factor is left
// out in both densities.
func TestQuantityThatVariesInASmallGroupIsLeftOut(t *testing.T) {
	var groups [2]densityKernels
	for i := range 20 { // the deviation is 3e-9
		groups[0].X, groups[0].Y = append(groups[0].X, 1-6e-9*float64(i%2)), append(groups[0].Y, .1*float64(i%3))
	}
	for i := range 200_000 { // that of all points is 4e-11
		groups[1].X, groups[1].Y = append(groups[1].X, 1), append(groups[1].Y, .1*float64(i%3))
	}
	newKernels(&groups)
	for g, k := range groups {
		if k.H[0] != 0 || !(k.H[1] > 0) {
			t.Errorf("group %d: bandwidths %v, want 0 and one above 0", g, k.H)
		}
	}
	buffer := make([]float64, 200_000)
	if odds := groups[1].LogSum(1, .1, buffer) - groups[0].LogSum(1, .1, buffer); !(odds > math.Log(1e3)) {
		t.Errorf("log odds %v, but the groups have 200000 and 20 points", odds)
	}
}

// LogSum is the log of the sum by its definition.
func TestLogSumIsThatOfTheDefinition(t *testing.T) {
	groups := [2]densityKernels{points(40, .3, .6, .2, 1), points(7, .8, .2, .1, 2)}
	newKernels(&groups)
	for g, k := range groups {
		for _, at := range [][2]float64{{.3, .6}, {1, 0}, {0, 1}, {.5, .5}} {
			sum := 0.0
			for i := range k.X {
				u, v := (at[0]-k.X[i])/k.H[0], (at[1]-k.Y[i])/k.H[1]
				sum += math.Exp(-(u*u+v*v)/2) / (k.H[0] * k.H[1])
			}
			if got := k.LogSum(at[0], at[1], make([]float64, 40)); !(math.Abs(got-math.Log(sum)) <= 1e-12*(1+math.Abs(got))) {
				t.Errorf("group %d at %v: %v, want %v", g, at, got, math.Log(sum))
			}
		}
	}
}

// statsmodels 0.13.5: KDEMultivariate([x, y], "cc", bw="normal_reference"), whose pdf
// has the factor 1/(2 pi n).
func TestKernelsAreThoseOfStatsmodels(t *testing.T) {
	k := densityKernels{X: []float64{.1, .2, .4, .8}, Y: []float64{.5, .25, .75, .125}}
	groups := [2]densityKernels{k, {}}
	newKernels(&groups)
	k = groups[0]
	for axis, want := range []float64{0.2255544824296312, 0.20194753704557739} {
		if !(math.Abs(k.H[axis]-want) <= 1e-15) {
			t.Errorf("bandwidth %d: %v, want %v", axis, k.H[axis], want)
		}
	}
	for _, c := range [][3]float64{{0.1, 0.5, 1.4103702088732148}, {0.3, 0.3, 1.2464422882212205}, {1, 0, 0.4875861229902787}} {
		got := math.Exp(k.LogSum(c[0], c[1], make([]float64, 4))) / (2 * math.Pi * 4)
		if !(math.Abs(got-c[2]) <= 1e-14) {
			t.Errorf("density at (%v, %v): %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// A quantity that does not vary in one group has the deviation of all points; one that
// varies in neither is left out.
func TestConstantQuantitiesHaveABandwidth(t *testing.T) {
	one := densityKernels{X: []float64{.5}, Y: []float64{.25}}
	groups := [2]densityKernels{one, {X: []float64{.1, .5, .9}, Y: []float64{.25, .25, .25}}}
	newKernels(&groups)
	all := math.Sqrt((.16 + .16) / 4)
	if h := groups[0].H; !(math.Abs(h[0]-1.06*all) <= 1e-15) || h[1] != 0 {
		t.Errorf("bandwidths %v, want %v and 0", h, 1.06*all)
	}
	if h := groups[1].H; h[0] == 0 || h[1] != 0 {
		t.Errorf("bandwidths %v, want one above 0, and 0", h)
	}
	if a, b := groups[0].LogSum(.7, .1, make([]float64, 1)), groups[0].LogSum(.7, .9, make([]float64, 1)); a != b {
		t.Errorf("a quantity that is left out changes the density: %v and %v", a, b)
	}
	none := [2]densityKernels{{}, one}
	newKernels(&none)
	if v := none[0].LogSum(.5, .5, nil); !math.IsInf(v, -1) || none[0].H != [2]float64{} {
		t.Errorf("density of no points: %v, bandwidths %v", v, none[0].H)
	}
	two := [2]densityKernels{{X: []float64{0, 2 * constantDeviation}, Y: []float64{0, 1.5 * constantDeviation}}}
	newKernels(&two) // only a deviation below Constant is that of a constant
	if h := two[0].H; h[0] == 0 || h[1] != 0 {
		t.Errorf("bandwidths %v, want one above 0, and 0", h)
	}
}

// Far from all points the logarithm is finite, where the density itself would be 0.
func TestFarDensitiesHaveALogarithm(t *testing.T) {
	groups := [2]densityKernels{points(50, .9, .9, 1e-3, 1), points(50, .9, .9, 2e-3, 2)}
	newKernels(&groups)
	a, b := groups[0].LogSum(0, 0, make([]float64, 50)), groups[1].LogSum(0, 0, make([]float64, 50))
	if math.IsInf(a, 0) || math.IsInf(b, 0) || !(a < b) || a > -1e4 {
		t.Errorf("logarithms %v and %v: want finite numbers, the wider density larger", a, b)
	}
}

func TestChecksEveryRange(t *testing.T) {
	good := func() densityKernels {
		return densityKernels{X: []float64{.1, .2}, Y: []float64{.3, .4}, H: [2]float64{.1, .2}}
	}
	if k := good(); k.Check() != nil {
		t.Fatal(k.Check())
	}
	ends := densityKernels{X: []float64{0, 1}, Y: []float64{1, 0}, H: [2]float64{constantDeviation / 100, 1}}
	if err := ends.Check(); err != nil {
		t.Errorf("at the ends of the ranges: %v", err)
	}
	for name, spoil := range map[string]func(k *densityKernels){
		"lengths":        func(k *densityKernels) { k.Y = k.Y[:1] },
		"x above 1":      func(k *densityKernels) { k.X[0] = 1.5 },
		"y below 0":      func(k *densityKernels) { k.Y[1] = -.1 },
		"x NaN":          func(k *densityKernels) { k.X[1] = math.NaN() },
		"h NaN":          func(k *densityKernels) { k.H[0] = math.NaN() },
		"h negative":     func(k *densityKernels) { k.H[1] = -.1 },
		"h of rounding":  func(k *densityKernels) { k.H[1] = 1e-14 },
		"h infinite":     func(k *densityKernels) { k.H[1] = math.Inf(1) },
		"h far too wide": func(k *densityKernels) { k.H[0] = 2 },
	} {
		k := good()
		if spoil(&k); k.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
