package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// machine emits code for one instruction set: AVX-512 (F, VL, DQ) with vectors
// of eight float64 and mask registers, or AVX2 with vectors of four. Eight
// float64 are "an octet": one vector of the first, two of the second.
type machine struct {
	*build.Context
	wide      bool // AVX-512
	constants map[string]constant
	labels    int
}

// parts is the number of vectors in an octet.
func (m *machine) parts() int {
	if m.wide {
		return 1
	}
	return 2
}

// width is the number of float64 in a vector.
func (m *machine) width() int { return 8 / m.parts() }

// vector returns a new vector of float64.
func (m *machine) vector() reg.VecVirtual {
	if m.wide {
		return m.ZMM()
	}
	return m.YMM()
}

// singles returns a new vector of as many float32 as a vector has float64.
func (m *machine) singles() reg.VecVirtual {
	if m.wide {
		return m.YMM()
	}
	return m.XMM()
}

func (m *machine) zero() reg.VecVirtual {
	v := m.vector()
	m.clear(v)
	return v
}

// clear sets all bits of v to 0.
func (m *machine) clear(v reg.VecVirtual) {
	if m.wide { // avo takes VPXORQ for a use of v, and keeps a register until then
		m.VBROADCASTSS(m.table("zero", 0), v)
	} else {
		m.VPXOR(v, v, v)
	}
}

func (m *machine) zeros(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = m.zero()
	}
	return v
}

// constant is some words of 64 bits in read-only memory.
type constant struct {
	at    operand.Mem
	words []uint64
}

// table places words of 64 bits in read-only memory, once for each name.
func (m *machine) table(name string, words ...uint64) operand.Mem {
	if c, ok := m.constants[name]; ok {
		if !slices.Equal(c.words, words) {
			panic("asm: two constants are called " + name)
		}
		return c.at
	}
	at := m.StaticGlobal(name)
	m.DataAttributes(8 | 16) // RODATA|NOPTR
	for i, w := range words {
		m.AddDatum(8*i, operand.U64(w))
	}
	m.constants[name] = constant{at, words}
	return at
}

// same returns an operand of equal words for vector instructions: a register
// where there are 32, memory where there are 16.
func (m *machine) same(name string, w uint64) operand.Op {
	at := m.table(name, w, w, w, w)
	if !m.wide {
		return at
	}
	v := m.vector()
	m.VBROADCASTSD(at, v)
	return v
}

func (m *machine) number(name string, v float64) operand.Op {
	return m.same(name, math.Float64bits(v))
}

// hold keeps v for reading: in its register where there are 32, in the stack
// frame where there are 16.
func (m *machine) hold(v reg.VecVirtual) operand.Op {
	if m.wide {
		return v
	}
	slot := m.AllocLocal(32)
	m.VMOVUPD(v, slot)
	return slot
}

// label returns a new label.
func (m *machine) label(name string) string {
	m.labels++
	return fmt.Sprintf("%s%d", name, m.labels)
}

// function begins a function with the machine's suffix.
func (m *machine) function(name, signature string) {
	suffix := "AVX2"
	if m.wide {
		suffix = "AVX512"
	}
	m.Function(name + suffix)
	m.SignatureExpr(signature)
	m.Doc() // declared by hand
}

func (m *machine) param(name string) reg.GPVirtual {
	r := m.GP64()
	m.Load(m.Param(name), r)
	return r
}

// argument returns a parameter where it is in memory. Numbers are read and
// written there: what avo makes of Load and Store is no vector instruction, and
// one between vector instructions costs hundreds of nanoseconds.
func (m *machine) argument(name string) operand.Mem { return resolved(m.Param(name)) }

// result returns a result where it is in memory.
func (m *machine) result(name string) operand.Mem { return resolved(m.Return(name)) }

func resolved(c gotypes.Component) operand.Mem {
	basic, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

func (m *machine) finish() {
	m.VZEROUPPER()
	m.RET()
}

// fold adds or otherwise combines the lanes of an octet, one vector for each
// part, by folding it in half: the order of lanes.total. The result is lane 0.
func (m *machine) fold(v []reg.VecVirtual) reg.VecVirtual {
	y := m.YMM()
	if m.wide {
		m.VEXTRACTF64X4(operand.Imm(1), v[0], y)
		m.VADDPD(y, v[0].AsY(), y)
	} else {
		m.VADDPD(v[1], v[0], y)
	}
	x := m.XMM()
	m.upper(y, x)
	m.VADDPD(x, y.AsX(), x)
	h := m.XMM()
	m.VPERMILPD(operand.Imm(1), x, h)
	m.VADDSD(h, x, x)
	return x
}

// upper writes the upper half of y to x.
func (m *machine) upper(y, x operand.Op) {
	if m.wide {
		m.VEXTRACTF32X4(operand.Imm(1), y, x)
	} else {
		m.VEXTRACTF128(operand.Imm(1), y, x)
	}
}

// at returns the memory disp bytes behind base + index scale.
func at(base, index reg.Register, scale uint8, disp int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}
