package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// peak is the largest element of a row: its value, in lane 0 of a vector of
// float32, its lowest index, and how often it occurs.
type peak struct {
	value      reg.VecVirtual
	top, times reg.GPVirtual
}

// The loops over a row run equally often for every row of k elements, wherever its
// peak is: a branch that depends on the data would be mispredicted about once in a
// row, which costs as much as a hundred elements.

// blockSingles is the number of float32 that peak reads in one turn.
const blockSingles = 32

// block returns the four vectors of float32 at x + 4 i.
func (m *machine) block(x, i reg.Register) [4]operand.Mem {
	var b [4]operand.Mem
	for v := range b {
		b[v] = asm.At(x, i, 4, 32*v)
	}
	return b
}

// peak finds the peak of the k >= 64 elements at x.
func (m *machine) peak(x, k reg.GPVirtual) peak {
	size := operand.U32(blockSingles)
	last, i := m.GP64(), m.GP64()
	m.MOVQ(k, last)
	m.SUBQ(size, last)
	m.XORQ(i, i)
	var joined [4]reg.VecVirtual
	for v, from := range m.block(x, i) {
		joined[v] = m.YMM()
		m.VMOVUPS(from, joined[v])
	}
	join := func() {
		for v, from := range m.block(x, i) {
			m.VMAXPS(from, joined[v], joined[v])
		}
	}
	next, end := m.label("max"), m.label("maxLast")
	m.Label(next)
	m.ADDQ(size, i)
	m.CMPQ(i, last)
	m.JGE(operand.LabelRef(end))
	join()
	m.JMP(operand.LabelRef(next))
	m.Label(end)
	m.MOVQ(last, i) // the last block begins within the one before
	join()
	most := joined[0]
	m.VMAXPS(joined[1], most, most)
	m.VMAXPS(joined[3], joined[2], joined[2])
	m.VMAXPS(joined[2], most, most)
	value, h := m.XMM(), m.XMM()
	m.VEXTRACTF128(operand.Imm(1), most, value)
	m.VMAXPS(value, most.AsX(), value)
	for _, order := range []uint64{0x4e, 0xb1} {
		m.VPERMILPS(operand.Imm(order), value, h)
		m.VMAXPS(h, value, value)
	}
	m.VBROADCASTSS(value, most)
	top, times := m.find(x, k, most)
	return peak{value, top, times}
}

// find returns the lowest index at which a row has the value that fills v, and the
// number of such elements.
func (m *machine) find(x, k reg.GPVirtual, v reg.VecVirtual) (top, times reg.GPVirtual) {
	top, times = m.GP64(), m.GP64()
	m.XORQ(top, top)
	m.XORQ(times, times)
	i, rest := m.GP64(), m.GP64()
	// From the end, so that the lowest index comes last: first the elements behind
	// the last full block, in a block that ends with the row.
	m.MOVQ(k, i)
	m.SUBQ(operand.U32(blockSingles), i)
	m.MOVQ(k, rest)
	m.NOTQ(rest)
	m.ANDQ(operand.U32(blockSingles-1), rest)
	bits := m.hits(x, i, v)
	m.SHRXQ(rest, bits, bits)
	m.SHRQ(operand.Imm(1), bits)
	m.MOVQ(k, i)
	m.ANDQ(operand.I32(-blockSingles), i)
	note := func(bits reg.GPVirtual) {
		n, first := m.GP64(), m.GP64()
		m.POPCNTQ(bits, n)
		m.ADDQ(n, times)
		m.BSFQ(bits, first)
		m.LEAQ(asm.At(i, first, 1, 0), first)
		m.CMOVQNE(first, top)
	}
	note(bits)
	next := m.label("find")
	m.Label(next)
	m.SUBQ(operand.U32(blockSingles), i)
	note(m.hits(x, i, v))
	m.TESTQ(i, i)
	m.JNE(operand.LabelRef(next))
	return top, times
}

// hits returns a bit for each element of the block at x + 4 i, set where it
// equals those of v. The results are packed to bytes, half by half, so that a permutation
// brings them back into the order of the elements.
func (m *machine) hits(x, i reg.GPVirtual, v reg.VecVirtual) reg.GPVirtual {
	equal := operand.Imm(0) // EQ_OQ
	var at [4]reg.VecVirtual
	for p, from := range m.block(x, i) {
		at[p] = m.YMM()
		m.VCMPPS(equal, from, v, at[p])
	}
	m.VPACKSSDW(at[1], at[0], at[0])
	m.VPACKSSDW(at[3], at[2], at[2])
	m.VPACKSSWB(at[2], at[0], at[0])
	order := m.YMM()
	m.VMOVDQU(m.table("halves", 0|4<<32, 1|5<<32, 2|6<<32, 3|7<<32), order)
	m.VPERMD(at[0], order, at[0])
	bits := m.GP64()
	m.VPMOVMSKB(at[0], bits.As32())
	return bits
}
