package softmax

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestKernelsAgree: whatever the kernel is written in, the same bits.
func TestKernelsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 21))
	for _, k := range []int{1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 33, 63, 64, 65, 71, 72, 100, 127, 128, 129, 257, 1000, 1003} {
		for _, n := range []int{1, 2, 7, 8, 9, 20} {
			spread := []float64{0.01, 1, 10, 300, 1e30}[rng.IntN(5)]
			l := randomRows(n, k, spread, rng.Uint64())
			for range rng.IntN(n * k) { // ties
				l[rng.IntN(n*k)] = l[rng.IntN(n*k)]
			}
			scale := make([]float64, n)
			for i := range scale {
				scale[i] = []float64{0, 1e-3, 0.7, 1, 1 / 3., 5, 1e305}[rng.IntN(7)]
			}
			want, got := make([]Moments, n), make([]Moments, n)
			for _, s := range [][]float64{scale, scale[:1]} {
				rows(portable, want, l, k, s)
				for _, on := range available() {
					rows(on, got, l, k, s)
					for i := range want {
						if got[i] != want[i] {
							t.Errorf("%v, %d rows of %d: row %d at %g: %s", on, n, k, i, s[i%len(s)], difference(got[i], want[i]))
						}
					}
				}
			}
		}
	}
}

func difference(got, want Moments) string { return fmt.Sprintf("%v, want %v", got, want) }
