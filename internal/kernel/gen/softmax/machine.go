package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// machine is asm.Machine with constants and labels. Eight float64 are "an
// octet": one vector of AVX-512, two of AVX2.
type machine struct {
	asm.Machine
	constants map[string]constant
	labels    int
}

// parts is the number of vectors in an octet.
func (m *machine) parts() int {
	if m.Wide {
		return 1
	}
	return 2
}

func (m *machine) zero() reg.VecVirtual {
	v := m.Vector()
	m.clear(v)
	return v
}

// clear sets all bits of v to 0.
func (m *machine) clear(v reg.VecVirtual) {
	if m.Wide { // avo counts VPXORQ as a use of v, and reserves a register until then
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

// same returns an operand of equal words for vector instructions: a register if
// there are 32, memory if there are 16.
func (m *machine) same(name string, w uint64) operand.Op {
	at := m.table(name, w, w, w, w)
	if !m.Wide {
		return at
	}
	return m.Filled(at)
}

// everywhere is an operand of equal numbers in memory: for a narrow machine like
// any other operand, for a wide one to be broadcast, as the methods below do.
func (m *machine) everywhere(name string, v float64) operand.Op {
	w := math.Float64bits(v)
	return m.table(name, w, w, w, w)
}

// fill copies a, a vector or a number everywhere, to dst.
func (m *machine) fill(a operand.Op, dst reg.VecVirtual) {
	if m.single(a) {
		m.VBROADCASTSD(a, dst)
		return
	}
	m.VMOVUPD(a, dst)
}

// single reports whether a is a number to be broadcast.
func (m *machine) single(a operand.Op) bool {
	_, memory := a.(operand.Mem)
	return m.Wide && memory
}

func (m *machine) number(name string, v float64) operand.Op {
	return m.same(name, math.Float64bits(v))
}

// hold keeps v for reading: in its register if there are 32, in the stack frame if
// there are 16.
func (m *machine) hold(v reg.VecVirtual) operand.Op {
	if m.Wide {
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
