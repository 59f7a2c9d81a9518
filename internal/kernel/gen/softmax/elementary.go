package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// each loops over the vectors of n > 0 numbers, a multiple of 8, from x to dst,
// until a vector has an element outside [lo, hi]; it returns the number of finished
// elements.
func (m *machine) each(lo, hi operand.Op, of func(x reg.VecVirtual) reg.VecVirtual) {
	dst, x, n, i := m.Loaded("dst"), m.Loaded("x"), m.Loaded("n"), m.GP64()
	m.XORQ(i, i)
	next, end := m.label("each"), m.label("eachEnd")
	m.Label(next)
	v := m.YMM()
	m.VMOVUPD(asm.At(x, i, 8, 0), v)
	inside := m.GP64()
	m.inside(inside.As32(), v, lo, hi)
	m.CMPL(inside.As32(), operand.U32(15))
	m.JNE(operand.LabelRef(end))
	m.VMOVUPD(of(v), asm.At(dst, i, 8, 0))
	m.ADDQ(operand.Imm(4), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef(next))
	m.Label(end)
	m.MOVQ(i, m.Result("done"))
	m.Finish()
}

// inside writes a bit for each element in [lo, hi].
func (m *machine) inside(bits reg.Register, v reg.VecVirtual, lo, hi operand.Op) {
	atLeast, atMost := operand.Imm(0x1d), operand.Imm(0x12) // GE_OQ, LE_OQ
	above, below := m.YMM(), m.YMM()
	m.VCMPPD(atLeast, lo, v, above)
	m.VCMPPD(atMost, hi, v, below)
	m.VANDPD(above, below, below)
	m.VMOVMSKPD(below, bits)
}

// arithmetic on vectors, with every operation rounded separately; the first operand
// may be in memory.
func (m *machine) mul(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	v := m.YMM()
	m.VMULPD(a, b, v)
	return v
}

func (m *machine) add(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	v := m.YMM()
	m.VADDPD(a, b, v)
	return v
}

// sub returns a - b.
func (m *machine) sub(a reg.VecVirtual, b operand.Op) reg.VecVirtual {
	v := m.YMM()
	m.VSUBPD(b, a, v)
	return v
}

// exp emits the package's Exp between expLo and expHi; powers is its pow2.
func (m *machine) exp() {
	m.Begin("expAVX2", "func(dst, x *float64, n int, powers *[128][2]float64) (done int)")
	of := m.newExp(m.Loaded("powers"))
	m.each(m.number("expLo", -708), m.number("expHi", 709), of)
}

// newExp places the constants of Exp, and returns what emits it.
func (m *machine) newExp(powers reg.GPVirtual) func(x reg.VecVirtual) reg.VecVirtual {
	perStep, shift := m.number("perStep", 0x1.71547652b82fep+7), m.number("shifter", shifter)
	high, low := m.number("stepHi", 0x1.62e42fef8p-8), m.number("stepLo", 0x1.1cf79abc9e3b4p-43)
	half, third, fourth, fifth := m.number("half", 1./2), m.number("sixth", 1./6), m.number("twentyFourth", 1./24), m.number("hundredTwentieth", 1./120)
	index := m.same("low7", 127)
	return func(x reg.VecVirtual) reg.VecVirtual {
		ki := m.add(shift, m.mul(perStep, x))
		kd := m.sub(ki, shift)
		r := m.sub(m.sub(x, m.mul(high, kd)), m.mul(low, kd))
		at := m.YMM()
		m.VANDPD(index, ki, at)
		m.VPADDQ(at, at, at) // entries are pairs
		head, rest := m.pairs(powers, at)
		m.VPSRLQ(operand.Imm(7), ki, ki)
		m.VPSLLQ(operand.Imm(52), ki, ki)
		m.VPADDQ(ki, head, head)
		r2 := m.mul(r, r)
		e := m.add(m.mul(r2, m.add(half, m.mul(third, r))), m.add(r, rest))
		e = m.add(m.mul(m.mul(r2, r2), m.add(fourth, m.mul(fifth, r))), e)
		return m.add(m.mul(head, e), head)
	}
}

