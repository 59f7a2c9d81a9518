package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of the package's power.go.
const (
	per16th = 0x1.71547652b82fep+4
	deepest = 670
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

// power is the exponential of the kernel: its constants. A wide machine has an
// instruction for p 2^floor(n/16): there c, n, f and q are in units of ln2, not
// ln2/16, which changes no bits, as the package's power.go explains. Its constants
// are in registers, or in memory if registers are short; the constants of a narrow
// machine are in memory.
type power struct {
	m         *machine
	shifter   operand.Op
	q         [6]operand.Op
	low, high reg.VecVirtual // 2^(j/16), of a wide machine
	base      reg.GPVirtual  // address of powers, of a narrow one
	fifteen   operand.Op
}

// power returns the exponential with its constants loaded.
func (m *machine) power() *power { return m.powerInMemory().inRegisters() }

// inRegisters is e with the constants of a wide machine in registers.
func (e *power) inRegisters() *power {
	if !e.m.Wide {
		return e
	}
	loaded := *e
	loaded.shifter = e.m.Filled(e.shifter)
	for i, q := range e.q {
		loaded.q[i] = e.m.Filled(q)
	}
	return &loaded
}

// powerInMemory is power that keeps no more than the table in registers.
func (m *machine) powerInMemory() *power {
	names := [...]string{"q0", "q1", "q2", "q3", "q4", "q5"}
	e := &power{m: m}
	if m.Wide {
		e.shifter = m.everywhere("shifterOf16ths", shifter/16)
		for i, c := range coefficients {
			e.q[i] = m.everywhere(names[i]+"Of16ths", math.Ldexp(c, 4*(i+1)))
		}
		sixteenths := powers
		for j := range sixteenths {
			sixteenths[j] += uint64(j) << 48
		}
		table := m.table("sixteenths", sixteenths[:]...)
		e.low, e.high = m.Vector(), m.Vector()
		m.VMOVUPD(table, e.low)
		m.VMOVUPD(table.Offset(64), e.high)
		return e
	}
	e.shifter = m.everywhere("shifter", shifter)
	for i, c := range coefficients {
		e.q[i] = m.everywhere(names[i], c)
	}
	e.base = m.GP64()
	m.LEAQ(m.table("powers", powers[:]...), e.base)
	e.fifteen = m.same("fifteen", 15)
	return e
}

// rate is the package's rate, in every lane. Without least, no difference is below
// it, and a mask states which exponentials are not 0.
type rate struct{ c, least operand.Op }

// rate does what the package's rateOf does, in every lane of a scale.
func (e *power) rate(scale reg.VecVirtual) rate {
	m := e.m
	least := m.Filled(m.table("minusDeepest", math.Float64bits(-deepest)))
	m.VDIVPD(scale, least, least)
	e.pace(scale)
	return rate{m.hold(scale), m.hold(least)}
}

// pace turns a scale, in every lane, into the c of its rate.
func (e *power) pace(scale reg.VecVirtual) {
	m := e.m
	m.VMULPD(m.number("per16th", per16th), scale, scale)
	m.VMINPD(m.number("largest", math.MaxFloat64), scale, scale)
	if m.Wide {
		m.VMULPD(m.number("sixteenth", 1./16), scale, scale)
	}
}

// of returns the exponentials of the differences d, each at its rate, operation by
// operation as the package's power; +0 in the lanes that a mask, if any, leaves
// out. A mask is a mask register of a wide machine, a vector of ones and zeros of a
// narrow one.
func (e *power) of(d []reg.VecVirtual, r []rate, only []*mask) []reg.VecVirtual {
	if e.m.Wide {
		return e.wide(d, r, only)
	}
	v := make([]reg.VecVirtual, len(d))
	for i := range d {
		v[i] = e.narrow(d[i], r[i], only[i])
	}
	return v
}

// with emits an instruction whose first operand a is a vector or a number to be
// broadcast.
func (m *machine) with(a operand.Op, vector, broadcast func(ops ...operand.Op), rest ...operand.Op) {
	if m.single(a) {
		vector = broadcast
	}
	vector(append([]operand.Op{a}, rest...)...)
}

// Ordered by their bits as signed integers, the d from -0 down to least come first;
// +0, which is the largest logit itself, and all values above and below come later.
const atMost = 2

// wide passes several vectors through each operation in turn, so that no operation
// waits for the one before.
func (e *power) wide(d []reg.VecVirtual, r []rate, only []*mask) []reg.VecVirtual {
	m := e.m
	vectors := func(from operand.Op) []reg.VecVirtual {
		v := make([]reg.VecVirtual, len(d))
		for i := range v {
			v[i] = m.Vector()
			m.fill(from, v[i])
		}
		return v
	}
	kd := vectors(e.shifter)
	for i := range d {
		m.with(r[i].c, m.VFMADD231PD, m.VFMADD231PD_BCST, d[i], kd[i])
	}
	p := make([]reg.VecVirtual, len(d))
	for i := range d {
		p[i] = m.Vector()
		m.VMOVAPD(kd[i], p[i])
		m.VPERMI2PD(e.high, e.low, p[i])
	}
	for i := range d {
		m.with(e.shifter, m.VSUBPD, m.VSUBPD_BCST, kd[i], kd[i])
	}
	for i := range d {
		m.VSCALEFPD(kd[i], p[i], p[i])
	}
	f := kd
	for i := range d {
		m.with(r[i].c, m.VFMSUB231PD, m.VFMSUB231PD_BCST, d[i], f[i])
	}
	counts := make([]reg.Register, len(d))
	for i := range d {
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
	q := vectors(e.q[5])
	for j := 4; j >= 0; j-- {
		for i := range d {
			m.with(e.q[j], m.VFMADD213PD, m.VFMADD213PD_BCST, f[i], q[i])
		}
	}
	for i := range d {
		m.VMULPD(p[i], f[i], f[i])
	}
	for i := range d {
		m.VFMADD213PD_Z(p[i], q[i], counts[i], f[i])
	}
	return f
}

// narrow handles a single vector: there are no registers for two.
func (e *power) narrow(d reg.VecVirtual, r rate, only *mask) reg.VecVirtual {
	m := e.m
	kd, f, p, q := m.Vector(), m.Vector(), m.Vector(), m.Vector()
	m.VMOVUPD(e.shifter, kd)
	m.VFMADD231PD(r.c, d, kd)
	index, all := m.Vector(), m.Vector()
	m.VPAND(e.fifteen, kd, index)
	m.VPCMPEQD(all, all, all)
	m.VGATHERQPD(all, operand.Mem{Base: e.base, Index: index, Scale: 8}, p)
	m.VSUBPD(e.shifter, kd, f)
	m.VFMSUB231PD(r.c, d, f)
	m.VPSLLQ(operand.Imm(48), kd, kd)
	m.VPADDQ(kd, p, p)
	beyond := m.Vector()
	m.VPCMPGTQ(r.least, d, beyond)
	m.VMOVUPD(e.q[5], q)
	for j := 4; j >= 0; j-- {
		m.VFMADD213PD(e.q[j], f, q)
	}
	m.VMULPD(p, f, f)
	m.VFMADD213PD(p, q, f)
	m.VANDNPD(f, beyond, f)
	if only != nil {
		m.VANDPD(only.lanes, f, f)
	}
	return f
}
