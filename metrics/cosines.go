package metrics

import (
	"math"
	"math/bits"
)

// cosines returns the cosine sums (DCT-I) of g+1 values, g a power of two,
//
//	out_j = v_0 + (-1)^j v_g + 2 sum over 0 < i < g of v_i cos(pi i j / g),
//
// for j = 0..g: the discrete Fourier transform of v mirrored to length 2g, by
// the algorithm of Cooley and Tukey (1965).
func cosines(v []float64) []float64 {
	g := len(v) - 1
	n := 2 * g
	shift := 64 - bits.Len(uint(n-1))
	re, im := make([]float64, n), make([]float64, n)
	for i := range n {
		re[bits.Reverse64(uint64(i))>>shift] = v[min(i, n-i)]
	}
	cos, sin := make([]float64, g), make([]float64, g)
	for i := range g {
		sin[i], cos[i] = math.Sincos(math.Pi * float64(i) / float64(g))
	}
	for half := 1; half < n; half *= 2 {
		stride := g / half
		for lo := 0; lo < n; lo += 2 * half {
			for i := range half {
				c, s := cos[i*stride], sin[i*stride]
				a, b := lo+i, lo+i+half
				x := float64(c*re[b]) + float64(s*im[b])
				y := float64(c*im[b]) - float64(s*re[b])
				re[b], im[b] = re[a]-x, im[a]-y
				re[a], im[a] = re[a]+x, im[a]+y
			}
		}
	}
	return re[:g+1]
}
