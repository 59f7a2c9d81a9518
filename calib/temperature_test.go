package calib_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// temperatureMethods are the methods with one positive temperature a row, whose
// properties this file tests.
var temperatureMethods = []string{
	"uncal", "ts", "ts-guo50", "ts-ecegrid", "qats", "qats-free", "qats-pw", "qats-pw-free", "qats-transductive",
	"hts", "ec", "bts", "cbt", "t-conf", "t-entropy", "t-gap",
}

// entry returns the entry of the method of the given name.
func entry(name string) calib.Entry {
	e, ok := all.Lookup(name)
	if !ok {
		panic("no method " + name)
	}
	return e
}

// parameters returns the parameters of a map, without the ranks.
func parameters(m calib.Map) (values []float64) {
	if p, ok := m.(calib.Parametric); ok {
		for _, parameter := range p.Parameters() {
			values = append(values, parameter.Value)
		}
	}
	return values
}

// fitAny fits any temperature method. The target is the calibration rows.
func fitAny(t testing.TB, name string, set *data.Set) *calib.Fitted {
	t.Helper()
	return calibtest.FitInput(t, entry(name), calib.Input{Cal: set, Target: &data.Set{Logits: set.Logits}}, nil)
}

// sumsTol is the largest relative change of fitted parameters by another order of
// summation: the rounding error of sums of some hundred terms, times the inverse of a
// curvature that is not near 0.
const sumsTol = 1e-9

func TestOffsetOfRowsChangesNoBit(t *testing.T) {
	set := testset.Ranked(300, 4, testset.Falling, 1)
	for i, l := range set.Logits.Data { // a grid on which float32 adds 1024 exactly
		set.Logits.Data[i] = float32(math.Round(float64(l)*64) / 64)
	}
	shifted := &data.Set{Logits: data.NewMatrix(300, 4), Labels: set.Labels}
	for i, l := range set.Logits.Data {
		shifted.Logits.Data[i] = l + float32(int(1024)<<(i/4%3)) // 1024, 2048 or 4096 for a whole row
	}
	for _, name := range temperatureMethods {
		a, b := fitAny(t, name, set), fitAny(t, name, shifted)
		if !slices.Equal(parameters(a.Map), parameters(b.Map)) {
			t.Errorf("%s: %v, shifted %v", name, parameters(a.Map), parameters(b.Map))
		}
		if !slices.Equal(calibtest.Apply(a.Map, set.Logits).Data, calibtest.Apply(b.Map, shifted.Logits).Data) {
			t.Errorf("%s: probabilities change with an offset", name)
		}
	}
}

func TestOrderOfRowsAndClassesDoesNotMatter(t *testing.T) {
	const n, k = 300, 5
	set := testset.Ranked(n, k, testset.Falling, 2)
	rng := rand.New(rand.NewPCG(1, 1))
	classes, rows := rng.Perm(k), rng.Perm(n)
	byClass := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	byRow := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		for j := range k {
			byClass.Logits.Row(i)[classes[j]] = set.Logits.Row(i)[j]
		}
		byClass.Labels[i] = int32(classes[set.Labels[i]])
		copy(byRow.Logits.Row(rows[i]), set.Logits.Row(i))
		byRow.Labels[rows[i]] = set.Labels[i]
	}
	for _, name := range temperatureMethods {
		base, a, b := fitAny(t, name, set), fitAny(t, name, byClass), fitAny(t, name, byRow)
		for i, want := range parameters(base.Map) {
			for _, other := range []calib.Map{a.Map, b.Map} {
				if got := parameters(other)[i]; !(math.Abs(got-want) <= sumsTol*(1+want)) {
					t.Errorf("%s: parameter %d is %.12g, after a permutation %.12g", name, i, want, got)
				}
			}
		}
		p, q := calibtest.Apply(base.Map, set.Logits), calibtest.Apply(a.Map, byClass.Logits)
		for i := range n {
			for j := range k {
				if d := p.Row(i)[j] - q.Row(i)[classes[j]]; !(math.Abs(d) <= sumsTol) {
					t.Fatalf("%s: row %d class %d: probabilities differ by %g", name, i, j, d)
				}
			}
		}
		type ranked interface{ OfRanks() fit.Line }
		if m, ok := base.Map.(ranked); ok {
			if ranks := m.OfRanks().ECDF; !slices.Equal(ranks, a.Map.(ranked).OfRanks().ECDF) || !slices.Equal(ranks, b.Map.(ranked).OfRanks().ECDF) {
				t.Errorf("%s: ranks depend on an order", name)
			}
		}
	}
}

