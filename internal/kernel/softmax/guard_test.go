//go:build linux

package softmax

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/cpu"
	"github.com/qats-bench/qats/internal/kernel/cpu/cputest"
)

// TestNothingOutsideTheSlicesIsTouched: nothing behind the slices is read or
// written, and nothing before them is written, as canaries show.
func TestNothingOutsideTheSlicesIsTouched(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 23))
	const canary = -12345.5
	for _, k := range []int{1, 2, 3, 5, 8, 10, 15, 17, 31, 63, 64, 65, 67, 72, 95, 97, 127, 130, 1003} {
		for i, n := range []int{1, 1, 1, 8, 8, 11, 11, 11} {
			m := []int{1, 2, 4, 3, 4, 1, 3, 5}[i]
			l := cputest.Guarded[float32](t, n*k)
			copy(l, hardRows(n, k, rng))
			scales := cputest.Guarded[float64](t, n*m)
			for i := range scales {
				scales[i] = 2 * rng.Float64()
			}
			moments, sums := cputest.Guarded[Moments](t, n+1), cputest.Guarded[Score](t, n*m+1)
			top, tail, p := cputest.Guarded[int32](t, n+1), cputest.Guarded[float64](t, n+1), cputest.Guarded[float64](t, k+1)
			moments[0].Tail, sums[0].Tail, top[0], tail[0], p[0] = canary, canary, -7, canary, canary
			for _, on := range cpu.Available() {
				rows(on, moments[1:], l, k, scales[len(scales)-n:])
				rows(on, moments[1:], l, k, scales[len(scales)-1:])
				scores(on, sums[1:], top[1:], l, k, scales)
				tails(on, tail[1:], l, k)
				for i := range n {
					probs(on, p[1:], l[i*k:(i+1)*k], 1)
				}
				if moments[0] != (Moments{Tail: canary}) || sums[0] != (Score{Tail: canary}) || top[0] != -7 || tail[0] != canary || p[0] != canary {
					t.Fatalf("%v, %d rows of %d: something before the results is written", on, n, k)
				}
			}
		}
	}
}

// TestNothingOutsideMixturesIsTouched, as above.
func TestNothingOutsideMixturesIsTouched(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, 8, 31} {
		of := func(n int) []float64 { return cputest.Guarded[float64](t, n) }
		x := [7][]float64{of(n), of(n), of(n), of(n), of(n), of(n), of(n)}
		dst := [4][]float64{of(n + 1), of(n + 1), of(n + 1), of(n + 1)}
		const canary = -12345.5
		for _, d := range dst {
			d[0] = canary
		}
		for _, on := range cpu.Available() {
			mixtures(on, &Mixture{dst[0][1:], dst[1][1:], dst[2][1:], dst[3][1:]}, x[0], x[1], x[2])
			new(Quintic).quintics(on, dst[0][1:], dst[1][1:], &x)
			for _, d := range dst {
				if d[0] != canary {
					t.Fatalf("%v, %d rows: something before the results is written", on, n)
				}
			}
		}
	}
}

// TestNonFiniteLogitsDoNoHarm: values that package data rejects give no result, and
// no panic or write out of bounds.
func TestNonFiniteLogitsDoNoHarm(t *testing.T) {
	for _, k := range []int{1, 2, 10, 63, 64, 200} {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			const n = 9
			l := cputest.Guarded[float32](t, n*k)
			for i := range l {
				l[i] = float32(v)
			}
			for _, on := range cpu.Available() {
				m := make([]Moments, n)
				rows(on, m, l, k, []float64{1})
				for i := range m {
					if top := m[i].Top; top < 0 || int(top) >= k {
						t.Errorf("%v: row of %d times %g has its top at %d", on, k, v, top)
					}
				}
				tails(on, make([]float64, n), l, k)
				scores(on, make([]Score, n), make([]int32, n), l, k, make([]float64, n))
				probs(on, make([]float64, k), l[:k], 1)
			}
		}
	}
}
