package linear

import (
	"fmt"
	"slices"
)

// Packed is a matrix W of k rows of d weights, arranged for products with rows of d
// numbers: neighbouring rows stand side by side in a panel. It is immutable and safe for
// concurrent use.
type Packed struct {
	k, d   int
	vector bool
	width  int       // of a panel; the last one is filled up with zeros
	panels []float64 // ceil(k/width) of d x width
}

// Rows returns k.
func (p *Packed) Rows() int { return p.k }

// Pack arranges the row-major k x d matrix w, which it copies. It panics unless k
// >= 0, d >= 1 and w has k d elements.
func Pack[T float32 | float64](w []T, k, d int) *Packed { return pack(vector, w, k, d) }

func pack[T float32 | float64](vector bool, w []T, k, d int) *Packed {
	if k < 0 || d < 1 || len(w) != k*d {
		panic(fmt.Sprintf("linear: Pack: %d weights of %d rows of %d", len(w), k, d))
	}
	p := &Packed{k: k, d: d, vector: vector, width: portableWidth}
	if vector {
		p.width = vectorWidth
	}
	p.panels = make([]float64, (k+p.width-1)/p.width*d*p.width)
	for j := 0; j < k; j += p.width {
		panel := p.panels[j*d : (j+p.width)*d]
		rows := w[j*d : min(j+p.width, k)*d]
		for c := range d {
			place := panel[c*p.width : (c+1)*p.width]
			for at := c; at < len(rows); at += d {
				place[0], place = float64(rows[at]), place[1:]
			}
		}
	}
	return p
}

// A tile is the product of some rows with a panel: its sums fit into registers.
const (
	tileRows      = 4
	vectorWidth   = 12 // of a panel, for AVX2
	portableWidth = 2
)

// Tiles of at most blockRows rows are multiplied with blockDepth weights a row of a
// panel, which stay in the nearest cache.
const (
	blockRows  = 32
	blockDepth = 128
)

// Times writes x W' to dst, row-major: x has n rows of d numbers, dst n rows of k.
// Every element is summed over d in order, from 0, for any position. It panics if
// the lengths do not agree.
func (p *Packed) Times(dst, x []float64) {
	n := len(x) / p.d
	if len(x) != n*p.d || len(dst) != n*p.k {
		panic(fmt.Sprintf("linear: Times: %d elements of %d x %d with %d x %d", len(dst), len(x), p.d, p.k, p.d))
	}
	var sums [blockRows * vectorWidth]float64
	for rows := range slices.Chunk(x, blockRows*p.d) {
		for j := 0; j < p.k; j += p.width {
			p.block(&sums, rows, j)
			for r := range len(rows) / p.d {
				copy(dst[r*p.k+j:][:min(p.width, p.k-j)], sums[r*p.width:])
			}
		}
		dst = dst[len(rows)/p.d*p.k:]
	}
}

// block writes the products of some rows with the panel of row j to sums, in rows of the
// width of the panel.
func (p *Packed) block(sums *[blockRows * vectorWidth]float64, x []float64, j int) {
	n := len(x) / p.d
	clear(sums[:n*p.width])
	for c := 0; c < p.d; c += blockDepth {
		depth := min(blockDepth, p.d-c)
		panel := p.panels[j*p.d+c*p.width:][:depth*p.width]
		for r := 0; r < n; r += tileRows {
			var of [tileRows][]float64
			for t := range of { // the last row stands in for missing ones
				at := min(r+t, n-1)*p.d + c
				of[t] = x[at : at+depth]
			}
			tile := sums[r*p.width : (r+tileRows)*p.width]
			if p.vector {
				tileAVX2(&tile[0], &of[0][0], &of[1][0], &of[2][0], &of[3][0], &panel[0], depth)
			} else {
				portableTile((*[tileRows * portableWidth]float64)(tile), &of, panel)
			}
		}
	}
}

// portableTile adds the products of four rows with a panel of two.
func portableTile(sums *[tileRows * portableWidth]float64, x *[tileRows][]float64, panel []float64) {
	d := len(x[0])
	x0, x1, x2, x3 := x[0], x[1][:d], x[2][:d], x[3][:d]
	a0, b0, a1, b1 := sums[0], sums[1], sums[2], sums[3]
	a2, b2, a3, b3 := sums[4], sums[5], sums[6], sums[7]
	for c := range x0 {
		pair := panel[2*c:][:2]
		v, w := pair[0], pair[1]
		a0 += float64(x0[c] * v)
		b0 += float64(x0[c] * w)
		a1 += float64(x1[c] * v)
		b1 += float64(x1[c] * w)
		a2 += float64(x2[c] * v)
		b2 += float64(x2[c] * w)
		a3 += float64(x3[c] * v)
		b3 += float64(x3[c] * w)
	}
	sums[0], sums[1], sums[2], sums[3] = a0, b0, a1, b1
	sums[4], sums[5], sums[6], sums[7] = a2, b2, a3, b3
}
