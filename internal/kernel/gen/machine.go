package asm

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Machine emits AVX2 code. A vector is a YMM register: four float64 or eight float32.
type Machine struct{ *build.Context }

// Vectors returns n new vectors.
func (m *Machine) Vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = m.YMM()
	}
	return v
}

// Filled returns a vector of equal float64: the one at a place in memory or in lane
// 0 of a register.
func (m *Machine) Filled(from operand.Op) reg.VecVirtual {
	v := m.YMM()
	m.VBROADCASTSD(from, v)
	return v
}

// Begin begins a function.
func (m *Machine) Begin(name, signature string) {
	m.Function(name)
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