// Logits times c have temperatures times c. A power of two scales float32 exactly. For
// more than two classes ranks at T = 1 change with c, so the ranked methods are tested
// with two.
func TestTemperaturesScaleWithTheLogits(t *testing.T) {
	for _, name := range []string{"ts", "qats", "qats-pw", "qats-free"} {
		var options map[string]any
		if name == "qats-pw" {
			options = map[string]any{"segments": 2}
		}
		for _, c := range []float32{0.125, 4} {
			// The temperature is so high that no bound is active, since bounds do not scale.
			set := testset.Ranked(500, 2, func(q float64) float64 { return 2*(1-q) + 3 }, 3)
			scaled := &data.Set{Logits: data.NewMatrix(500, 2), Labels: set.Labels}
			for i, l := range set.Logits.Data {
				scaled.Logits.Data[i] = c * l
			}
			a, b := calibtest.Fit(t, entry(name), set, options), calibtest.Fit(t, entry(name), scaled, options)
			for i, v := range parameters(a.Map) {
				got, want := parameters(b.Map)[i], v*float64(c)
				if !(math.Abs(got-want) <= 1e-7*(math.Abs(want)+float64(c))) {
					t.Errorf("%s: parameter %d is %g, of logits times %g %g", name, i, v, c, got)
				}
			}
		}
	}
}

// A set that is applied in blocks of any size has the same bits.
func TestBlocksHaveTheSameBits(t *testing.T) {
	set := testset.Ranked(700, 4, testset.Falling, 4)
	for _, name := range temperatureMethods {
		m := fitAny(t, name, set).Map
		whole := calibtest.Apply(m, set.Logits)
		for _, size := range []int{1, 7, 256, 699} {
			for lo := 0; lo < 700; lo += size {
				hi := min(lo+size, 700)
				if !slices.Equal(calibtest.Apply(m, set.Logits.Slice(lo, hi)).Data, whole.Slice(lo, hi).Data) {
					t.Fatalf("%s: rows %d..%d differ when applied alone", name, lo, hi-1)
				}
			}
		}
	}
}

func TestTemperaturesKeepThePrediction(t *testing.T) {
	set := testset.Ranked(400, 5, testset.Falling, 5)
	test := testset.Simulated(500, 5, 2, 1, 6)
	for i := range 100 { // rows with two or more classes at the maximum, and constant rows
		row := test.Logits.Row(i)
		row[i%5] = slices.Max(row)
		if i%10 == 0 {
			copy(row, make([]float32, 5))
		}
	}
	for _, name := range temperatureMethods {
		p := calibtest.Apply(fitAny(t, name, set).Map, test.Logits)
		for i := range 500 {
			row, q := test.Logits.Row(i), p.Row(i)
			if want, got := slices.Index(row, slices.Max(row)), slices.Index(q, slices.Max(q)); got != want {
				t.Errorf("%s: row %d: class %d, logits say %d", name, i, got, want)
			}
		}
	}
}

// Fits of sets without a minimum, or with very few rows, end at a bound that the report
// names, with finite probabilities.
func TestHardSetsEndAtBounds(t *testing.T) {
	right := testset.Simulated(50, 3, 2, 1, 7)
	wrong := testset.Simulated(50, 3, 2, 1, 7)
	for i := range 50 {
		row := right.Logits.Row(i)
		right.Labels[i] = int32(slices.Index(row, slices.Max(row)))
		wrong.Labels[i] = int32(slices.Index(row, slices.Min(row)))
	}
	constant := &data.Set{Logits: data.NewMatrix(5, 3), Labels: make([]int32, 5)}
	absent := testset.Simulated(100, 4, 2, 1, 8)
	for i := range absent.Labels {
		absent.Labels[i] %= 3
	}
	huge := &data.Set{
		Logits: data.Matrix{Rows: 2, Cols: 3, Data: []float32{3e38, -3e38, 0, -1e38, 2e38, 3e38}},
		Labels: []int32{0, 1},
	}
	tiny := &data.Set{
		Logits: data.Matrix{Rows: 3, Cols: 2, Data: []float32{1e-30, 0, 1e-30, 0, 1e-30, 0}},
		Labels: []int32{0, 0, 1},
	}
	one := func(y int32) *data.Set {
		return &data.Set{Logits: data.Matrix{Rows: 1, Cols: 2, Data: []float32{1, 0}}, Labels: []int32{y}}
	}
	for _, c := range []struct {
		name string
		set  *data.Set
		t    float64 // temperature of ts, 0 if it is inside the bounds
	}{
		{"all right", right, fit.MinT}, {"all wrong", wrong, fit.MaxT * testset.Spread(wrong)}, {"constant rows", constant, 1},
		{"absent class", absent, 0}, {"huge logits", huge, 0}, {"tiny logits", tiny, 0},
		{"one row, right", one(0), fit.MinT}, {"one row, wrong", one(1), fit.MaxT},
		{"one class", &data.Set{Logits: data.NewMatrix(4, 1), Labels: make([]int32, 4)}, 1},
	} {
		for _, name := range temperatureMethods {
			f := fitAny(t, name, c.set)
			r := f.Report
			if math.IsNaN(r.NLL) || math.IsInf(r.NLL, 0) || math.IsNaN(r.Gradient) {
				t.Errorf("%s, %s: %+v", c.name, name, r)
			}
			for i, p := range calibtest.Apply(f.Map, c.set.Logits).Data {
				if !(p >= 0 && p <= 1) {
					t.Errorf("%s, %s: probability %d is %g", c.name, name, i, p)
				}
			}
			if name != "ts" {
				continue
			}
			got := f.Map.(calib.Temperature).T
			if gap := testset.Spread(c.set); (c.t != 0 && !(math.Abs(got/c.t-1) <= 1e-14)) || (c.t == 0 && (got <= fit.MinT*gap || got >= fit.MaxT*gap)) {
				t.Errorf("%s: T = %g, want %g", c.name, got, c.t)
			}
			if (c.t != 0) != (len(r.Warnings) > 0) || (c.t != 0 && c.t != 1) != (len(r.AtBound) > 0) {
				t.Errorf("%s: T = %g, %+v", c.name, got, r)
			}
		}
	}
}

