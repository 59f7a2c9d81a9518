package main

import (

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of the package's power.go.
const (
	per16th  = 0x1.71547652b82fep+4
	per16thH = 0x1.715476p+4
	per16thL = 0x1.4ae0bf85ddf44p-22

	keep26 = ^uint64(1<<27 - 1)
	keep27 = ^uint64(1<<26 - 1)

	largestScale = 0x1p1000
	lowest       = -708 * per16th
	shifter      = 0x1.8p52
)

var coefficients = [...]float64{
	0x1.62e42fefa39f3p-5, 0x1.ebfbdff82c590p-11, 0x1.c6b08d6f2a289p-17,
	0x1.3b2ab6fb41213p-23, 0x1.5d897e525c216p-30, 0x1.430a1d08ec681p-37,
}

var powers = [...]uint64{
	0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
	0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
	0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
	0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da,
}

// power is the exponential of the kernel: its constants, loaded.
type power struct {
	m               *machine
	shifter, lowest operand.Op
	q               [6]operand.Op
	low, high       reg.VecVirtual // powers, of a wide machine
	base            reg.GPVirtual  // their address, of a narrow one
	fifteen         operand.Op
}

func (m *machine) power() *power {
	e := &power{m: m, shifter: m.number("shifter", shifter), lowest: m.number("lowest", lowest)}
	names := [...]string{"q0", "q1", "q2", "q3", "q4", "q5"}
	for i, c := range coefficients {
		e.q[i] = m.number(names[i], c)
	}
	table := m.table("powers", powers[:]...)
	if m.wide {
		e.low, e.high = m.vector(), m.vector()
		m.VMOVUPD(table, e.low)
		m.VMOVUPD(table.Offset(64), e.high)
	} else {
		e.base = m.GP64()
		m.LEAQ(table, e.base)
		e.fifteen = m.same("fifteen", 15)
	}
	return e
}

// scale is a scale that was split in two.
type scale struct{ hi, lo operand.Op }

// split does what the package's split does, in every lane of s.
func (e *power) split(s reg.VecVirtual) scale {
	m := e.m
	hi, lo, upper, t := m.vector(), m.vector(), m.vector(), m.vector()
	m.VMINPD(m.number("largestScale", largestScale), s, s)
	m.VANDPD(m.same("keep26", keep26), s, upper)
	per := m.number("per16th", per16th)
	m.VMULPD(per, s, hi)
	m.VANDPD(m.same("keep27", keep27), hi, hi)
	m.VMULPD(m.number("per16thH", per16thH), upper, lo)
	m.VSUBPD(hi, lo, lo)
	m.VMULPD(m.number("per16thL", per16thL), upper, t)
	m.VADDPD(t, lo, lo)
	m.VSUBPD(upper, s, t)
	m.VMULPD(per, t, t)
	m.VADDPD(t, lo, lo)
	return scale{m.hold(hi), m.hold(lo)}
}

// of returns the exponentials of the differences d, operation by operation as
// the package's power; +0 in the lanes that mask, if any, leaves out. A mask is
// a mask register of a wide machine, a vector of ones and zeros of a narrow one.
func (e *power) of(d reg.VecVirtual, s scale, mask reg.Register) reg.VecVirtual {
	m := e.m
	t, u, kd, f, p := m.vector(), m.vector(), m.vector(), m.vector(), m.vector()
	m.VMULPD(s.hi, d, t)
	m.VADDPD(e.shifter, t, kd)
	if m.wide {
		m.VMOVAPD(kd, p)
		m.VPERMI2PD(e.high, e.low, p)
	} else {
		index, all := m.vector(), m.vector()
		m.VPAND(e.fifteen, kd, index)
		m.VPCMPEQD(all, all, all)
		m.VGATHERQPD(all, operand.Mem{Base: e.base, Index: index, Scale: 8}, p)
	}
	m.VSUBPD(e.shifter, kd, f)
	m.VSUBPD(f, t, f)
	m.VMULPD(s.lo, d, u)
	m.VADDPD(u, f, f)
	m.VPSLLQ(operand.Imm(48), kd, kd)
	m.VPADDQ(kd, p, p)

	f2, a, b, c := m.vector(), m.vector(), m.vector(), m.vector()
	m.VMULPD(f, f, f2)
	m.VMULPD(e.q[5], f, a)
	m.VADDPD(e.q[4], a, a)
	m.VMULPD(e.q[3], f, b)
	m.VADDPD(e.q[2], b, b)
	m.VMULPD(f2, a, a)
	m.VADDPD(a, b, b)
	m.VMULPD(e.q[1], f, c)
	m.VADDPD(e.q[0], c, c)
	m.VMULPD(f2, b, b)
	m.VADDPD(b, c, c)
	m.VMULPD(p, f, f)
	m.VMULPD(c, f, f)
	atLeast := operand.Imm(0x1d) // GE_OQ
	if m.wide {
		k := m.K()
		if mask != nil {
			m.VCMPPD(atLeast, e.lowest, t, mask, k)
		} else {
			m.VCMPPD(atLeast, e.lowest, t, k)
		}
		m.VADDPD_Z(f, p, k, p)
		return p
	}
	m.VCMPPD(atLeast, e.lowest, t, t)
	m.VADDPD(f, p, p)
	m.VANDPD(t, p, p)
	if mask != nil {
		m.VANDPD(mask, p, p)
	}
	return p
}

