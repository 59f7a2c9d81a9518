package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scores emits the scores of n >= 1 rows of k >= 64 logits at m >= 1 scales
// each.
func (m *machine) scores() {
	m.function("scores", "func(dst *byte, top *int32, x *float32, n, k int, scale *float64, m int)")
	dst, top, x, n := m.param("dst"), m.param("top"), m.param("x"), m.param("n")
	k, scale := m.param("k"), m.param("scale")
	e := m.power()
	row, again := m.label("row"), m.label("scale")
	m.Label(row)
	p := m.peak(x, k)
	m.MOVL(p.top.As32(), operand.Mem{Base: top})
	minus, ties := m.minus(p.value), m.ties(p.times)
	left := m.GP64()
	m.MOVQ(m.argument("m"), left)
	next := m.GP64() // the next row is fetched ahead
	m.LEAQ(at(x, k, 4, 0), next)
	m.Label(again)
	s := m.vector()
	m.VBROADCASTSD(operand.Mem{Base: scale}, s)
	c := e.rate(s)
	tail, squares := m.zeros(m.parts()), m.zeros(m.parts())
	m.exponentials(e, x, k, &next, minus, c, func(t term) {
		m.VADDPD(t.v, tail[t.p], tail[t.p])
		m.VFMADD231PD(t.v, t.v, squares[t.p])
	})
	for j, sums := range [][]reg.VecVirtual{tail, squares} {
		total := m.fold(sums)
		m.VADDSD(ties, total, total)
		m.VMOVSD(total, operand.Mem{Base: dst, Disp: 8 * j})
	}
	m.ADDQ(operand.Imm(16), dst)
	m.ADDQ(operand.Imm(8), scale)
	m.DECQ(left)
	m.JNE(operand.LabelRef(again))
	m.ADDQ(operand.Imm(4), top)
	m.MOVQ(next, x)
	m.DECQ(n)
	m.JNE(operand.LabelRef(row))
	m.finish()
}
