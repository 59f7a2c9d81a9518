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

// Singles returns a new vector of as many float32 as a vector has float64.
func (m *Machine) Singles() reg.VecVirtual {
	if m.Wide {
		return m.YMM()
	}
	return m.XMM()
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

// Argument returns a parameter where it is in memory. Numbers are read and
// written there: what avo makes of Load and Store is no vector instruction, and
// one between vector instructions costs hundreds of nanoseconds.
func (m *Machine) Argument(name string) operand.Mem { return resolved(m.Param(name)) }

// Result returns a result where it is in memory.
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
