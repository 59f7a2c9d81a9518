package all

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/linear"
	"github.com/qats-bench/qats/calib/quantile"
	"github.com/qats-bench/qats/calib/temperature"
	"github.com/qats-bench/qats/data"
)

// reduced returns the confidence of each prediction and whether it is right, and nothing else of the set.
func reduced(t *testing.T, s *data.Set, classes int) *data.Set {
	t.Helper()
	conf, correct := slices.Clone(calib.NewUnscaled(s.Logits).Confidences()), make([]bool, len(s.Labels))
	for i, y := range s.Labels {
		correct[i] = fit.Hit(s.Logits.Row(i), y)
	}
	r, err := data.FromConfidences(conf, correct, classes)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ofConfidence returns the entries of methods that take a confidence alone, without uncal.
func ofConfidence() (list []calib.Entry) {
	for _, e := range Registry() {
		if e.Method.Contract().Confidence && e.Name != "uncal" {
			list = append(list, e)
		}
	}
	return list
}

// Each method that takes a confidence alone has the same map from logits and from what is left of them.
func TestAConfidenceAloneGivesTheSameMap(t *testing.T) {
	var names []string
	for _, e := range ofConfidence() {
		names = append(names, e.Name)
		for _, k := range []int{2, 5} {
			s := testset.Lattice(400, k)
			r := reduced(t, s, k)
			of := func(set *data.Set) []float64 {
				f, err := calib.Fit(t.Context(), e.Method, set)
				if err != nil {
					t.Fatal(err)
				}
				_, conf, err := calib.TopLabels(f.Map.(calib.TopLabel), set)
				if err != nil {
					t.Fatal(err)
				}
				return conf
			}
			full, alone := of(s), of(r)
			for i, c := range alone {
				if !(math.Abs(c-full[i]) <= 1e-9) {
					t.Errorf("%s, %d classes, row %d: %v of the confidence alone, %v of the logits", e.Name, k, i, c, full[i])
					break
				}
			}
		}
	}
	want := []string{"ir-top", "hb-top", "scaling-binning-top", "base-rate-top", "spline", "platt-top", "beta-top", "ts-top", "qats-top"}
	if !slices.Equal(names, want) {
		t.Errorf("methods that take a confidence alone: %v, want %v", names, want)
	}
}

// Every other method refuses such a set, at the fit and after it.
func TestOtherMethodsRefuseAConfidenceAlone(t *testing.T) {
	s := testset.Lattice(60, 3)
	r := reduced(t, s, 3)
	for _, e := range Registry() {
		c := e.Method.Contract()
		if c.Confidence || c.Target != 0 || c.Cal&^(data.Logits|data.Labels) != 0 {
			continue
		}
		if _, err := calib.Fit(t.Context(), e.Method, r); !errors.Is(err, calib.ErrConfidence) {
			t.Errorf("%s is fitted to a confidence alone: %v", e.Name, err)
		}
		if c.Test&^data.Logits != 0 {
			continue
		}
		f, err := calib.Fit(t.Context(), e.Method, s)
		if err != nil {
			t.Fatal(e.Name, err)
		}
		if err := calib.CheckSet(f.Map, r); !errors.Is(err, calib.ErrConfidence) {
			t.Errorf("%s is applied to a confidence alone: %v", e.Name, err)
		}
	}
	ts := calibtest.Fit(t, calib.UncalEntry, s, nil)
	if _, err := ts.Probabilities(r); !errors.Is(err, calib.ErrConfidence) {
		t.Errorf("probabilities of all classes of a confidence alone: %v", err)
	}
	top, ok := calib.OfConfidence(ts.Map)
	if !ok {
		t.Fatal("uncal has no map of a confidence alone")
	}
	if _, conf, err := calib.TopLabels(top, r); err != nil || !slices.Equal(conf, r.Confidence) {
		t.Errorf("uncal keeps every confidence: %v", err)
	}
}

// With two classes ts-top is ts and qats-top is qats; with the derived logits as logits ts-top is ts, too.
func TestDerivedLogitsAreThoseOfTheDefinition(t *testing.T) {
	s := testset.Lattice(600, 2)
	r := reduced(t, s, 0) // not stated: two classes
	parameters := func(e calib.Entry, set *data.Set) []float64 {
		f, err := calib.Fit(t.Context(), e.Method, set)
		if err != nil {
			t.Fatal(err)
		}
		var list []float64
		for _, p := range f.Parameters() {
			list = append(list, p.Value)
		}
		return list
	}
	near := func(what string, got, want []float64) {
		t.Helper()
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-6*max(1, math.Abs(want[i]))) {
				t.Errorf("%s: %v, want %v", what, got, want)
				return
			}
		}
	}
	near("ts-top, two classes", parameters(temperature.TSTopEntry, r), parameters(calib.TSEntry, s))
	near("qats-top, two classes", parameters(quantile.QaTSTopEntry, r), parameters(calib.QaTSEntry, s))

	const n, k = 500, 7
	rng := rand.New(rand.NewPCG(3, 4))
	derived := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	conf, correct := make([]float64, n), make([]bool, n)
	for i := range n {
		conf[i] = 1.0/k + rng.Float64()*(0.999-1.0/k)
		row := derived.Logits.Row(i)
		for j := range row {
			row[j] = float32(math.Log((1 - conf[i]) / (k - 1)))
		}
		top := rng.IntN(k)
		row[top] = float32(math.Log(conf[i]))
		correct[i] = rng.Float64() < 0.5*conf[i]+0.2
		if derived.Labels[i] = int32(top); !correct[i] {
			derived.Labels[i] = int32((top + 1 + rng.IntN(k-1)) % k)
		}
	}
	stated, err := data.FromConfidences(conf, correct, k)
	if err != nil {
		t.Fatal(err)
	}
	near("ts-top, derived logits", parameters(temperature.TSTopEntry, stated), parameters(calib.TSEntry, derived))
	near("qats-top, derived logits", parameters(quantile.QaTSTopEntry, stated), parameters(calib.QaTSEntry, derived))
	odds, err := data.FromConfidences(conf, correct, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := parameters(temperature.TSTopEntry, odds)[0], parameters(temperature.TSTopEntry, stated)[0]; math.Abs(a-b) < 0.01 {
		t.Errorf("T %v with and without the number of classes: the two are other maps", a)
	}
}