// pairs returns the numbers at base + 8 index, and those that follow them. It loads each pair: two
// gathers take twice as many operations.
func (m *machine) pairs(base reg.GPVirtual, index reg.VecVirtual) (first, second reg.VecVirtual) {
	pairs := m.Vectors(2) // 0 and 2, 1 and 3
	upper := m.XMM()
	m.VEXTRACTI128(operand.Imm(1), index, upper)
	for half, of := range []reg.VecVirtual{index.AsX().(reg.VecVirtual), upper} {
		even, odd := m.GP64(), m.GP64()
		m.VMOVQ(of, even)
		m.VPEXTRQ(operand.Imm(1), of, odd)
		for which, i := range []reg.GPVirtual{even, odd} {
			if from := asm.At(base, i, 8, 0); half == 0 {
				m.VMOVUPD(from, pairs[which].AsX())
			} else {
				m.VINSERTF128(operand.Imm(1), from, pairs[which], pairs[which])
			}
		}
	}
	first, second = m.YMM(), m.YMM()
	m.VUNPCKLPD(pairs[1], pairs[0], first)
	m.VUNPCKHPD(pairs[1], pairs[0], second)
	return first, second
}

// log emits the package's Log of positive normal numbers.
func (m *machine) log() {
	m.Begin("logAVX2", "func(dst, x *float64, n int) (done int)")
	of := m.newLog()
	lo, hi := m.number("leastNormal", 0x1p-1022), m.number("largest", math.MaxFloat64)
	m.each(lo, hi, func(x reg.VecVirtual) reg.VecVirtual { return of(x, nil) })
}

// log1p emits the package's Log1p of positive numbers. Below 2^-53 it is the number
// itself: there the addition loses nothing else.
func (m *machine) log1p() {
	m.Begin("log1pAVX2", "func(dst, x *float64, n int) (done int)")
	of, one := m.newLog(), m.number("unity", 1)
	lo, hi := m.number("least", 0x1p-1074), m.number("largest", math.MaxFloat64)
	m.each(lo, hi, func(x reg.VecVirtual) reg.VecVirtual {
		u := m.add(one, x)
		part := m.sub(u, one)
		rounded, lost := m.sub(u, part), m.YMM()
		m.VMOVUPD(one, lost)
		lost = m.add(m.sub(lost, rounded), m.sub(x, part))
		m.VDIVPD(u, lost, lost)
		return of(u, lost)
	})
}

// newLog places the constants of log(x) + c, for positive normal x, and returns
// what emits it; without a c it is 0.
func (m *machine) newLog() func(x, c reg.VecVirtual) reg.VecVirtual {
	const (
		ln2Hi    = 0x1.62e42feep-1
		ln2Lo    = 0x1.a39ef35793c76p-33
		fraction = 1<<52 - 1
		bias     = 1022 // a fraction in [1/2, 1)
	)
	series := []operand.Op{}
	for i, name := range []string{"nineteenth", "seventeenth", "fifteenth", "thirteenth", "eleventh", "ninth", "seventh", "fifth", "third"} {
		series = append(series, m.number(name, 1/float64(19-2*i)))
	}
	one, two, root := m.number("unity", 1), m.number("two", 2), m.number("root", math.Sqrt2/2)
	high, low := m.number("ln2Hi", ln2Hi), m.number("ln2Lo", ln2Lo)
	below, exponent := m.same("fraction", fraction), m.same("exponentHalf", bias<<52)
	big, offset := m.number("two52", 1<<52), m.number("two52bias", 1<<52+bias)
	return func(x, c reg.VecVirtual) reg.VecVirtual {
		e, f := m.YMM(), m.YMM()
		m.VPSRLQ(operand.Imm(52), x, e)
		m.VORPD(big, e, e) // 2^52 + e, as a number
		k := m.sub(e, offset)
		m.VANDPD(below, x, f)
		m.VORPD(exponent, f, f)
		const less = 0x11 // LT_OQ
		small, once := m.YMM(), m.YMM()
		m.VCMPPD(operand.Imm(less), root, f, small)
		m.VANDPD(one, small, once)
		m.VANDPD(f, small, small)
		m.VADDPD(small, f, f)
		m.VSUBPD(once, k, k)
		f = m.sub(f, one)
		s := m.YMM()
		m.VDIVPD(m.add(two, f), f, s)
		z := m.mul(s, s)
		p := m.YMM()
		m.VMOVUPD(series[0], p)
		for _, c := range series[1:] {
			p = m.add(c, m.mul(p, z))
		}
		r := m.mul(p, z)
		r = m.add(r, r)
		rest := m.mul(low, k)
		if c != nil {
			rest = m.add(c, rest)
		}
		inner := m.sub(m.mul(s, m.sub(f, r)), rest)
		return m.add(m.sub(f, inner), m.mul(high, k))
	}
}
