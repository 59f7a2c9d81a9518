//go:build linux

package linear

import (
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/cpu/cputest"
)

// TestNothingOutsideTheSlicesIsTouched: nothing behind the slices is read or
// written, and nothing before them is written, as canaries show.
func TestNothingOutsideTheSlicesIsTouched(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const canary = -12345.5
	for _, n := range []int{1, 7, 8, 9, 17} {
		for _, width := range []int{1, 3, 4, 7, 8, 11, 16, 25, 40} {
			x := Rows{Data: cputest.Guarded[float32](t, n*width), Width: width}
			copy(x.Data, numbers[float32](n*width, rng))
			v, c := cputest.Guarded[float64](t, width), cputest.Guarded[float64](t, n)
			sum := cputest.Guarded[float64](t, width+1)
			gap := cputest.Guarded[float32](t, width+1)
			wide := cputest.Guarded[float64](t, n*width) // n rows of the product
			out := cputest.Guarded[float64](t, n*n+1)
			sum[0], gap[0], out[0] = canary, canary, canary
			Add(sum[1:], c, x)
			Inner(v, sum[1:])
			Divide(sum[1:], 2)
			for _, vector := range kernels {
				line(vector, sum[1:], v, v, 1)
				gaps(vector, gap[1:], v, 1)
				pack(vector, x.Data, n, width).Times(out[1:], wide)
				if sum[0] != canary || gap[0] != canary || out[0] != canary {
					t.Fatalf("vector %v, %d rows of %d: something before the results is written", vector, n, width)
				}
			}
		}
	}
}
