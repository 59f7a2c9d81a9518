package main

import (
	"fmt"
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

// power is the exponential of the kernel: its constants, in memory.
type power struct {
	m                *machine
	shifter, fifteen operand.Mem
	q                [6]operand.Mem
	base             reg.GPVirtual // address of powers
}

// power returns the exponential.
func (m *machine) power() *power {
	e := &power{m: m, shifter: m.number("shifter", shifter), fifteen: m.same("fifteen", 15), base: m.GP64()}
	for i, c := range coefficients {
		e.q[i] = m.number(fmt.Sprintf("q%d", i), c)
	}
	m.LEAQ(m.table("powers", powers[:]...), e.base)
	return e
}

// rate is the package's rate, in every lane.
type rate struct{ c, least operand.Mem }

// rate does what the package's rateOf does, in every lane of a scale.
func (m *machine) rate(scale reg.VecVirtual) rate {
	least := m.Filled(m.table("minusDeepest", math.Float64bits(-deepest)))
	m.VDIVPD(scale, least, least)
	m.VMULPD(m.number("per16th", per16th), scale, scale)
	m.VMINPD(m.number("largest", math.MaxFloat64), scale, scale)
	return rate{m.hold(scale), m.hold(least)}
}

// of returns the exponentials of the differences d, operation by operation as the
// package's power; +0 in the lanes that a mask, if any, leaves out. It takes a single
// vector: there are no registers for two.
func (e *power) of(d reg.VecVirtual, r rate, only *mask) reg.VecVirtual {
	m := e.m
	kd, f, p, q := m.YMM(), m.YMM(), m.YMM(), m.YMM()
	m.VMOVUPD(e.shifter, kd)
	m.VFMADD231PD(r.c, d, kd)
	index, all := m.YMM(), m.YMM()
	m.VPAND(e.fifteen, kd, index)
	m.VPCMPEQD(all, all, all)
	m.VGATHERQPD(all, operand.Mem{Base: e.base, Index: index, Scale: 8}, p)
	m.VSUBPD(e.shifter, kd, f)
	m.VFMSUB231PD(r.c, d, f)
	m.VPSLLQ(operand.Imm(48), kd, kd)
	m.VPADDQ(kd, p, p)
	beyond := m.YMM()
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
