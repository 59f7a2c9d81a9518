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
	m.Begin("tileAVX2", "func(dst, x0, x1, x2, x3, panel *float64, d int)")
	dst, panel, d := m.Loaded("dst"), m.Loaded("panel"), m.Loaded("d")
	var x [tileRows]reg.GPVirtual
	for r, name := range []string{"x0", "x1", "x2", "x3"} {
		x[r] = m.Loaded(name)
	}
	place := func(r, v int) operand.Mem {
		return operand.Mem{Base: dst, Disp: 32 * (r*tileVectors + v)}
	}
	var sums [tileRows][]reg.VecVirtual
	for r := range sums {
		sums[r] = m.Vectors(tileVectors)
		for v := range sums[r] {
			m.VMOVUPD(place(r, v), sums[r][v])
		}
	}
	i := m.GP64()
	m.XORQ(i, i)
	m.Label("next")
	// The weights of the last vector are read from memory for each row: of sixteen registers,
	// twelve hold sums and two a value and a term.
	weights := make([]operand.Op, tileVectors)
	for v := range weights {
		from := operand.Mem{Base: panel, Disp: 32 * v}
		weights[v] = from
		if v < tileVectors-1 {
			held := m.YMM()
			m.VMOVUPD(from, held)
			weights[v] = held
		}
	}
	for r := range sums {
		value := m.Filled(asm.At(x[r], i, 8, 0))
		for v, sum := range sums[r] {
			term := m.YMM()
			m.VMULPD(weights[v], value, term)
			m.VADDPD(term, sum, sum)
		}
	}
	m.ADDQ(operand.Imm(uint64(32*tileVectors)), panel)
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

// line emits dst = a + c s of n > 0 numbers, a multiple of 4, and replaces most by the largest of
// it and them; a NaN is none.
func (m *machine) line() {
	m.Begin("lineAVX2", "func(dst, a, s, c, most *float64, n int)")
	dst, a, s, most, n, i := m.Loaded("dst"), m.Loaded("a"), m.Loaded("s"), m.Loaded("most"), m.Loaded("n"), m.GP64()
	c, largest := m.Filled(operand.Mem{Base: m.Loaded("c")}), m.Filled(operand.Mem{Base: most})
	m.XORQ(i, i)
	m.Label("lineNext")
	v := m.YMM()
	m.VMULPD(asm.At(s, i, 8, 0), c, v)
	m.VADDPD(asm.At(a, i, 8, 0), v, v)
	m.VMOVUPD(v, asm.At(dst, i, 8, 0))
	m.VMAXPD(largest, v, largest)
	m.ADDQ(operand.Imm(4), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef("lineNext"))
	x, h := m.XMM(), m.XMM()
	m.VEXTRACTF128(operand.Imm(1), largest, x)
	m.VMAXPD(largest.AsX(), x, x)
	m.VPERMILPD(operand.Imm(1), x, h)
	m.VMAXSD(h, x, x)
	m.VMOVSD(x, operand.Mem{Base: most})
	m.Finish()
}

// gaps emits dst = z - largest of n > 0 numbers, a multiple of 4, as float32.
func (m *machine) gaps() {
	m.Begin("gapsAVX2", "func(dst *float32, z, largest *float64, n int)")
	dst, z, n, i := m.Loaded("dst"), m.Loaded("z"), m.Loaded("n"), m.GP64()
	largest := m.Filled(operand.Mem{Base: m.Loaded("largest")})
	m.XORQ(i, i)
	m.Label("gapsNext")
	v, narrow := m.YMM(), m.XMM()
	m.VMOVUPD(asm.At(z, i, 8, 0), v)
	m.VSUBPD(largest, v, v)
	m.VCVTPD2PSY(v, narrow)
	m.VMOVUPS(narrow, asm.At(dst, i, 4, 0))
	m.ADDQ(operand.Imm(4), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef("gapsNext"))
	m.Finish()
}