// Confidences of exactly 0 and 1, below 1/k, all equal, all right and all wrong have finite maps in [0, 1].
func TestEdgesOfAConfidenceAlone(t *testing.T) {
	half := []bool{true, false, true, true, false, true, false, true, true, true}
	for name, x := range map[string]struct {
		conf    []float64
		correct []bool
	}{
		"ends":      {[]float64{0, 1, 1, 0.5, 0, 1, 0.25, 0.75, 1, 1}, half},
		"below 1/k": {[]float64{0.01, 0.02, 0.03, 0.05, 0.001, 0.09, 0.04, 0.06, 0.08, 0.07}, half},
		"constant":  {slices.Repeat([]float64{0.8}, 10), half},
		"ones":      {slices.Repeat([]float64{1}, 10), half},
		"zeros":     {slices.Repeat([]float64{0}, 10), half},
		"uniform":   {slices.Repeat([]float64{0.1}, 10), half},
		"right":     {[]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}, slices.Repeat([]bool{true}, 10)},
		"wrong":     {[]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}, slices.Repeat([]bool{false}, 10)},
		"one row":   {[]float64{0.7}, []bool{true}},
	} {
		for _, k := range []int{0, 2, 10} {
			set, err := data.FromConfidences(x.conf, x.correct, k)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range ofConfidence() {
				f, err := calib.Fit(t.Context(), e.Method, set)
				if err != nil {
					t.Errorf("%s, %s, %d classes: %v", e.Name, name, k, err)
					continue
				}
				if err := f.Map.Check(); err != nil {
					t.Errorf("%s, %s, %d classes: %v", e.Name, name, k, err)
				}
				grid, err := data.FromConfidences([]float64{0, 1e-300, 0x1p-60, 0.1, 0.5, 0.9, 1 - 0x1p-53, 1}, nil, k)
				if err != nil {
					t.Fatal(err)
				}
				_, conf, err := calib.TopLabels(f.Map.(calib.TopLabel), grid)
				if err != nil {
					t.Errorf("%s, %s, %d classes: %v", e.Name, name, k, err)
				}
				for i, c := range conf {
					if !(c >= 0 && c <= 1) {
						t.Errorf("%s, %s, %d classes: %v becomes %v", e.Name, name, k, grid.Confidence[i], c)
					}
				}
				if name == "constant" && e.Name != "spline" {
					_, own, _ := calib.TopLabels(f.Map.(calib.TopLabel), set)
					if want := 0.7; math.Abs(own[0]-want) > 0.04 { // platt-top smooths its targets: 8/12
						t.Errorf("%s, %d classes: the constant confidence 0.8 becomes %v; the accuracy is 0.7", e.Name, k, own[0])
					}
				}
			}
		}
	}
}

