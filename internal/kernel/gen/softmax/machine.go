package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// machine is asm.Machine with constants and labels. Eight float64 are "an octet": two
// vectors.
type machine struct {
	asm.Machine
	constants map[string]constant
	labels    int
}

func (m *machine) zero() reg.VecVirtual {
	v := m.YMM()
	m.VPXOR(v, v, v)
	return v
}

// zeros returns an octet of zeros.
func (m *machine) zeros() []reg.VecVirtual { return []reg.VecVirtual{m.zero(), m.zero()} }

// sum returns the sum of an octet in lane 0. It is folded in half: the order of the
// package's lanes.total.
func (m *machine) sum(v []reg.VecVirtual) reg.VecVirtual {
	y, x, h := m.YMM(), m.XMM(), m.XMM()
	m.VADDPD(v[1], v[0], y)
	m.VEXTRACTF128(operand.Imm(1), y, x)
	m.VADDPD(x, y.AsX(), x)
	m.VPERMILPD(operand.Imm(1), x, h)
	m.VADDSD(h, x, x)
	return x
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

// same is a vector of equal words in memory.
func (m *machine) same(name string, w uint64) operand.Mem { return m.table(name, w, w, w, w) }

// number is a vector of equal numbers in memory.
func (m *machine) number(name string, v float64) operand.Mem {
	return m.same(name, math.Float64bits(v))
}

// hold keeps v for reading in the stack frame, as there are only 16 registers.
func (m *machine) hold(v reg.VecVirtual) operand.Mem {
	slot := m.AllocLocal(32)
	m.VMOVUPD(v, slot)
	return slot
}

// label returns a new label.
func (m *machine) label(name string) string {
	m.labels++
	return fmt.Sprintf("%s%d", name, m.labels)
}
