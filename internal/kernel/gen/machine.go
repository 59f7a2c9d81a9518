package asm

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Machine emits code for one instruction set: AVX-512 (F, VL, DQ) with vectors
// of eight float64 and mask registers, or AVX2 with vectors of four.
type Machine struct {
	*build.Context
	Wide bool // AVX-512
}

// Width is the number of float64 in a vector.
func (m *Machine) Width() int {
	if m.Wide {
		return 8
	}
	return 4
}

// Vector returns a new vector of float64.
func (m *Machine) Vector() reg.VecVirtual {
	if m.Wide {
		return m.ZMM()
	}
	return m.YMM()
}

// Singles returns a new vector of float32, with as many elements as a vector of
// float64.
func (m *Machine) Singles() reg.VecVirtual {
	if m.Wide {
		return m.YMM()
	}
	return m.XMM()
}

// Filled returns a vector of equal float64: the one at a place in memory or in lane
// 0 of a register.
func (m *Machine) Filled(from operand.Op) reg.VecVirtual {
	v := m.Vector()
	m.VBROADCASTSD(from, v)
	return v
}

// Sum returns the sum of eight float64, in one vector or two, in lane 0. They
// are folded in half: the order of lanes.total in package softmax.
func (m *Machine) Sum(v []reg.VecVirtual) reg.VecVirtual { return m.fold(v, m.VADDPD, m.VADDSD) }

// Largest is Sum for the largest of eight numbers.
func (m *Machine) Largest(v []reg.VecVirtual) reg.VecVirtual { return m.fold(v, m.VMAXPD, m.VMAXSD) }

// fold joins eight float64 by op, which is single for those in lane 0.
func (m *Machine) fold(v []reg.VecVirtual, op, single func(ops ...operand.Op)) reg.VecVirtual {
	y := m.YMM()
	if m.Wide {
		m.VEXTRACTF64X4(operand.Imm(1), v[0], y)
		op(y, v[0].AsY(), y)
	} else {
		op(v[1], v[0], y)
	}
	x := m.XMM()
	m.Upper(y, x)
	op(x, y.AsX(), x)
	h := m.XMM()
	m.VPERMILPD(operand.Imm(1), x, h)
	single(h, x, x)
	return x
}

// Upper writes the upper half of y to x.
func (m *Machine) Upper(y, x operand.Op) {
	if m.Wide {
		m.VEXTRACTF32X4(operand.Imm(1), y, x)
	} else {
		m.VEXTRACTF128(operand.Imm(1), y, x)
	}
}

// Begin begins a function with the machine's suffix.
func (m *Machine) Begin(name, signature string) {
	suffix := "AVX2"
	if m.Wide {
		suffix = "AVX512"
	}
	m.Function(name + suffix)
	m.SignatureExpr(signature)
	m.Doc() // declared by hand
}

// Loaded returns a parameter in a general register.
func (m *Machine) Loaded(name string) reg.GPVirtual {
	r := m.GP64()
	m.Load(m.Param(name), r)
	return r
}

// Argument returns a parameter in its place in memory, where numbers are read and
// written: the Load and Store of avo emit scalar instructions, and one of these
// between vector instructions costs hundreds of nanoseconds.
func (m *Machine) Argument(name string) operand.Mem { return resolved(m.Param(name)) }

// Result returns a result in its place in memory.
func (m *Machine) Result(name string) operand.Mem { return resolved(m.Return(name)) }

func resolved(c gotypes.Component) operand.Mem {
	basic, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// Finish ends a function.
func (m *Machine) Finish() {
	m.VZEROUPPER()
	m.RET()
}

// At returns the memory disp bytes behind base + index scale.
func At(base, index reg.Register, scale uint8, disp int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}