// The maps that say so keep the order of all confidences.
func TestTopMapsKeepTheOrder(t *testing.T) {
	s := reduced(t, testset.Lattice(400, 5), 5)
	grid := make([]float64, 2001)
	for i := range grid {
		grid[i] = float64(i) / 2000
	}
	for _, x := range []struct {
		calib.Entry
		from float64
	}{{temperature.TSTopEntry, 0}, {linear.PlattTopEntry, 0}, {linear.BetaTopEntry, 0}, {quantile.QaTSTopEntry, 0.2}} {
		f, err := calib.Fit(t.Context(), x.Method, s)
		if err != nil {
			t.Fatal(err)
		}
		set, err := data.FromConfidences(grid[int(x.from*2000):], nil, 5)
		if err != nil {
			t.Fatal(err)
		}
		_, conf, err := calib.TopLabels(f.Map.(calib.TopLabel), set)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(conf) {
			t.Errorf("%s changes the order", x.Name)
		}
	}
}

// The minima are those of a search over a grid, refined.
func TestTopFitsAreMinima(t *testing.T) {
	s := reduced(t, testset.Lattice(400, 5), 5)
	loss := func(conf []float64, smooth bool) float64 {
		hits := 0.0
		for _, y := range s.Labels {
			hits += float64(1 - y)
		}
		n, sum := float64(len(conf)), 0.0
		for i, c := range conf {
			target := float64(1 - s.Labels[i])
			if smooth {
				if target = (hits + 1) / (hits + 2); s.Labels[i] == 1 {
					target = 1 / (n - hits + 2)
				}
			}
			sum -= target*math.Log(c) + (1-target)*math.Log1p(-c)
		}
		return sum / n
	}
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, e := range []calib.Entry{linear.PlattTopEntry, linear.BetaTopEntry, quantile.QaTSTopEntry} {
		f, err := calib.Fit(t.Context(), e.Method, s)
		if err != nil {
			t.Fatal(err)
		}
		var at []float64
		for _, p := range f.Parameters() {
			at = append(at, p.Value)
		}
		_, conf, _ := calib.TopLabels(f.Map.(calib.TopLabel), s)
		rank := func(c float64) float64 {
			below := 0
			for _, o := range s.Confidence {
				if o <= c {
					below++
				}
			}
			return float64(below) / float64(len(s.Confidence))
		}
		of := func(x []float64) float64 {
			list := make([]float64, len(s.Confidence))
			for i, c := range s.Confidence {
				z := math.Log(c / (1 - c))
				switch e.Name {
				case "platt-top":
					list[i] = sigmoid(x[0]*z + x[1])
				case "beta-top":
					list[i] = sigmoid(x[0]*math.Log(c) - x[1]*math.Log1p(-c) + x[2])
				default:
					list[i] = sigmoid((z+math.Log(4))/(x[0]*(1-rank(c))+x[1]) - math.Log(4))
				}
			}
			return loss(list, e.Name == "platt-top")
		}
		least := of(at)
		if got := loss(conf, e.Name == "platt-top"); !(math.Abs(got-least) <= 1e-9) {
			t.Errorf("%s: the loss of the map is %v, that of its formula %v", e.Name, got, least)
		}
		for j := range at {
			for _, step := range []float64{-1e-3, 1e-3} {
				x := slices.Clone(at)
				if x[j] += step; e.Name != "platt-top" && j < 2 && x[j] < 0 {
					continue
				}
				if v := of(x); v < least-1e-12 {
					t.Errorf("%s: loss %v at %v, %v at its fit %v", e.Name, v, x, least, at)
				}
			}
		}
	}
}
