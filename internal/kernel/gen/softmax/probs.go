package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// peakOf emits the search for the peak of a row of k >= 64 logits.
func (m *machine) peakOf() {
	m.Begin("peakAVX2", "func(x *float32, k int) (value float32, top, times int)")
	x, k := m.Loaded("x"), m.Loaded("k")
	p := m.peak(x, k)
	m.VMOVSS(p.value, m.Result("value"))
	m.MOVQ(p.top, m.Result("top"))
	m.MOVQ(p.times, m.Result("times"))
	m.Finish()
}

// exps emits the exponentials of one row of k >= 1 logits and their sum in
// lanes; those of the largest logit are 0.
func (m *machine) exps() {
	m.Begin("expsAVX2", "func(dst *float64, x *float32, k int, largest float32, scale float64) (total float64)")
	dst, x, k := m.Loaded("dst"), m.Loaded("x"), m.Loaded("k")
	e := m.power()
	largest := m.XMM()
	m.VMOVSS(m.Argument("largest"), largest)
	s := m.Filled(m.Argument("scale"))
	minus, c := m.minus(largest), m.rate(s)
	sums := m.zeros()
	m.exponentials(e, x, k, nil, minus, c, func(t term) {
		m.VADDPD(t.v, sums[t.p], sums[t.p])
		m.put(t.v, asm.At(dst, t.i, 8, 32*t.p), t.only)
	})
	m.VMOVSD(m.sum(sums), m.Result("total"))
	m.Finish()
}

// put stores a vector, or the elements that its mask selects.
func (m *machine) put(v reg.VecVirtual, to operand.Mem, only *mask) {
	if only == nil {
		m.VMOVUPD(v, to)
	} else {
		m.VMASKMOVPD(v, only.lanes, to)
	}
}

// normalise emits the division of the exponentials of a row by s0. If a logit below
// the largest would reach conf, it gets the float64 just below conf.
func (m *machine) normalise() {
	m.Begin("normaliseAVX2", "func(dst *float64, x *float32, k int, largest float32, s0, conf, below float64)")
	dst, x, k := m.Loaded("dst"), m.Loaded("x"), m.Loaded("k")
	fill := func(name string) operand.Op { return m.hold(m.Filled(m.Argument(name))) }
	s0, conf, below := fill("s0"), fill("conf"), fill("below")
	up, down := m.number("up", 0x1p128), m.number("down", 0x1p-128)
	largest := m.XMM()
	m.VBROADCASTSS(m.Argument("largest"), largest)
	atLeast, less := operand.Imm(0x1d), operand.Imm(0x11) // GE_OQ, LT_OQ
	m.octets(k, func(i reg.GPVirtual, part int, only *mask) {
		from, place := asm.At(x, i, 4, 16*part), asm.At(dst, i, 8, 32*part)
		p, l := m.YMM(), m.XMM()
		if only == nil {
			m.VMOVUPD(place, p)
			m.VMOVUPS(from, l)
		} else {
			m.VMASKMOVPD(place, only.lanes, p)
			m.VMASKMOVPS(from, only.load, l)
		}
		m.quotient(p, s0, conf, up, down)
		high, low := m.YMM(), m.YMM()
		m.VCMPPD(atLeast, conf, p, high)
		m.VCMPPS(less, largest, l, l)
		m.VPMOVSXDQ(l, low)
		m.VANDPD(low, high, high)
		m.VBLENDVPD(high, below, p, p)
		m.put(p, place, only)
	})
	m.Finish()
}

// quotient divides v, of numbers that are 0 or in [2^-970, 1], by b in [1, 2^40], as
// VDIVPD does but in a third of its time (Markstein 1990). With y = 1/b, correctly
// rounded, q = v y is within two units in the last place; q += (v - q b) y is then
// within one, and the same step again gives the correctly rounded quotient, since
// v - q b is exact. It would not be if it were subnormal, so v is scaled by a power
// of two.
func (m *machine) quotient(v reg.VecVirtual, b, y, up, down operand.Op) {
	q := m.YMM()
	m.VMULPD(up, v, v)
	m.VMULPD(y, v, q)
	for range 2 {
		rest := m.YMM()
		m.VMOVAPD(v, rest)
		m.VFNMADD231PD(b, q, rest)
		m.VFMADD231PD(y, rest, q)
	}
	m.VMULPD(down, q, v)
}
