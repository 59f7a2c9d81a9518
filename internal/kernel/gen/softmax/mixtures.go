package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// mixtures emits the package's Mixtures of n > 0 rows, a multiple of 4, until one of four rows has
// an exponential outside the range of exp; done is the number of finished rows. The
// exponentials of all rows come before the logarithms: so a loop is short, and the long chains of
// operations of neighbouring rows overlap.
func (m *machine) mixtures() {
	m.Begin("mixturesAVX2", "func(dst *[4]*float64, x *[3]*float64, n int, powers *[128][2]float64) (done int)")
	exp := m.newExp(m.Loaded("powers"))
	log, one := m.newLog(), m.number("unity", 1)
	lo, sign := m.number("expLo", -708), m.same("sign", 1<<63)
	x, dst, n := m.pointers("x", 3), m.pointers("dst", 4), m.Loaded("n")
	i := m.GP64()
	load := func(p []reg.GPVirtual, k int) reg.VecVirtual {
		v := m.YMM()
		m.VMOVUPD(asm.At(p[k], i, 8, 0), v)
		return v
	}
	store := func(v reg.VecVirtual, k int) { m.VMOVUPD(v, asm.At(dst[k], i, 8, 0)) }
	// weights are the log weights, and joint those minus the losses.
	weights := func() (a, b reg.VecVirtual) {
		a, b = load(x, 0), m.zero()
		m.VSUBPD(a, b, b)
		return a, b
	}
	joint := func(a, b reg.VecVirtual) (c, d reg.VecVirtual) { return m.sub(a, load(x, 1)), m.sub(b, load(x, 2)) }

	m.XORQ(i, i)
	exps, expsEnd := m.label("mixtureExps"), m.label("mixtureExpsEnd")
	m.Label(exps)
	gap := func(x, y reg.VecVirtual) reg.VecVirtual {
		d := m.sub(x, y)
		m.VORPD(sign, d, d)
		return d
	}
	a, b := weights()
	gaps := [2]reg.VecVirtual{gap(a, b), gap(joint(a, b))}
	within := m.Vectors(2)
	for k, g := range gaps {
		m.VCMPPD(operand.Imm(0x1d), lo, g, within[k]) // GE_OQ
	}
	inside := m.GP64()
	m.VANDPD(within[0], within[1], within[1])
	m.VMOVMSKPD(within[1], inside.As32())
	m.CMPL(inside.As32(), operand.U32(15))
	m.JNE(operand.LabelRef(expsEnd))
	for k, g := range gaps {
		store(exp(g), 1+k) // until the second loop
	}
	m.ADDQ(operand.Imm(4), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef(exps))
	m.Label(expsEnd)
	m.MOVQ(i, m.Result("done"))

	m.MOVQ(i, n)
	m.XORQ(i, i)
	logs, logsEnd := m.label("mixtureLogs"), m.label("mixtureLogsEnd")
	m.TESTQ(n, n)
	m.JE(operand.LabelRef(logsEnd))
	m.Label(logs)
	a, b = weights()
	c, d := joint(a, b)
	most := m.YMM()
	m.VMAXPD(a, b, most)
	mostWeight := m.hold(most)
	m.VMAXPD(c, d, most)
	mostJoint := m.hold(most)
	ones := m.YMM()
	m.VMOVUPD(one, ones)
	// share is a numerator, 1 or e, over 1 + e. The sign of x - y says that y is larger.
	share := func(x, y, ifLess, ifNot, s reg.VecVirtual) reg.VecVirtual {
		v := m.sub(x, y)
		m.VBLENDVPD(v, ifLess, ifNot, v)
		m.VDIVPD(s, v, v)
		return v
	}
	e := load(dst, 1)
	s := m.add(e, ones)
	sum := m.hold(s)
	weight := share(a, b, e, ones, s)
	e = load(dst, 2)
	s = m.add(e, ones)
	first, second := share(c, d, e, ones, s), share(c, d, ones, e, s)
	store(first, 1)
	store(second, 2)
	store(m.sub(weight, first), 3)
	part := log(s, nil)
	m.VADDPD(mostJoint, part, part)
	s = m.YMM()
	m.VMOVUPD(sum, s)
	whole := log(s, nil)
	m.VADDPD(mostWeight, whole, whole)
	store(m.sub(whole, part), 0)
	m.ADDQ(operand.Imm(4), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef(logs))
	m.Label(logsEnd)
	m.Finish()
}

// quintics emits the package's Quintics of n > 0 rows, a multiple of 4.
func (m *machine) quintics() {
	m.Begin("quinticsAVX2", "func(value, slope *float64, x *[7]*float64, ofValue, ofSlope *[7]float64, n int)")
	value, slope, x := m.Loaded("value"), m.Loaded("slope"), m.pointers("x", 7)
	var weights [2][7]operand.Op
	for side, name := range []string{"ofValue", "ofSlope"} {
		list := m.Loaded(name)
		for k := range x {
			weights[side][k] = m.hold(m.Filled(operand.Mem{Base: list, Disp: 8 * k}))
		}
	}
	n, i := m.Loaded("n"), m.GP64()
	m.XORQ(i, i)
	next := m.label("quintics")
	m.Label(next)
	sums := m.Vectors(2)
	for k := range x {
		v := m.YMM()
		m.VMOVUPD(asm.At(x[k], i, 8, 0), v)
		for side := range sums {
			if k == 0 {
				m.VMULPD(weights[side][k], v, sums[side])
				continue
			}
			m.VADDPD(m.mul(weights[side][k], v), sums[side], sums[side])
		}
	}
	m.VMOVUPD(sums[0], asm.At(value, i, 8, 0))
	m.VMOVUPD(sums[1], asm.At(slope, i, 8, 0))
	m.ADDQ(operand.Imm(4), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef(next))
	m.Finish()
}

// pointers returns the n pointers to which a parameter points.
func (m *machine) pointers(name string, n int) []reg.GPVirtual {
	from := m.Loaded(name)
	p := make([]reg.GPVirtual, n)
	for i := range p {
		p[i] = m.GP64()
		m.MOVQ(operand.Mem{Base: from, Disp: 8 * i}, p[i])
	}
	return p
}
