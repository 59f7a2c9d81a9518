package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// Rows and vectors of a tile: twelve independent sums.
const (
	tileRows    = 4
	tileVectors = 3
)

// tile emits the product of four rows of d >= 1 numbers with a panel, added to dst. Products and
// sums are rounded separately.
func (m *machine) tile() {
	m.Begin("tile", "func(dst, x0, x1, x2, x3, panel *float64, d int)")
	dst, panel, d := m.Loaded("dst"), m.Loaded("panel"), m.Loaded("d")
	var x [tileRows]reg.GPVirtual
	for r, name := range []string{"x0", "x1", "x2", "x3"} {
		x[r] = m.Loaded(name)
	}
	place := func(r, v int) operand.Mem {
		return operand.Mem{Base: dst, Disp: (r*tileVectors + v) * m.bytes()}
	}
	var sums [tileRows][]reg.VecVirtual
	for r := range sums {
		sums[r] = m.vectors(tileVectors)
		for v := range sums[r] {
			m.VMOVUPD(place(r, v), sums[r][v])
		}
	}
	i := m.GP64()
	m.XORQ(i, i)
	m.Label("next")
	// The weights are in registers as far as there are any: with sixteen, those of the last
	// vector are read from memory for each row, since twelve hold sums and two a value and a term.
	weights := make([]operand.Op, tileVectors)
	for v := range weights {
		from := operand.Mem{Base: panel, Disp: v * m.bytes()}
		weights[v] = from
		if m.Wide || v < tileVectors-1 {
			held := m.Vector()
			m.VMOVUPD(from, held)
			weights[v] = held
		}
	}
	for r := range sums {
		value := m.Filled(asm.At(x[r], i, 8, 0))
		for v, sum := range sums[r] {
			term := m.Vector()
			m.VMULPD(weights[v], value, term)
			m.VADDPD(term, sum, sum)
		}
	}
	m.ADDQ(operand.Imm(uint64(tileVectors*m.bytes())), panel)
	m.INCQ(i)
	m.CMPQ(i, d)
	m.JNE(operand.LabelRef("next"))
	for r := range sums {
		for v, sum := range sums[r] {
			m.VMOVUPD(sum, place(r, v))
		}
	}
	m.Finish()
}
