package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of the package's power.go.
const (
	per16th = 0x1.71547652b82fep+4
	deepest = 708
	shifter = 0x1.8p52
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
	m         *machine
	shifter   operand.Op
	q         [6]operand.Op
	low, high reg.VecVirtual // powers, of a wide machine
	base      reg.GPVirtual  // their address, of a narrow one
	fifteen   operand.Op
}

func (m *machine) power() *power {
	e := &power{m: m, shifter: m.number("shifter", shifter)}
	names := [...]string{"q0", "q1", "q2", "q3", "q4", "q5"}
	for i, c := range coefficients {
		e.q[i] = m.number(names[i], c)
	}
	table := m.table("powers", powers[:]...)
	if m.Wide {
		e.low, e.high = m.Vector(), m.Vector()
		m.VMOVUPD(table, e.low)
		m.VMOVUPD(table.Offset(64), e.high)
	} else {
		e.base = m.GP64()
		m.LEAQ(table, e.base)
		e.fifteen = m.same("fifteen", 15)
	}
	return e
}

// rate is the package's, in every lane. Without least no difference is below
// it, and a mask says which are not 0.
type rate struct{ c, least operand.Op }

// rate does what the package's rateOf does, in every lane of a scale.
func (e *power) rate(scale reg.VecVirtual) rate {
	m := e.m
	least := m.Vector()
	m.VBROADCASTSD(m.table("minusDeepest", math.Float64bits(-deepest)), least)
	m.VDIVPD(scale, least, least)
	return rate{e.unbounded(scale).c, m.hold(least)}
}

// unbounded is rate for differences of which none is below least.
func (e *power) unbounded(scale reg.VecVirtual) rate {
	m := e.m
	m.VMULPD(m.number("per16th", per16th), scale, scale)
	m.VMINPD(m.number("largest", math.MaxFloat64), scale, scale)
	return rate{c: m.hold(scale)}
}

// of returns the exponentials of the differences d, each at its rate, operation
// by operation as the package's power; +0 in the lanes that a mask, if any,
// leaves out. A mask is a mask register of a wide machine, a vector of ones and
// zeros of a narrow one. Several vectors go through each operation in turn: no
// operation waits for the one before.
func (e *power) of(d []reg.VecVirtual, r []rate, only []*mask) []reg.VecVirtual {
	m := e.m
	vectors := func() []reg.VecVirtual {
		v := make([]reg.VecVirtual, len(d))
		for i := range v {
			v[i] = m.Vector()
		}
		return v
	}
	// each emits an instruction for every vector; of b and dst the vector's own.
	each := func(op func(ops ...operand.Op), a operand.Op, b, dst []reg.VecVirtual) {
		for i := range d {
			op(a, b[i], dst[i])
		}
	}
	pair := func(op func(ops ...operand.Op), a, b, dst []reg.VecVirtual) {
		for i := range d {
			op(a[i], b[i], dst[i])
		}
	}
	mul := func(o ...operand.Op) { m.VMULPD(o...) }
	sub := func(o ...operand.Op) { m.VSUBPD(o...) }
	fma := func(o ...operand.Op) { m.VFMADD213PD(o...) }

	kd, f, p, q := vectors(), vectors(), vectors(), vectors()
	for i := range d {
		m.VMOVUPD(e.shifter, kd[i])
		m.VFMADD231PD(r[i].c, d[i], kd[i])
	}
	for i := range d {
		if m.Wide {
			m.VMOVAPD(kd[i], p[i])
			m.VPERMI2PD(e.high, e.low, p[i])
		} else {
			index, all := m.Vector(), m.Vector()
			m.VPAND(e.fifteen, kd[i], index)
			m.VPCMPEQD(all, all, all)
			m.VGATHERQPD(all, operand.Mem{Base: e.base, Index: index, Scale: 8}, p[i])
		}
	}
	each(sub, e.shifter, kd, f)
	for i := range d {
		m.VFMSUB231PD(r[i].c, d[i], f[i])
	}
	for i := range d {
		m.VPSLLQ(operand.Imm(48), kd[i], kd[i])
		m.VPADDQ(kd[i], p[i], p[i])
	}
	// By their bits as signed integers, the d from -0 down to least come first:
	// +0, which is the largest logit itself, and all above and below come later.
	const atMost = 2
	counts, beyond := make([]reg.Register, len(d)), make([]reg.VecVirtual, len(d))
	for i := range d {
		if !m.Wide {
			beyond[i] = m.Vector()
			m.VPCMPGTQ(r[i].least, d[i], beyond[i])
			continue
		}
		if r[i].least == nil {
			counts[i] = only[i].lanes
			continue
		}
		k := m.K()
		if only[i] != nil {
			m.VPCMPQ(operand.Imm(atMost), r[i].least, d[i], only[i].lanes, k)
		} else {
			m.VPCMPQ(operand.Imm(atMost), r[i].least, d[i], k)
		}
		counts[i] = k
	}
	for i := range d {
		m.VMOVUPD(e.q[5], q[i])
	}
	for i := 4; i >= 0; i-- {
		each(fma, e.q[i], f, q)
	}
	pair(mul, p, f, f)
	for i := range d {
		if m.Wide {
			m.VFMADD213PD_Z(p[i], q[i], counts[i], f[i])
			continue
		}
		m.VFMADD213PD(p[i], q[i], f[i])
		m.VANDNPD(f[i], beyond[i], f[i])
		if only[i] != nil {
			m.VANDPD(only[i].lanes, f[i], f[i])
		}
	}
	return f
}
