package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// store writes the moments of four rows, a lane each, one after the other, disp bytes
// behind dst: a transposition of four by four words.
func (m *machine) store(dst reg.GPVirtual, disp int, value, top, tail, s1, s2 reg.VecVirtual) {
	low, high, head := m.XMM(), m.XMM(), m.YMM()
	m.VPUNPCKLDQ(top, value, low)
	m.VPUNPCKHDQ(top, value, high)
	m.join128(high, low, head)
	even, odd, even2, odd2 := m.YMM(), m.YMM(), m.YMM(), m.YMM()
	m.VUNPCKLPD(tail, head, even)
	m.VUNPCKHPD(tail, head, odd)
	m.VUNPCKLPD(s2, s1, even2)
	m.VUNPCKHPD(s2, s1, odd2)
	for r, pair := range [][2]reg.VecVirtual{{even, even2}, {odd, odd2}} {
		at := func(row int) operand.Mem { return operand.Mem{Base: dst, Disp: disp + 32*row} }
		lowRow, highRow := m.YMM(), m.YMM()
		m.join128(pair[1].AsX(), pair[0], lowRow)
		m.VMOVUPD(lowRow, at(r))
		m.VPERM2F128(operand.Imm(0x31), pair[1], pair[0], highRow)
		m.VMOVUPD(highRow, at(r+2))
	}
}

// join128 sets dst to the lower halves of low and, above, high.
func (m *machine) join128(high operand.Op, low reg.Register, dst reg.VecVirtual) {
	m.VINSERTF128(operand.Imm(1), high, low.(reg.VecVirtual).AsY(), dst)
}
