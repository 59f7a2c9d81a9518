package linear

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

// Packed is a matrix W of k rows of d weights, arranged for products with rows of d
// numbers: neighbouring rows stand side by side in a panel. Only PackColumns changes it;
// otherwise it is safe for concurrent use.
type Packed struct {
	k, d   int
	on     cpu.Instructions
	width  int       // of a panel; the last one is filled up with zeros
	panels []float64 // ceil(k/width) of d x width
}

// Rows returns k.
func (p *Packed) Rows() int { return p.k }

// Pack arranges the row-major k x d matrix w, which it copies. It panics unless k
// >= 0, d >= 1 and w has k d elements.
func Pack[T float32 | float64](w []T, k, d int) *Packed { return pack(cpu.Best(), w, k, d) }

func pack[T float32 | float64](on cpu.Instructions, w []T, k, d int) *Packed {
	if k < 0 || d < 1 || len(w) != k*d {
		panic(fmt.Sprintf("linear: Pack: %d weights of %d rows of %d", len(w), k, d))
	}
	p := &Packed{}
	p.shape(on, k, d)
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

// PackColumns makes p the matrix of d rows of n weights whose transpose is x, row-major n x
// d: Times then gives products with the columns of x. It keeps the memory of p, which may be
// new. It panics unless n >= 1, d >= 1 and x has n d elements.
func (p *Packed) PackColumns(x []float32, n, d int) { p.packColumns(cpu.Best(), x, n, d) }

func (p *Packed) packColumns(on cpu.Instructions, x []float32, n, d int) {
	if n < 1 || d < 1 || len(x) != n*d {
		panic(fmt.Sprintf("linear: PackColumns: %d weights of %d rows of %d", len(x), n, d))
	}
	p.shape(on, d, n)
	for j := 0; j < d; j += p.width {
		panel := p.panels[j*n : (j+p.width)*n]
		width := min(p.width, d-j)
		for i := range n {
			place := panel[i*p.width:][:width]
			for c, v := range x[i*d+j:][:width] {
				place[c] = float64(v)
			}
			clear(panel[i*p.width+width : (i+1)*p.width])
		}
	}
}

// shape makes p a matrix of k rows of d weights, which the caller writes.
func (p *Packed) shape(on cpu.Instructions, k, d int) {
	p.k, p.d, p.on, p.width = k, d, on, tileWidth(on)
	size := (k + p.width - 1) / p.width * d * p.width
	p.panels = slices.Grow(p.panels[:0], size)[:size]
}

// tileRows is the number of rows that are multiplied with a panel at a time.
const tileRows = 4

// tileWidth is the width of a panel: a tile of sums fits into registers.
func tileWidth(on cpu.Instructions) int {
	switch on {
	case cpu.AVX512:
		return 24
	case cpu.AVX2:
		return 12
	}
	return 2
}

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
	var sums [blockRows * 24]float64
	for i := 0; i < n; i += blockRows {
		rows := min(blockRows, n-i)
		for j := 0; j < p.k; j += p.width {
			p.block(&sums, x[i*p.d:(i+rows)*p.d], rows, p.panels[j*p.d:(j+p.width)*p.d])
			width := min(p.width, p.k-j)
			for r := range rows {
				copy(dst[(i+r)*p.k+j:][:width], sums[r*p.width:])
			}
		}
	}
}

// block writes the products of some rows with one panel to sums, in rows of the
// width of the panel.
func (p *Packed) block(sums *[blockRows * 24]float64, x []float64, rows int, panel []float64) {
	clear(sums[:rows*p.width])
	for c := 0; c < p.d; c += blockDepth {
		depth := min(blockDepth, p.d-c)
		part := panel[c*p.width : (c+depth)*p.width]
		for r := 0; r < rows; r += tileRows {
			var of [tileRows][]float64
			for t := range of { // the last row stands in for missing ones
				at := min(r+t, rows-1)*p.d + c
				of[t] = x[at : at+depth]
			}
			tile := sums[r*p.width : (r+tileRows)*p.width]
			if !vectorTile(p.on, tile, &of, part) {
				portableTile((*[2 * tileRows]float64)(tile), &of, part)
			}
		}
	}
}

// portableTile adds the products of four rows with a panel of two.
func portableTile(sums *[2 * tileRows]float64, x *[tileRows][]float64, panel []float64) {
	d := len(x[0])
	x0, x1, x2, x3 := x[0], x[1][:d], x[2][:d], x[3][:d]
	panel = panel[:2*d]
	a0, b0, a1, b1 := sums[0], sums[1], sums[2], sums[3]
	a2, b2, a3, b3 := sums[4], sums[5], sums[6], sums[7]
	for c := range x0 {
		v, w := panel[2*c], panel[2*c+1]
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
