//go:build amd64 && !purego

package linear

import "github.com/qats-bench/qats/internal/kernel/cpu"

// callElements is the largest number of elements in one call of vector code: such
// code cannot be interrupted, and the collector would wait for it. It takes about
// 50 microseconds.
const callElements = 1 << 17

// Each function below runs the vector code of on on as many elements as it can, and
// returns how many these are. Lengths have been checked.

// vectorDots takes eight rows at a time, or four at the end, and returns the number
// of finished rows. In an incomplete group the last row stands in for the missing
// ones.
func vectorDots(on cpu.Instructions, dst, v []float64, x Rows) int {
	n := len(v) &^ 3
	if on == portable || n == 0 {
		return 0
	}
	var at [8]int
	var sums [8][4]float64
	for i := 0; i < len(dst); i += len(at) {
		left := min(len(at), len(dst)-i)
		x.offsets(at[:left], i)
		for r := left; r < len(at); r++ {
			at[r] = at[left-1]
		}
		next := &x.Data[x.begin(min(i+len(at), len(dst)-1))]
		if left > 4 {
			dots8AVX2(&sums[0], &v[0], &x.Data[0], &at[0], n, next)
		} else {
			dots4AVX2(&sums[0], &v[0], &x.Data[0], &at[0], n, next)
		}
		for r := range left {
			s := &sums[r]
			if n < len(v) {
				dst[i+r] = fold(*s, v[n:], x.row(i + r)[n:])
				continue
			}
			dst[i+r] = (s[0] + s[1]) + (s[2] + s[3])
		}
	}
	return len(dst)
}

// vectorAdd returns the number of finished columns.
func vectorAdd(on cpu.Instructions, dst, c []float64, x Rows) int {
	n := len(dst) &^ 7
	if on == portable || n == 0 {
		return 0
	}
	var at [256]int
	size := min(len(at), max(1, callElements/n))
	for ; len(c) > 0; c = c[size:] {
		size = min(size, len(c))
		x.offsets(at[:size], 0)
		if on == avx512 {
			sumAVX512(&dst[0], n, &c[0], &x.Data[0], &at[0], size)
		} else {
			sumAVX2(&dst[0], n, &c[0], &x.Data[0], &at[0], size)
		}
		x = x.after(size)
	}
	return n
}

// vectorLine returns the number of finished elements and the index of the largest
// of them.
func vectorLine(on cpu.Instructions, dst, a, s []float64, c float64) (done, top int) {
	n := len(dst) &^ 7
	switch {
	case on == portable || n == 0:
		return 0, 0
	case on == avx512:
		return n, lineAVX512(&dst[0], &a[0], &s[0], c, n)
	}
	return n, lineAVX2(&dst[0], &a[0], &s[0], c, n)
}

// vectorGaps returns the number of finished elements.
func vectorGaps(on cpu.Instructions, dst []float32, z []float64, largest float64) int {
	n := len(dst) &^ 7
	switch {
	case on == portable || n == 0:
		return 0
	case on == avx512:
		gapsAVX512(&dst[0], &z[0], largest, n)
	default:
		gapsAVX2(&dst[0], &z[0], largest, n)
	}
	return n
}

// vectorDivide returns the number of finished elements.
func vectorDivide(on cpu.Instructions, v []float64, by float64) int {
	n := len(v) &^ 7
	switch {
	case on == portable || n == 0:
		return 0
	case on == avx512:
		divideAVX512(&v[0], by, n)
	default:
		divideAVX2(&v[0], by, n)
	}
	return n
}

// vectorTile reports whether there is vector code.
func vectorTile(on cpu.Instructions, sums []float64, x *[tileRows][]float64, panel []float64) bool {
	switch on {
	case avx512:
		tileAVX512(&sums[0], &x[0][0], &x[1][0], &x[2][0], &x[3][0], &panel[0], len(x[0]))
	case avx2:
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

//go:noescape
func dots4AVX2(dst *[4]float64, v *float64, x *float32, at *int, n int, next *float32)

//go:noescape
func dots8AVX2(dst *[4]float64, v *float64, x *float32, at *int, n int, next *float32)

//go:noescape
func sumAVX512(dst *float64, n int, c *float64, x *float32, at *int, rows int)

//go:noescape
func sumAVX2(dst *float64, n int, c *float64, x *float32, at *int, rows int)

//go:noescape
func lineAVX512(dst, a, s *float64, c float64, n int) (top int)

//go:noescape
func lineAVX2(dst, a, s *float64, c float64, n int) (top int)

//go:noescape
func gapsAVX512(dst *float32, z *float64, largest float64, n int)

//go:noescape
func gapsAVX2(dst *float32, z *float64, largest float64, n int)

//go:noescape
func divideAVX512(v *float64, by float64, n int)

//go:noescape
func divideAVX2(v *float64, by float64, n int)
