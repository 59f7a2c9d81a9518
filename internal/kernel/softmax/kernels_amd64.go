//go:build amd64 && !purego

package softmax

import "math"

// callLogits is the largest number of logits in one call of vector code: such code
// cannot be interrupted, and the collector would wait for it. It takes about 50
// microseconds.
const callLogits = 1 << 16

// Each function below runs the vector code of on and reports whether there is
// vector code for such rows. Lengths have been checked. Only rows has code in AVX-512:
// a processor with AVX-512 runs all else in AVX2, which it has, too.

func vectorRows(on instructions, dst []Moments, logits []float32, k int, scale []float64) bool {
	if on == portable {
		return false
	}
	step := 0
	if len(scale) > 1 {
		step = 1
	}
	if k < narrow {
		return rowsAbreast(dst, logits, k, scale, step)
	}
	for n, i := max(1, callLogits/k), 0; i < len(dst); i += n {
		n := min(n, len(dst)-i)
		if on == avx512 {
			rowsAVX512(&dst[i], &logits[i*k], n, k, &scale[i*step], 8*step)
		} else {
			rowsAVX2(&dst[i], &logits[i*k], n, k, &scale[i*step], 8*step)
		}
	}
	return true
}

// rowsAbreast takes eight rows at a time; the last eight may overlap the ones
// before. Fewer rows than eight are left to portable code.
func rowsAbreast(dst []Moments, logits []float32, k int, scale []float64, step int) bool {
	n := len(dst)
	if n < 8 || k == 0 {
		return false
	}
	var same [8]float64
	for i := range same {
		same[i] = scale[0]
	}
	run := func(i, turns int) {
		from := &same[0]
		if step == 1 {
			from = &scale[i]
		}
		rowsAbreastAVX2(&dst[i], &logits[i*k], turns, k, from, 64*step)
	}
	for size, i := callLogits/(8*k), 0; i+8 <= n; i += 8 * size {
		run(i, min(size, (n-i)/8))
	}
	if n%8 != 0 {
		run(n-8, 1)
	}
	return true
}

func vectorScores(on instructions, dst []Score, top []int32, logits []float32, k int, scales []float64) bool {
	m := len(scales) / len(top)
	if on == portable || m == 0 {
		return false
	}
	if k < narrow {
		return scoresAbreast(dst, top, logits, k, scales, m)
	}
	for n, i := max(1, callLogits/(k*m)), 0; i < len(top); i += n {
		n := min(n, len(top)-i)
		scoresAVX2(&dst[i*m], &top[i], &logits[i*k], n, k, &scales[i*m], m)
	}
	return true
}

// scoresAbreast is like rowsAbreast. Scales and scores are transposed for vector
// code: eight rows stand together.
func scoresAbreast(dst []Score, top []int32, logits []float32, k int, scales []float64, m int) bool {
	n := len(top)
	if n < 8 || k == 0 {
		return false
	}
	const group = 16 // scales at a time
	var in [group][8]float64
	var out [group]struct{ tail, squares [8]float64 }
	for i := 0; i < n; i += 8 {
		i := min(i, n-8)
		for first := 0; first < m; first += group {
			c := min(group, m-first)
			for s := range c {
				for r := range 8 {
					in[s][r] = scales[(i+r)*m+first+s]
				}
			}
			scoresAbreastAVX2(&out[0].tail, &top[i], &logits[i*k], k, &in[0], c)
			for s := range c {
				for r := range 8 {
					dst[(i+r)*m+first+s] = Score{out[s].tail[r], out[s].squares[r]}
				}
			}
		}
	}
	return true
}

func vectorTails(on instructions, dst []float64, logits []float32, k int) bool {
	unit := tailUnit(k)
	switch {
	case on == portable:
		return false
	case k < narrow:
		return tailsAbreast(dst, logits, k, unit)
	}
	var block [64]counted
	for n, i := min(len(block), max(1, callLogits/k)), 0; i < len(dst); i += n {
		n := min(n, len(dst)-i)
		tailsAVX2(&block[0], &logits[i*k], n, k, unit)
		for r, c := range block[:n] {
			dst[i+r] = c.tail(unit)
		}
	}
	return true
}

// tailsAbreast is like rowsAbreast.
func tailsAbreast(dst []float64, logits []float32, k int, unit float64) bool {
	n := len(dst)
	if n < 8 {
		return false
	}
	var out countedAbreast
	for i := 0; i < n; i += 8 {
		i := min(i, n-8)
		tailsAbreastAVX2(&out, &logits[i*k], k, unit)
		for r := range 8 {
			c := counted{out.first[r], out.second[r], out.units[r], int64(out.seconds[r])}
			dst[i+r] = c.tail(unit)
		}
	}
	return true
}

