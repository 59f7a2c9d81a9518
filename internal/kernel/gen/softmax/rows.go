package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// ties returns, as float64, the number of classes besides the top one that have its
// logit.
func (m *machine) ties(times reg.GPVirtual) reg.VecVirtual {
	ties := m.XMM()
	m.DECQ(times)
	m.VXORPD(ties, ties, ties)
	m.VCVTSI2SDQ(times, ties, ties)
	return ties
}

// rows emits the moments of n >= 1 rows of k >= 64 logits; scale advances by
// step bytes.
func (m *machine) rows() {
	m.eachRow("rowsAVX2", func() rowSums {
		e := m.power()
		return func(x, k, next reg.GPVirtual, minus operand.Mem, c rate) [3][]reg.VecVirtual {
			tail, s1, s2 := m.zeros(), m.zeros(), m.zeros()
			m.exponentials(e, x, k, &next, minus, c, func(t term) {
				m.VADDPD(t.v, tail[t.p], tail[t.p])
				m.VMULPD(t.d, t.v, t.v)
				m.VADDPD(t.v, s1[t.p], s1[t.p])
				m.VFMADD231PD(t.d, t.v, s2[t.p])
			})
			return [3][]reg.VecVirtual{tail, s1, s2}
		}
	})
}

// rowSums emits the three sums of the row of k logits at x, in octets, while it
// prefetches the next one. minus is the negative of the largest logit.
type rowSums func(x, k, next reg.GPVirtual, minus operand.Mem, c rate) [3][]reg.VecVirtual

// eachRow emits rows with the sums that begin returns; before the first row, begin
// loads what they need.
func (m *machine) eachRow(name string, begin func() rowSums) {
	m.Begin(name, "func(dst *byte, x *float32, n, k int, scale *float64, step int)")
	dst, x, n, k := m.Loaded("dst"), m.Loaded("x"), m.Loaded("n"), m.Loaded("k")
	from := m.Loaded("scale")
	sumsOf := begin()
	row := m.label("row")
	m.Label(row)
	top := m.peak(x, k)
	m.VMOVSS(top.value, operand.Mem{Base: dst})
	m.MOVL(top.top.As32(), operand.Mem{Base: dst, Disp: 4})
	minus, c := m.minus(top.value), m.rate(m.Filled(operand.Mem{Base: from}))
	next := m.GP64()
	m.LEAQ(asm.At(x, k, 4, 0), next)
	sums := sumsOf(x, k, next, minus, c)
	ties := m.ties(top.times)
	for j, sum := range sums {
		total := m.sum(sum)
		if j == 0 {
			m.VADDSD(ties, total, total)
		}
		m.VMOVSD(total, operand.Mem{Base: dst, Disp: 8 * (1 + j)})
	}
	m.MOVQ(next, x)
	m.ADDQ(m.Argument("step"), from)
	m.ADDQ(operand.Imm(32), dst)
	m.DECQ(n)
	m.JNE(operand.LabelRef(row))
	m.Finish()
}
