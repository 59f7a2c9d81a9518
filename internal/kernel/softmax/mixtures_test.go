package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

func newMixture(n int) *Mixture {
	of := func() []float64 { return make([]float64, n) }
	return &Mixture{of(), of(), of(), of()}
}

func (m *Mixture) all() [4][]float64 { return [4][]float64{m.Loss, m.First, m.Second, m.Rate} }

// TestMixturesFollowTheirDefinition: Loss, shares and rate agree with logarithms of sums of
// exponentials, where these do not overflow.
func TestMixturesFollowTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 41))
	const n = 200
	var a, f, g [n]float64
	for i := range n {
		a[i], f[i], g[i] = 8*rng.NormFloat64(), 20*rng.Float64(), 20*rng.Float64()
	}
	got := newMixture(n)
	Mixtures(got, a[:], f[:], g[:])
	for i := range n {
		whole := math.Exp(a[i]) + math.Exp(-a[i])
		first, second := math.Exp(a[i]-f[i]), math.Exp(-a[i]-g[i])
		part := first + second
		for k, want := range []float64{math.Log(whole / part), first / part, second / part, math.Exp(a[i])/whole - first/part} {
			if v := got.all()[k][i]; !(math.Abs(v-want) <= 1e-13*max(1, math.Abs(want))) {
				t.Errorf("number %d of a = %v, f = %v, g = %v: %v, want %v", k, a[i], f[i], g[i], v, want)
			}
		}
	}
}

// TestMixturesHaveTheSameBits for all instructions and at any position, also where exponentials are 0,
// and a NaN makes its Loss NaN.
func TestMixturesHaveTheSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 43))
	hard := []float64{0, math.Copysign(0, -1), 1, 354, -354, 354.1, 708, 709, 1e6, -1e6, 5e-324, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	for n := range 40 {
		for round := range 20 {
			var x [3][]float64
			for k := range x {
				x[k] = make([]float64, n)
				for i := range x[k] {
					if x[k][i] = 10 * rng.NormFloat64(); k > 0 {
						x[k][i] = math.Abs(x[k][i])
					}
					if round%3 == 2 && rng.IntN(8) == 0 {
						x[k][i] = hard[rng.IntN(len(hard))]
					}
				}
			}
			want := newMixture(n)
			mixtures(portable, want, x[0], x[1], x[2])
			for i := range n {
				if (math.IsNaN(x[0][i]) || math.IsNaN(x[1][i]) || math.IsNaN(x[2][i])) && !math.IsNaN(want.Loss[i]) {
					t.Fatalf("Loss %v of %v, %v, %v", want.Loss[i], x[0][i], x[1][i], x[2][i])
				}
			}
			for _, on := range cpu.Available() {
				got := newMixture(n)
				mixtures(on, got, x[0], x[1], x[2])
				for k, v := range got.all() {
					for i, v := range v {
						if w := want.all()[k][i]; math.Float64bits(v) != math.Float64bits(w) && !(math.IsNaN(v) && math.IsNaN(w)) {
							t.Fatalf("%v: number %d of row %d of %d (%v, %v, %v): %v, want %v", on, k, i, n, x[0][i], x[1][i], x[2][i], v, w)
						}
					}
				}
			}
		}
	}
}

// TestQuinticsAreSumsInOrder, for all instructions and lengths.
func TestQuinticsAreSumsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 45))
	for n := range 40 {
		var q Quintic
		var x [7][]float64
		for k := range x {
			q.Value[k], q.Slope[k] = rng.NormFloat64(), rng.NormFloat64()
			x[k] = make([]float64, n)
			for i := range x[k] {
				x[k][i] = math.Exp(20 * rng.NormFloat64())
			}
		}
		for _, on := range cpu.Available() {
			value, slope := make([]float64, n), make([]float64, n)
			q.quintics(on, value, slope, &x)
			for i := range n {
				v, s := 0.0, 0.0
				for k := range x {
					v += float64(q.Value[k] * x[k][i])
					s += float64(q.Slope[k] * x[k][i])
				}
				if value[i] != v || slope[i] != s {
					t.Fatalf("%v, row %d of %d: %v with slope %v, want %v with %v", on, i, n, value[i], slope[i], v, s)
				}
			}
		}
	}
}

// TestMixturesPanicOnMisuse before vector code sees the slices.
func TestMixturesPanicOnMisuse(t *testing.T) {
	four, eight := make([]float64, 4), make([]float64, 8)
	columns := func(of []float64) *[7][]float64 { return &[7][]float64{eight, eight, eight, eight, eight, eight, of} }
	for name, f := range map[string]func(){
		"losses":  func() { Mixtures(newMixture(8), eight, eight, four) },
		"results": func() { Mixtures(&Mixture{eight, eight, four, eight}, eight, eight, eight) },
		"numbers": func() { new(Quintic).Quintics(eight, eight, columns(four)) },
		"slopes":  func() { new(Quintic).Quintics(eight, four, columns(eight)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// BenchmarkMixtures of 256 rows.
func BenchmarkMixtures(b *testing.B) {
	for _, on := range cpu.Available() {
		b.Run(fmt.Sprintf("kernel=%v", on), func(b *testing.B) {
			dst, x := newMixture(256), make([]float64, 256)
			for i := range x {
				x[i] = float64(i) / 64
			}
			for b.Loop() {
				mixtures(on, dst, x, x, x)
			}
		})
	}
}
