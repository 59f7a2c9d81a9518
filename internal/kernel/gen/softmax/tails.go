package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// best are the largest and the second largest of each lane of float32.
type best struct{ first, second reg.VecVirtual }

// raise takes the elements l into account.
func (m *machine) raise(b best, l reg.VecVirtual) {
	less := m.like(l)
	m.VMINPS(l, b.first, less)
	m.VMAXPS(l, b.first, b.first)
	m.VMAXPS(less, b.second, b.second)
}

// like returns a new vector of the size of v.
func (m *machine) like(v reg.VecVirtual) reg.VecVirtual {
	if v.Size() == 16 {
		return m.XMM()
	}
	return m.YMM()
}

// join takes the elements whose best are o into account.
func (m *machine) join(b, o best) {
	m.raise(b, o.first)
	m.VMAXPS(o.second, b.second, b.second)
}

// lowestSingle returns a vector of float32 filled with -Inf.
func (m *machine) lowestSingle() reg.VecVirtual {
	return m.Filled(m.singlesTable("minusInf", 0xff800000))
}

// two returns the largest and the second largest of the k elements at x, in
// lane 0.
func (m *machine) two(x, k reg.GPVirtual) best {
	b := best{m.lowestSingle(), m.lowestSingle()}
	const size = 8
	i, last := m.GP64(), m.GP64()
	m.XORQ(i, i)
	m.LEAQ(operand.Mem{Base: k, Disp: -size}, last)
	loop, end := m.label("two"), m.label("twoEnd")
	m.Label(loop)
	l := m.YMM()
	m.VMOVUPS(asm.At(x, i, 4, 0), l)
	m.raise(b, l)
	m.ADDQ(operand.Imm(uint64(size)), i)
	m.CMPQ(i, last)
	m.JLE(operand.LabelRef(loop))
	m.CMPQ(i, k)
	m.JGE(operand.LabelRef(end))
	rest := m.lowestSingle()
	// Of eight flags the first are set, one for each element that is left.
	flags := m.table("flags", ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), 0, 0, 0, 0)
	base, left, some, v := m.GP64(), m.GP64(), m.YMM(), m.YMM()
	m.LEAQ(flags, base)
	m.MOVQ(i, left)
	m.SUBQ(k, left)
	m.VMOVUPS(asm.At(base, left, 4, 32), some)
	m.VMASKMOVPS(asm.At(x, i, 4, 0), some, v)
	m.VBLENDVPS(some, v, rest, rest)
	m.raise(b, rest)
	m.Label(end)
	return m.fold2(b)
}

// fold2 joins the lanes of b.
func (m *machine) fold2(b best) best {
	high, low := best{m.XMM(), m.XMM()}, best{m.XMM(), m.XMM()}
	m.VEXTRACTF128(operand.Imm(1), b.first, high.first)
	m.VEXTRACTF128(operand.Imm(1), b.second, high.second)
	m.VMOVAPS(b.first.AsX(), low.first)
	m.VMOVAPS(b.second.AsX(), low.second)
	m.join(low, high)
	for _, order := range []uint64{0x4e, 0xb1} {
		m.VPERMILPS(operand.Imm(order), low.first, high.first)
		m.VPERMILPS(operand.Imm(order), low.second, high.second)
		m.join(low, high)
	}
	return low
}

// count adds to the integers of sum the exponentials v in units.
func (m *machine) count(v reg.VecVirtual, unit, integral operand.Op, sum reg.VecVirtual) {
	m.VMULPD(unit, v, v)
	m.VADDPD(integral, v, v)
	m.VPSUBQ(integral, v, v)
	m.VPADDQ(v, sum, sum)
}

// tails emits the tails of n >= 1 rows of k >= 64 logits, counted in units, with
// the number of classes that have the second largest logit.
func (m *machine) tails() {
	m.Begin("tailsAVX2", "func(dst *byte, x *float32, n, k int, unit float64)")
	dst, x, n, k := m.Loaded("dst"), m.Loaded("x"), m.Loaded("n"), m.Loaded("k")
	e := m.power()
	unit, integral := m.hold(m.Filled(m.Argument("unit"))), m.number("integral", 0x1p52)
	c := m.rate(m.Filled(m.table("one", math.Float64bits(1))))
	row := m.label("row")
	m.Label(row)
	b := m.two(x, k)
	m.VMOVSS(b.first, operand.Mem{Base: dst})
	m.VMOVSS(b.second, operand.Mem{Base: dst, Disp: 4})
	second := m.YMM()
	m.VBROADCASTSS(b.second, second)
	_, times := m.find(x, k, second)
	m.MOVQ(times, operand.Mem{Base: dst, Disp: 16})
	minus := m.minus(b.second)
	sums := m.zeros()
	next := m.GP64()
	m.LEAQ(asm.At(x, k, 4, 0), next)
	m.exponentials(e, x, k, &next, minus, c, func(t term) { m.count(t.v, unit, integral, sums[t.p]) })
	m.VMOVQ(m.foldIntegers(sums), operand.Mem{Base: dst, Disp: 8})
	m.MOVQ(next, x)
	m.ADDQ(operand.Imm(24), dst)
	m.DECQ(n)
	m.JNE(operand.LabelRef(row))
	m.Finish()
}

// foldIntegers returns the sum of the lanes of an octet of integers.
func (m *machine) foldIntegers(v []reg.VecVirtual) reg.VecVirtual {
	y, x, h := m.YMM(), m.XMM(), m.XMM()
	m.VPADDQ(v[1], v[0], y)
	m.VEXTRACTF128(operand.Imm(1), y, x)
	m.VPADDQ(x, y.AsX(), x)
	m.VPSHUFD(operand.Imm(0x4e), x, h)
	m.VPADDQ(h, x, x)
	return x
}
