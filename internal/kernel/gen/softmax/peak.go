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
func (m *machine) blockSingles() int { return 8 * m.Width() }

// block returns the four vectors of float32 at x + 4 i.
func (m *machine) block(x, i reg.Register) [4]operand.Mem {
	var b [4]operand.Mem
	for v := range b {
		b[v] = asm.At(x, i, 4, 8*m.Width()*v)
	}
	return b
}

// peak finds the peak of the k >= 64 elements at x.
func (m *machine) peak(x, k reg.GPVirtual) peak {
	most, value := m.foldRow(x, k, "max", func(o ...operand.Op) { m.VMAXPS(o...) })
	m.VBROADCASTSS(value, most)
	top, times := m.find(x, k, most)
	return peak{value, top, times}
}

// foldRow returns the k >= 64 elements at x joined by the commutative op, in lane 0
// of value; most is free.
func (m *machine) foldRow(x, k reg.GPVirtual, name string, op func(ops ...operand.Op)) (most, value reg.VecVirtual) {
	size := operand.U32(m.blockSingles())
	last, i := m.GP64(), m.GP64()
	m.MOVQ(k, last)
	m.SUBQ(size, last)
	m.XORQ(i, i)
	var joined [4]reg.VecVirtual
	for v, from := range m.block(x, i) {
		joined[v] = m.Vector()
		m.VMOVUPS(from, joined[v])
	}
	join := func() {
		for v, from := range m.block(x, i) {
			op(from, joined[v], joined[v])
		}
	}
	next, end := m.label(name), m.label(name+"Last")
	m.Label(next)
	m.ADDQ(size, i)
	m.CMPQ(i, last)
	m.JGE(operand.LabelRef(end))
	join()
	m.JMP(operand.LabelRef(next))
	m.Label(end)
	m.MOVQ(last, i) // the last block begins within the one before
	join()
	op(joined[1], joined[0], joined[0])
	op(joined[3], joined[2], joined[2])
	op(joined[2], joined[0], joined[0])
	return joined[0], m.foldSingles(joined[0], op)
}

// foldSingles returns the float32 of a vector joined by the commutative op, in lane
// 0 of another.
func (m *machine) foldSingles(v reg.VecVirtual, op func(ops ...operand.Op)) reg.VecVirtual {
	y := m.YMM()
	if m.Wide {
		m.VEXTRACTF64X4(operand.Imm(1), v, y)
		op(y, v.AsY(), y)
	} else {
		m.VMOVAPS(v, y)
	}
	x, h := m.XMM(), m.XMM()
	m.Upper(y, x)
	op(x, y.AsX(), x)
	for _, order := range []uint64{0x4e, 0xb1} {
		m.VPERMILPS(operand.Imm(order), x, h)
		op(h, x, x)
	}
	return x
}

// find returns the lowest index at which a row has the value that fills v, and the
// number of such elements.
func (m *machine) find(x, k reg.GPVirtual, v reg.VecVirtual) (top, times reg.GPVirtual) {
	top, times = m.GP64(), m.GP64()
	m.XORQ(top, top)
	m.XORQ(times, times)
	size := m.blockSingles()
	i, rest := m.GP64(), m.GP64()
	// From the end, so that the lowest index comes last: first the elements behind
	// the last full block, in a block that ends with the row.
	m.MOVQ(k, i)
	m.SUBQ(operand.U32(size), i)
	m.MOVQ(k, rest)
	m.NOTQ(rest)
	m.ANDQ(operand.U32(size-1), rest)
	bits := m.hits(x, i, v)
	m.SHRXQ(rest, bits, bits)
	m.SHRQ(operand.Imm(1), bits)
	m.MOVQ(k, i)
	m.ANDQ(operand.I32(-size), i)
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
	m.SUBQ(operand.U32(size), i)
	note(m.hits(x, i, v))
	m.TESTQ(i, i)
	m.JNE(operand.LabelRef(next))
	return top, times
}

// hits returns a bit for each element of the block at x + 4 i, set where it
// equals those of v.
func (m *machine) hits(x, i reg.GPVirtual, v reg.VecVirtual) reg.GPVirtual {
	equal := operand.Imm(0) // EQ_OQ
	bits, more := m.GP64(), m.GP64()
	block := m.block(x, i)
	for p := 3; p >= 0; p-- {
		to := more
		if p == 3 {
			to = bits
		}
		if m.Wide {
			k := m.K()
			m.VCMPPS(equal, block[p], v, k)
			m.KMOVW(k, to.As32())
		} else {
			y := m.YMM()
			m.VCMPPS(equal, block[p], v, y)
			m.VMOVMSKPS(y, to.As32())
		}
		if p < 3 {
			m.SHLQ(operand.Imm(uint64(2*m.Width())), bits)
			m.ORQ(more, bits)
		}
	}
	return bits
}
