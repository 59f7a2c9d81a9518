package softmax

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

// With FillTiny probabilities keep their value down to 1e-300 and below, with and
// without vector code, at any scale and in rows of any length.
func TestFillTinyKeepsValuesDownTo1em300(t *testing.T) {
	for _, on := range cpu.Available() {
		for _, k := range []int{2, 3, 9, 64, 1000} {
			for _, scale := range []float64{1, 0.4, 2.5} {
				row, dst := make([]float32, k), make([]float64, k)
				for gap := 600.0; gap < 745; gap += 0.37 {
					for j := range row {
						row[j] = float32((float64(j%7) - gap - 10) / scale)
					}
					row[0] = 3
					probs(on, dst, row, scale)
					FillTiny(dst, row, scale)
					for j := 1; j < k; j++ {
						want := math.Exp(scale * (float64(row[j]) - 3))
						if got := dst[j]; !(math.Abs(got-want) <= 1e-12*want+1e-320) {
							t.Fatalf("%v, k = %d, scale %v, gap %v, class %d: %g, want %g", on, k, scale, gap, j, got, want)
						}
					}
				}
			}
		}
	}
}