func TestTemperatureMethodsRejectBadSets(t *testing.T) {
	for _, c := range []struct {
		name string
		set  *data.Set
	}{
		{"no rows", &data.Set{Logits: data.Matrix{Cols: 3, Data: []float32{}}, Labels: []int32{}}},
		{"no labels", &data.Set{Logits: data.NewMatrix(3, 2)}},
		{"label too large", &data.Set{Logits: data.NewMatrix(1, 2), Labels: []int32{2}}},
		{"label negative", &data.Set{Logits: data.NewMatrix(1, 2), Labels: []int32{-1}}},
	} {
		for _, name := range temperatureMethods[1:] { // uncal reads nothing
			e := entry(name)
			m, err := e.New().Method()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := calib.FitInput(context.Background(), m, calib.Input{Cal: c.set, Target: c.set}); err == nil {
				t.Errorf("%s, %s: no error", c.name, name)
			}
		}
	}
}

func TestCancelledFitsReturnTheErrorOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	set := testset.Simulated(10, 3, 1, 1, 1)
	for _, name := range temperatureMethods {
		e := entry(name)
		m, err := e.New().Method()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := calib.FitInput(ctx, m, calib.Input{Cal: set, Target: set}); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A fitted map does not change when the arrays of the fit change.
func TestMapsKeepNoArrays(t *testing.T) {
	test := testset.Simulated(20, 3, 2, 1, 2)
	for _, name := range temperatureMethods {
		set := testset.Ranked(100, 3, testset.Falling, 9)
		m := fitAny(t, name, set).Map
		before := calibtest.Apply(m, test.Logits)
		for i := range set.Logits.Data {
			set.Logits.Data[i] = float32(math.NaN())
		}
		if !slices.Equal(before.Data, calibtest.Apply(m, test.Logits).Data) {
			t.Errorf("%s: the map reads the calibration arrays", name)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for _, c := range []struct{ n, k int }{{5000, 10}, {25000, 1000}} {
		var set *data.Set
		for _, name := range []string{"ts", "qats", "qats-pw"} {
			b.Run(fmt.Sprintf("method=%s/n=%d/k=%d", name, c.n, c.k), func(b *testing.B) {
				if set == nil {
					set = testset.Simulated(c.n, c.k, 5, 1.6, 1)
				}
				b.SetBytes(int64(4 * c.n * c.k))
				var f *calib.Fitted
				for b.Loop() {
					f = calibtest.Fit(b, entry(name), set, nil)
				}
				b.ReportMetric(f.Report.Passes, "passes")
			})
		}
	}
}

func BenchmarkApply(b *testing.B) {
	const n, k = 5000, 100
	set := testset.Simulated(n, k, 5, 1.6, 1)
	for _, name := range []string{"ts", "qats"} {
		b.Run(fmt.Sprintf("method=%s/n=%d/k=%d", name, n, k), func(b *testing.B) {
			m := calibtest.Fit(b, entry(name), set, nil).Map
			dst := data.NewProbs(n, k)
			b.SetBytes(4 * n * k)
			for b.Loop() {
				calib.Apply(m, dst, set)
			}
		})
	}
}
