// Package linear does the arithmetic of features and last layers: sums of rows of
// features, products of a block of rows with the weights of a layer, inner products,
// and lines in the space of logits.
//
// The portable functions are the specification: float64, every product and every
// sum rounded separately, in an order that the comments state. No product is fused
// with its sum: without vector instructions, Go would be slow at it, and the BLAS of
// gonum, which leaves that to the compiler, has other bits on other processors.
//
// Times has AVX2 code, which a program in internal/kernel/gen/linear writes (`make
// generate`). It computes several sums side by side, each in that order, and so returns
// the same bits. The distances between all pairs of rows are products of this kind, and
// they are two thirds of the time of procal and dac. With plain loops both take three
// times as long, and procal longer than its reference (docs/evidence.md#speed). Line and Gaps
// have AVX2 code for featclip. None has AVX-512 code: package softmax says why.
//
// Whoever changes the bits of a function raises the versions of the methods that
// use it.
package linear

import (
	"fmt"
	"slices"
)

// callNumbers is the largest number of numbers in one call of vector code, which cannot be
// interrupted. It is a multiple of 4.
const callNumbers = 1 << 16

// Rows are rows of a row-major matrix of float32, Width numbers each: the rows
// listed in Which, or all rows from the first if it is nil.
type Rows struct {
	Data  []float32
	Width int
	Which []int
}

// count returns the number of rows, and panics if one of them is not in Data.
func (r Rows) count() int {
	if r.Width <= 0 {
		panic(fmt.Sprintf("linear: rows of %d numbers", r.Width))
	}
	all := len(r.Data) / r.Width
	if r.Which == nil {
		return all
	}
	for _, row := range r.Which {
		if row < 0 || row >= all {
			panic(fmt.Sprintf("linear: row %d of %d", row, all))
		}
	}
	return len(r.Which)
}

// begin returns the offset of row i in Data.
func (r Rows) begin(i int) int {
	if r.Which != nil {
		i = r.Which[i]
	}
	return i * r.Width
}

func (r Rows) row(i int) []float32 {
	at := r.begin(i)
	return r.Data[at : at+r.Width : at+r.Width]
}

// Inner returns the inner product of a and b: eight sums, by index mod 8, that are
// folded in half, ((s_0 + s_4) + (s_2 + s_6)) + ((s_1 + s_5) + (s_3 + s_7)). It
// panics if the lengths differ.
func Inner(a, b []float64) float64 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("linear: Inner: %d and %d numbers", len(a), len(b)))
	}
	var s [8]float64
	n := len(a) &^ 7
	for c := 0; c < 8; c += 4 { // four sums stay in registers
		s0, s1, s2, s3 := 0., 0., 0., 0.
		for j := c; j+4 <= n; j += 8 {
			v, w := a[j:j+4:j+4], b[j:j+4:j+4]
			s0 += float64(v[0] * w[0])
			s1 += float64(v[1] * w[1])
			s2 += float64(v[2] * w[2])
			s3 += float64(v[3] * w[3])
		}
		s[c], s[c+1], s[c+2], s[c+3] = s0, s1, s2, s3
	}
	for j := n; j < len(a); j++ {
		s[j-n] += float64(a[j] * b[j])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// Add adds c_0 times the first row, c_1 times the second one and so on to dst, each
// element in the order of the rows. It panics unless c has one element a row and
// dst has the width of the rows.
func Add(dst, c []float64, x Rows) {
	if n := x.count(); len(c) != n || len(dst) != x.Width {
		panic(fmt.Sprintf("linear: Add: %d factors of %d rows of %d added to %d", len(c), n, x.Width, len(dst)))
	}
	for i, c := range c {
		row := x.row(i)
		dst := dst[:len(row)]
		for j, v := range row {
			dst[j] += float64(c * float64(v))
		}
	}
}

// Line writes a + c s to dst, which may be a, with the product rounded before it is
// added, and returns the lowest index of the largest element. It panics if a slice is
// empty or their lengths differ.
func Line(dst, a, s []float64, c float64) (top int) { return line(vector, dst, a, s, c) }

func line(vector bool, dst, a, s []float64, c float64) (top int) {
	if len(dst) == 0 || len(a) != len(dst) || len(s) != len(dst) {
		panic(fmt.Sprintf("linear: Line: %d elements of %d and %d", len(dst), len(a), len(s)))
	}
	done := 0
	if most := a[0] + float64(c*s[0]); vector && len(dst) >= 4 && most == most { // nothing is larger than a NaN
		done = min(len(dst)&^3, callNumbers)
		lineAVX2(&dst[0], &a[0], &s[0], &c, &most, done)
		top = slices.Index(dst, most)
	}
	for j := done; j < len(dst); j++ {
		dst[j] = a[j] + float64(c*s[j])
		if dst[j] > dst[top] {
			top = j
		}
	}
	return top
}

// Gaps writes the differences z - largest as float32, each rounded once from
// float64. It panics if the lengths differ.
func Gaps(dst []float32, z []float64, largest float64) { gaps(vector, dst, z, largest) }

func gaps(vector bool, dst []float32, z []float64, largest float64) {
	if len(dst) != len(z) {
		panic(fmt.Sprintf("linear: Gaps: %d of %d numbers", len(dst), len(z)))
	}
	done := 0
	if vector && len(z) >= 4 {
		done = min(len(z)&^3, callNumbers)
		gapsAVX2(&dst[0], &z[0], &largest, done)
	}
	for j := done; j < len(z); j++ {
		dst[j] = float32(z[j] - largest)
	}
}

// Divide divides each element of v.
func Divide(v []float64, by float64) {
	for j := range v {
		v[j] /= by
	}
}
