package linear

import (
	"fmt"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

// Table is n rows of d numbers in float64. Tiles read its rows, and its columns too, as they stand:
// each row is filled up to the width of whole panels. So what multiplies the same rows many times
// converts and arranges them once. It is immutable and safe for concurrent use.
type Table struct {
	rows
	on cpu.Instructions
}

// NewTable returns the rows of x, of d >= 1 numbers each, which it copies.
func NewTable(x []float32, d int) Table { return newTable(cpu.Best(), x, d) }

func newTable(on cpu.Instructions, x []float32, d int) Table {
	if d < 1 || len(x)%d != 0 {
		panic(fmt.Sprintf("linear: NewTable: %d numbers in rows of %d", len(x), d))
	}
	width := tileWidth(on)
	t := Table{rows{n: len(x) / d, d: d, step: (d + width - 1) / width * width}, on}
	t.data = make([]float64, t.n*t.step)
	for i := range t.n {
		row := t.data[i*t.step:][:d]
		for j, v := range x[i*d : (i+1)*d] {
			row[j] = float64(v)
		}
	}
	return t
}

// Slice returns rows lo..hi-1, in the same memory.
func (t Table) Slice(lo, hi int) Table {
	t.data, t.n = t.data[lo*t.step:hi*t.step], hi-lo
	return t
}

// TimesRows writes x W' to dst, as Times of W does. It panics if the lengths do not agree.
func (t Table) TimesRows(dst []float64, w *Packed) {
	if t.d != w.d || len(dst) != t.n*w.k {
		panic(fmt.Sprintf("linear: TimesRows: %d elements of %d x %d with %d x %d", len(dst), t.n, t.d, w.k, w.d))
	}
	w.times(dst, t.rows)
}

// TimesColumns writes, for each row of n factors, the sum of the rows of the table with these
// factors: d numbers, each summed in the order of the rows, from 0. It panics unless n >= 1 and
// the lengths agree.
func (t Table) TimesColumns(dst, factors []float64) {
	many := len(factors) / max(1, t.n)
	if t.n < 1 || len(factors) != many*t.n || len(dst) != many*t.d {
		panic(fmt.Sprintf("linear: TimesColumns: %d elements of %d factors of %d x %d", len(dst), len(factors), t.n, t.d))
	}
	products(t.on, dst, rows{factors, many, t.n, t.n}, t.d, func(j int) panel { return panel{t.data[j:], t.step} })
}
