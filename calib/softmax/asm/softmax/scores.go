package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/qats-bench/qats/calib/softmax/asm"
)

// scores emits the scores of n >= 1 rows of k >= 64 logits at m >= 1 scales
// each.
func (m *machine) scores() {
	m.Begin("scores", "func(dst *byte, top *int32, x *float32, n, k int, scale *float64, m int)")
	dst, top, x, n := m.Loaded("dst"), m.Loaded("top"), m.Loaded("x"), m.Loaded("n")
	k, scale := m.Loaded("k"), m.Loaded("scale")
	e := m.power()
	row := m.label("row")
	m.Label(row)
	p := m.peak(x, k)
	m.MOVL(p.top.As32(), operand.Mem{Base: top})
	minus, ties := m.minus(p.value), m.ties(p.times)
	left := m.GP64()
	m.MOVQ(m.Argument("m"), left)
	next := m.GP64() // the next row is fetched ahead
	m.LEAQ(asm.At(x, k, 4, 0), next)
	// one scale or several from here on
	together := func(scales int, rateOf func(scale reg.VecVirtual) rate) {
		rates := make([]rate, scales)
		var sums [2][][]reg.VecVirtual // tails and squares, of every scale
		for s := range rates {
			v := m.Vector()
			m.VBROADCASTSD(operand.Mem{Base: scale, Disp: 8 * s}, v)
			rates[s] = rateOf(v)
			for j := range sums {
				sums[j] = append(sums[j], m.zeros(m.parts()))
			}
		}
		m.exponentials(e, x, k, &next, minus, rates, func(t term) {
			tail, squares := sums[0][t.scale][t.p], sums[1][t.scale][t.p]
			m.VADDPD(t.v, tail, tail)
			m.VFMADD231PD(t.v, t.v, squares)
		})
		for s := range rates {
			for j := range sums {
				total := m.fold(sums[j][s])
				m.VADDSD(ties, total, total)
				m.VMOVSD(total, operand.Mem{Base: dst, Disp: 16*s + 8*j})
			}
		}
		m.ADDQ(operand.Imm(uint64(16*scales)), dst)
		m.ADDQ(operand.Imm(uint64(8*scales)), scale)
		m.SUBQ(operand.Imm(uint64(scales)), left)
	}
	one, done := m.label("one"), m.label("done")
	if m.Wide {
		m.several(x, k, scale, left, minus, one, func(scales int) { together(scales, e.unbounded) })
	}
	m.Label(one)
	m.TESTQ(left, left)
	m.JE(operand.LabelRef(done))
	together(1, e.rate)
	m.JMP(operand.LabelRef(one))
	m.Label(done)
	m.ADDQ(operand.Imm(4), top)
	m.MOVQ(next, x)
	m.DECQ(n)
	m.JNE(operand.LabelRef(row))
	m.Finish()
}

// several runs body for four, three or two scales together as long as there are
// two left, four or three first so that none is left alone; it goes on at one
// where a single scale is left. It does so too where some exponential
// underflows to 0: together, which classes count is asked of the largest logit
// alone, once for all scales.
func (m *machine) several(x, k, scale, left reg.GPVirtual, minus operand.Op, one string, body func(scales int)) {
	m.CMPQ(left, operand.Imm(2))
	m.JL(operand.LabelRef(one))
	gap := m.lowest(x, k)
	m.VADDSD(minus.(reg.VecVirtual).AsX(), gap, gap)
	choose, three, two := m.label("choose"), m.label("three"), m.label("two")
	m.Label(choose)
	m.CMPQ(left, operand.Imm(2))
	m.JL(operand.LabelRef(one))
	m.JE(operand.LabelRef(two))
	m.CMPQ(left, operand.Imm(3))
	m.JE(operand.LabelRef(three))
	m.CMPQ(left, operand.Imm(5))
	m.JE(operand.LabelRef(three))
	for n := 4; n >= 2; n-- {
		switch n {
		case 3:
			m.Label(three)
		case 2:
			m.Label(two)
		}
		most, least := m.XMM(), m.XMM()
		m.VMOVSD(operand.Mem{Base: scale}, most)
		for s := 1; s < n; s++ {
			m.VMAXSD(operand.Mem{Base: scale, Disp: 8 * s}, most, most)
		}
		m.VMOVSD(m.table("minusDeepest", math.Float64bits(-deepest)), least)
		m.VDIVSD(most, least, least)
		m.VUCOMISD(least, gap)
		m.JCS(operand.LabelRef(one))
		body(n)
		m.JMP(operand.LabelRef(choose))
	}
}

// lowest returns the least of the k >= 64 elements at x as float64, in lane 0.
func (m *machine) lowest(x, k reg.GPVirtual) reg.VecVirtual {
	_, value := m.foldRow(x, k, "min", func(o ...operand.Op) { m.VMINPS(o...) })
	m.VCVTSS2SD(value, value, value)
	return value
}

// eachScale runs body until no scale is left: for two at a time where there are
// registers for two, then for one.
func (m *machine) eachScale(left reg.GPVirtual, body func(scales int)) {
	for n := m.unroll(); n > 0; n /= 2 {
		loop, end := m.label("scale"), m.label("scaleEnd")
		m.SUBQ(operand.Imm(uint64(n)), left)
		m.JLT(operand.LabelRef(end))
		m.Label(loop)
		body(n)
		m.SUBQ(operand.Imm(uint64(n)), left)
		m.JGE(operand.LabelRef(loop))
		m.Label(end)
		m.ADDQ(operand.Imm(uint64(n)), left)
	}
}
