package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// together is the largest number of scales that are processed together: there are
// no registers for more.
const together = 8

// scores emits the scores of n >= 1 rows of k >= 64 logits at m >= 1 scales
// each.
func (m *machine) scores() {
	m.Begin("scores", "func(dst *byte, top *int32, x *float32, n, k int, scale *float64, m int)")
	s := &scorer{m: m, dst: m.Loaded("dst"), x: m.Loaded("x"), k: m.Loaded("k")}
	top, n := m.Loaded("top"), m.Loaded("n")
	s.scale = m.Loaded("scale")
	s.e = m.powerInMemory()
	row := m.label("row")
	m.Label(row)
	p := m.peak(s.x, s.k)
	m.MOVL(p.top.As32(), operand.Mem{Base: top})
	s.minus, s.ties = m.minus(p.value), m.ties(p.times)
	s.left = m.GP64()
	m.MOVQ(m.Argument("m"), s.left)
	s.next = m.GP64() // the next row is prefetched
	m.LEAQ(asm.At(s.x, s.k, 4, 0), s.next)
	one, done := m.label("one"), m.label("done")
	if m.Wide {
		s.several(one)
	}
	m.Label(one)
	m.TESTQ(s.left, s.left)
	m.JE(operand.LabelRef(done))
	s.e = s.e.inRegisters()
	s.at([]rate{s.e.rate(m.Filled(operand.Mem{Base: s.scale}))})
	m.JMP(operand.LabelRef(one))
	m.Label(done)
	m.ADDQ(operand.Imm(4), top)
	m.MOVQ(s.next, s.x)
	m.DECQ(n)
	m.JNE(operand.LabelRef(row))
	m.Finish()
}

// scorer is a row of k logits at x and its remaining scales.
type scorer struct {
	m                *machine
	e                *power
	dst, scale, left reg.GPVirtual
	x, k, next       reg.GPVirtual
	minus            operand.Op
	ties             reg.VecVirtual
}

// at emits the scores at the rates of the next scales.
func (s *scorer) at(rates []rate) {
	m := s.m
	var sums [2][][]reg.VecVirtual // tails and squares, of every scale
	for range rates {
		for j := range sums {
			sums[j] = append(sums[j], m.zeros(m.parts()))
		}
	}
	m.exponentials(s.e, s.x, s.k, &s.next, s.minus, rates, func(t term) {
		tail, squares := sums[0][t.scale][t.p], sums[1][t.scale][t.p]
		m.VADDPD(t.v, tail, tail)
		m.VFMADD231PD(t.v, t.v, squares)
	})
	for i := range rates {
		for j := range sums {
			total := m.Sum(sums[j][i])
			m.VADDSD(s.ties, total, total)
			m.VMOVSD(total, operand.Mem{Base: s.dst, Disp: 16*i + 8*j})
		}
	}
	m.ADDQ(operand.Imm(uint64(16*len(rates))), s.dst)
	m.ADDQ(operand.Imm(uint64(8*len(rates))), s.scale)
	m.SUBQ(operand.Imm(uint64(len(rates))), s.left)
}

// several emits the scores at up to eight scales together, as long as two are left
// and so that none is left alone. It jumps to one if a single scale is left, and if
// some exponential underflows to 0: for scales together, only the largest logit
// decides, once for all scales, which classes count.
func (s *scorer) several(one string) {
	m := s.m
	m.CMPQ(s.left, operand.Imm(2))
	m.JL(operand.LabelRef(one))
	gap := m.lowest(s.x, s.k)
	m.VADDSD(s.minus.(reg.VecVirtual).AsX(), gap, gap)
	var of [together + 1]string
	for n := range of {
		of[n] = m.label("of")
	}
	choose := m.label("choose")
	m.Label(choose)
	m.CMPQ(s.left, operand.Imm(together+1))
	m.JE(operand.LabelRef(of[together/2]))
	m.JG(operand.LabelRef(of[together]))
	for n := together; n >= 2; n-- {
		m.CMPQ(s.left, operand.Imm(uint64(n)))
		m.JE(operand.LabelRef(of[n]))
	}
	m.JMP(operand.LabelRef(one))
	paces := m.AllocLocal(8 * together)
	for n := together; n >= 2; n-- {
		m.Label(of[n])
		scales := m.first(n, s.scale)
		most, least := m.Largest([]reg.VecVirtual{scales}), m.XMM()
		m.VMOVSD(m.table("minusDeepest", math.Float64bits(-deepest)), least)
		m.VDIVSD(most, least, least)
		m.VUCOMISD(least, gap)
		m.JCS(operand.LabelRef(one))
		s.e.pace(scales)
		m.VMOVUPD(scales, paces)
		rates := make([]rate, n)
		for i := range rates {
			rates[i].c = paces.Offset(8 * i)
		}
		s.at(rates)
		m.JMP(operand.LabelRef(choose))
	}
}

// first returns the first n <= 8 numbers at from, and 0 in the other lanes.
func (m *machine) first(n int, from reg.GPVirtual) reg.VecVirtual {
	bits, some, v := m.GP64(), m.K(), m.Vector()
	m.MOVQ(operand.U32(1<<n-1), bits)
	m.KMOVW(bits.As32(), some)
	m.VMOVUPD_Z(operand.Mem{Base: from}, some, v)
	return v
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
