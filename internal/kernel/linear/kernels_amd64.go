//go:build amd64 && !purego

package linear

import "github.com/qats-bench/qats/internal/kernel/cpu"

// vectorTile adds the products of four rows with a panel to sums, and reports whether on has
// vector code for it.
func vectorTile(on cpu.Instructions, sums []float64, x *[tileRows][]float64, panel []float64) bool {
	switch on {
	case cpu.AVX512:
		tileAVX512(&sums[0], &x[0][0], &x[1][0], &x[2][0], &x[3][0], &panel[0], len(x[0]))
	case cpu.AVX2:
		tileAVX2(&sums[0], &x[0][0], &x[1][0], &x[2][0], &x[3][0], &panel[0], len(x[0]))
	default:
		return false
	}
	return true
}

//go:noescape
func tileAVX512(dst, x0, x1, x2, x3, panel *float64, d int)

//go:noescape
func tileAVX2(dst, x0, x1, x2, x3, panel *float64, d int)
