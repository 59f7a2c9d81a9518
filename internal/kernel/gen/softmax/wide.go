package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// wide is the exponential of the kernel in AVX-512 (its part F), for eight float64 in a
// vector. An instruction computes p 2^floor(n/16): c, n, f and q are in units of ln2,
// not ln2/16, which changes no bits, as the package's power.go explains. All constants
// are in registers.
type wide struct {
	m         *machine
	shifter   reg.VecVirtual
	q         [6]reg.VecVirtual
	low, high reg.VecVirtual // 2^(j/16)
}

// filled512 returns a vector of equal numbers: the one at a place in memory.
func (m *machine) filled512(from operand.Mem) reg.VecVirtual {
	v := m.ZMM()
	m.VBROADCASTSD(from, v)
	return v
}

// number512 is filled512 of a constant.
func (m *machine) number512(name string, v float64) reg.VecVirtual {
	return m.filled512(m.table(name, math.Float64bits(v)))
}

// wide returns the exponential with its constants loaded.
func (m *machine) wide() *wide {
	sixteenths := powers
	for j := range sixteenths {
		sixteenths[j] += uint64(j) << 48
	}
	table := m.table("sixteenths", sixteenths[:]...)
	e := &wide{m: m, low: m.ZMM(), high: m.ZMM()}
	m.VMOVUPD(table, e.low)
	m.VMOVUPD(table.Offset(64), e.high)
	e.shifter = m.number512("shifterOf16ths", shifter/16)
	for i, name := range []string{"q0Of16ths", "q1Of16ths", "q2Of16ths", "q3Of16ths", "q4Of16ths", "q5Of16ths"} {
		e.q[i] = m.number512(name, math.Ldexp(coefficients[i], 4*(i+1)))
	}
	return e
}

// wideRows emits rows in AVX-512. The peak and the rate of a row are found by AVX2.
func (m *machine) wideRows() {
	m.eachRow("rowsAVX512", func() rowSums { return m.wide().sums })
}

// sums is a rowSums: for two octets at a time, then for one at a time under a mask.
func (e *wide) sums(x, k, next reg.GPVirtual, minusOne operand.Mem, r rate) [3][]reg.VecVirtual {
	m := e.m
	minus, c, least := m.filled512(minusOne), m.filled512(r.c), m.filled512(r.least)
	m.VMULPD(m.number512("sixteenth", 1./16), c, c)
	var sums [3]reg.VecVirtual // tail, s1, s2
	for j := range sums {
		sums[j] = m.number512("zero", 0)
	}
	add := func(some []operand.Op, d ...reg.VecVirtual) {
		for g, v := range e.of(d, c, least, some) {
			m.VADDPD(v, sums[0], sums[0])
			m.VMULPD(d[g], v, v)
			m.VADDPD(v, sums[1], sums[1])
			m.VFMADD231PD(d[g], v, sums[2])
		}
	}
	i, last := m.GP64(), m.GP64()
	pairs, rest, end := m.label("pairs"), m.label("rest"), m.label("restEnd")
	m.XORQ(i, i)
	m.LEAQ(operand.Mem{Base: k, Disp: -16}, last)
	m.Label(pairs) // k is at least 64
	m.PREFETCHT0(asm.At(next, i, 4, 0))
	first, second := m.ZMM(), m.ZMM()
	m.VCVTPS2PD(asm.At(x, i, 4, 0), first)
	m.VADDPD(minus, first, first)
	m.VCVTPS2PD(asm.At(x, i, 4, 32), second)
	m.VADDPD(minus, second, second)
	add(nil, first, second)
	m.ADDQ(operand.Imm(16), i)
	m.CMPQ(i, last)
	m.JLE(operand.LabelRef(pairs))
	m.CMPQ(i, k)
	m.JGE(operand.LabelRef(end))
	m.Label(rest)
	left, bits, some, d := m.GP64(), m.GP64(), m.K(), m.ZMM()
	m.PREFETCHT0(asm.At(next, i, 4, 0))
	m.MOVQ(k, left)
	m.SUBQ(i, left)
	m.MOVQ(operand.U32(255), bits)
	m.BZHIQ(left, bits, bits)
	m.KMOVW(bits.As32(), some)
	m.VCVTPS2PD_Z(asm.At(x, i, 4, 0), some, d)
	m.VADDPD(minus, d, d)
	add([]operand.Op{some}, d)
	m.ADDQ(operand.Imm(8), i)
	m.CMPQ(i, k)
	m.JL(operand.LabelRef(rest))
	m.Label(end)
	var halves [3][]reg.VecVirtual
	for j, sum := range sums {
		upper := m.YMM()
		m.VEXTRACTF64X4(operand.Imm(1), sum, upper)
		halves[j] = []reg.VecVirtual{sum.AsY().(reg.VecVirtual), upper}
	}
	return halves
}

// of returns the exponentials of the differences d, operation by operation as the
// package's power, and 0 for the largest logit and outside the mask some, if there is
// one. Several vectors pass through each operation in turn, so that none waits for the
// one before.
func (e *wide) of(d []reg.VecVirtual, c, least reg.VecVirtual, some []operand.Op) []reg.VecVirtual {
	m := e.m
	vectors := func() []reg.VecVirtual {
		v := make([]reg.VecVirtual, len(d))
		for i := range v {
			v[i] = m.ZMM()
		}
		return v
	}
	kd, p, q := vectors(), vectors(), vectors()
	for i := range d {
		m.VMOVAPD(e.shifter, kd[i])
	}
	for i := range d {
		m.VFMADD231PD(c, d[i], kd[i])
	}
	for i := range d {
		m.VMOVAPD(kd[i], p[i])
		m.VPERMI2PD(e.high, e.low, p[i])
	}
	for i := range d {
		m.VSUBPD(e.shifter, kd[i], kd[i])
	}
	for i := range d {
		m.VSCALEFPD(kd[i], p[i], p[i])
	}
	f := kd
	for i := range d {
		m.VFMSUB231PD(c, d[i], f[i])
	}
	// Ordered by their bits as signed integers, the d from -0 down to least come first;
	// +0, which is the largest logit itself, and all values above and below come later.
	atMost := operand.Imm(2)
	counts := make([]reg.Register, len(d))
	for i := range d {
		counts[i] = m.K()
		m.VPCMPQ(append(append([]operand.Op{atMost, least, d[i]}, some...), counts[i])...)
	}
	for i := range d {
		m.VMOVAPD(e.q[5], q[i])
	}
	for j := 4; j >= 0; j-- {
		for i := range d {
			m.VFMADD213PD(e.q[j], f[i], q[i])
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
