package softmax

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

// TestEachNumberHasTheBitsOfTheSingleFunction: Exps, Logs and Log1ps have the bits
// of Exp, Log and Log1p, for all instructions and at any position, also at the ends
// of the ranges.
func TestEachNumberHasTheBitsOfTheSingleFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 31))
	hard := []float64{0, math.Copysign(0, -1), 1, -1, expLo, expHi, math.Nextafter(expLo, -1000), math.Nextafter(expHi, 1000),
		-745.2, 5e-324, 0x1p-1022, 0x1p-1023, math.MaxFloat64, math.Sqrt2 / 2, math.Sqrt2, math.Nextafter(math.Sqrt2, 2), 2,
		math.Nextafter(1, 0), math.Nextafter(1, 2), 0x1p-53, math.Nextafter(0x1p-53, 0), math.Nextafter(0x1p-53, 1), 0x1p-52, 1e-300, math.Inf(1), math.Inf(-1), math.NaN()}
	draw := func() float64 {
		switch rng.IntN(5) {
		case 0:
			return 1 + 99*rng.Float64()
		case 1:
			return math.Exp(1400*rng.Float64() - 700)
		case 2:
			return 1400*rng.Float64() - 700
		}
		return -20 * rng.Float64()
	}
	for n := range 70 {
		for round := range 12 {
			x := make([]float64, n)
			for i := range x {
				if x[i] = draw(); round%4 == 3 && rng.IntN(20) == 0 {
					x[i] = hard[rng.IntN(len(hard))]
				}
				if round%4 == 1 {
					x[i] = math.Abs(x[i])
				}
			}
			for _, f := range []struct {
				name string
				each func(on instructions, dst, x []float64)
				one  func(float64) float64
			}{{"Exps", eachExp, Exp}, {"Logs", eachLog, Log}, {"Log1ps", eachLog1p, Log1p}} {
				for _, on := range cpu.Available() {
					got := append([]float64(nil), x...)
					f.each(on, got, got)
					for i, v := range got {
						if want := f.one(x[i]); math.Float64bits(v) != math.Float64bits(want) && !(math.IsNaN(v) && math.IsNaN(want)) {
							t.Fatalf("%v: %s of %v, number %d of %d: %v, want %v", on, f.name, x[i], i, n, v, want)
						}
					}
				}
			}
		}
	}
	for _, v := range hard {
		x := []float64{1, 2, 3, v, 5, 6, 7, 8, 9, 10}
		for _, on := range cpu.Available() {
			got := make([]float64, len(x))
			if eachExp(on, got, x); math.Float64bits(got[3]) != math.Float64bits(Exp(v)) && !math.IsNaN(v) {
				t.Errorf("%v: Exp of %v: %v", on, v, got[3])
			}
			if eachLog(on, got, x); math.Float64bits(got[3]) != math.Float64bits(Log(v)) && !math.IsNaN(got[3]) {
				t.Errorf("%v: Log of %v: %v", on, v, got[3])
			}
			if eachLog1p(on, got, x); math.Float64bits(got[3]) != math.Float64bits(Log1p(v)) && !math.IsNaN(got[3]) {
				t.Errorf("%v: Log1p of %v: %v", on, v, got[3])
			}
		}
	}
}

// BenchmarkEachNumber of Exps, Logs and Log1ps, 256 numbers at a time.
func BenchmarkEachNumber(b *testing.B) {
	for _, on := range cpu.Available() {
		x, dst := make([]float64, 256), make([]float64, 256)
		for i := range x {
			x[i] = 1 + float64(i)/256
		}
		b.Run("of=exp/kernel="+on.String(), func(b *testing.B) {
			for b.Loop() {
				eachExp(on, dst, x)
			}
		})
		b.Run("of=log1p/kernel="+on.String(), func(b *testing.B) {
			for b.Loop() {
				eachLog1p(on, dst, x)
			}
		})
		b.Run("of=log/kernel="+on.String(), func(b *testing.B) {
			for b.Loop() {
				eachLog(on, dst, x)
			}
		})
	}
}
