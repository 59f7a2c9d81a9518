package main

import (
	"github.com/mmcloughlin/avo/operand"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// scores emits the scores of n >= 1 rows of k >= 64 logits at m >= 1 scales
// each.
func (m *machine) scores() {
	m.Begin("scoresAVX2", "func(dst *byte, top *int32, x *float32, n, k int, scale *float64, m int)")
	dst, x, k := m.Loaded("dst"), m.Loaded("x"), m.Loaded("k")
	top, n, from := m.Loaded("top"), m.Loaded("n"), m.Loaded("scale")
	e := m.power()
	row, scale := m.label("row"), m.label("scale")
	m.Label(row)
	p := m.peak(x, k)
	m.MOVL(p.top.As32(), operand.Mem{Base: top})
	minus, ties := m.minus(p.value), m.ties(p.times)
	left, next := m.GP64(), m.GP64() // the next row is prefetched
	m.MOVQ(m.Argument("m"), left)
	m.LEAQ(asm.At(x, k, 4, 0), next)
	m.Label(scale)
	c := m.rate(m.Filled(operand.Mem{Base: from}))
	tail, squares := m.zeros(), m.zeros()
	m.exponentials(e, x, k, &next, minus, c, func(t term) {
		m.VADDPD(t.v, tail[t.p], tail[t.p])
		m.VFMADD231PD(t.v, t.v, squares[t.p])
	})
	total := m.sum(tail)
	m.VADDSD(ties, total, total)
	m.VMOVSD(total, operand.Mem{Base: dst})
	total = m.sum(squares)
	m.VADDSD(ties, total, total)
	m.VMOVSD(total, operand.Mem{Base: dst, Disp: 8})
	m.ADDQ(operand.Imm(16), dst)
	m.ADDQ(operand.Imm(8), from)
	m.DECQ(left)
	m.JNE(operand.LabelRef(scale))
	m.ADDQ(operand.Imm(4), top)
	m.MOVQ(next, x)
	m.DECQ(n)
	m.JNE(operand.LabelRef(row))
	m.Finish()
}
