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

// vectorLine writes a + c s for some first numbers, and returns how many; most becomes the largest of
// it and them. A processor with AVX-512 has AVX2, too.
func vectorLine(on cpu.Instructions, dst, a, s []float64, c float64, most *float64) int {
	n := min(len(dst)&^3, callNumbers)
	if on == cpu.Portable || n == 0 {
		return 0
	}
	lineAVX2(&dst[0], &a[0], &s[0], &c, most, n)
	return n
}

// vectorGaps writes z - largest for some first numbers, and returns how many.
func vectorGaps(on cpu.Instructions, dst []float32, z []float64, largest float64) int {
	n := min(len(dst)&^3, callNumbers)
	if on == cpu.Portable || n == 0 {
		return 0
	}
	gapsAVX2(&dst[0], &z[0], &largest, n)
	return n
}

// callNumbers is the largest number of numbers in one call of vector code, which cannot be
// interrupted.
const callNumbers = 1 << 16

//go:noescape
func lineAVX2(dst, a, s, c, most *float64, n int)

//go:noescape
func gapsAVX2(dst *float32, z, largest *float64, n int)

//go:noescape
func tileAVX512(dst, x0, x1, x2, x3, panel *float64, d int)

//go:noescape
func tileAVX2(dst, x0, x1, x2, x3, panel *float64, d int)