// countedAbreast is counted for eight rows.
type countedAbreast struct {
	first, second [8]float32
	units         [8]int64
	seconds       [8]int32
}

func vectorProbs(on instructions, dst []float64, row []float32, scale float64) (tail float64, ok bool) {
	k := len(row)
	if on == portable || k == 0 {
		return 0, false
	}
	var largest float32
	var top, ties int
	if k < narrow {
		top, ties = peak(row)
		largest = row[top]
	} else {
		largest, top, ties = peakAVX2(&row[0], k)
		ties--
	}
	var total float64
	total = expsAVX2(&dst[0], &row[0], k, largest, scale)
	if k < narrow {
		total = sum(dst)
	}
	tail = float64(ties) + total
	s0 := 1 + tail
	conf := 1 / s0
	below := math.Nextafter(conf, 0)
	normaliseAVX2(&dst[0], &row[0], k, largest, s0, conf, below)
	dst[top] = conf
	if ties > 0 {
		for j, l := range row {
			if l == largest {
				dst[j] = conf
			}
		}
	}
	return tail, true
}

// vectorTop leaves rows of few classes to portable code.
func vectorTop(on instructions, row []float32) (top int, ok bool) {
	if on == portable || len(row) < narrow {
		return 0, false
	}
	_, top, _ = peakAVX2(&row[0], len(row))
	return top, true
}

// vectorExp returns the number of finished elements.
func vectorExp(on instructions, dst, x []float64) int {
	n := min(len(x)&^7, callLogits)
	if on == portable || n == 0 {
		return 0
	}
	return expAVX2(&dst[0], &x[0], n, &pow2)
}

// vectorLog returns the number of finished elements.
func vectorLog(on instructions, dst, x []float64) int {
	n := min(len(x)&^7, callLogits)
	if on == portable || n == 0 {
		return 0
	}
	return logAVX2(&dst[0], &x[0], n)
}

// vectorLog1p returns the number of finished elements.
func vectorLog1p(on instructions, dst, x []float64) int {
	n := min(len(x)&^7, callLogits)
	if on == portable || n == 0 {
		return 0
	}
	return log1pAVX2(&dst[0], &x[0], n)
}

// vectorMixtures returns the number of finished rows.
func vectorMixtures(on instructions, dst *Mixture, x *[3][]float64) int {
	n := len(dst.Loss) &^ 3
	if on == portable || n == 0 {
		return 0
	}
	return mixturesAVX2(&[4]*float64{&dst.Loss[0], &dst.First[0], &dst.Second[0], &dst.Rate[0]}, &[3]*float64{&x[0][0], &x[1][0], &x[2][0]}, min(n, callLogits), &pow2)
}

// vectorQuintics returns the number of finished rows.
func vectorQuintics(on instructions, q *Quintic, value, slope []float64, x *[7][]float64) int {
	n := min(len(value)&^3, callLogits)
	if on == portable || n == 0 {
		return 0
	}
	var from [7]*float64
	for k := range from {
		from[k] = &x[k][0]
	}
	quinticsAVX2(&value[0], &slope[0], &from, &q.Value, &q.Slope, n)
	return n
}

//go:noescape
func mixturesAVX2(dst *[4]*float64, x *[3]*float64, n int, powers *[128]struct{ head, rest float64 }) (done int)

//go:noescape
func quinticsAVX2(value, slope *float64, x *[7]*float64, ofValue, ofSlope *[7]float64, n int)

//go:noescape
func expAVX2(dst, x *float64, n int, powers *[128]struct{ head, rest float64 }) (done int)

//go:noescape
func logAVX2(dst, x *float64, n int) (done int)

//go:noescape
func log1pAVX2(dst, x *float64, n int) (done int)

//go:noescape
func rowsAVX512(dst *Moments, x *float32, n, k int, scale *float64, step int)

//go:noescape
func rowsAVX2(dst *Moments, x *float32, n, k int, scale *float64, step int)

//go:noescape
func scoresAVX2(dst *Score, top *int32, x *float32, n, k int, scale *float64, m int)

//go:noescape
func tailsAVX2(dst *counted, x *float32, n, k int, unit float64)

//go:noescape
func peakAVX2(x *float32, k int) (value float32, top, times int)

//go:noescape
func expsAVX2(dst *float64, x *float32, k int, largest float32, scale float64) (total float64)

//go:noescape
func normaliseAVX2(dst *float64, x *float32, k int, largest float32, s0, conf, below float64)

//go:noescape
func rowsAbreastAVX2(dst *Moments, x *float32, n, k int, scale *float64, step int)

//go:noescape
func scoresAbreastAVX2(dst *[8]float64, top *int32, x *float32, k int, scale *[8]float64, m int)

//go:noescape
func tailsAbreastAVX2(dst *countedAbreast, x *float32, k int, unit float64)
