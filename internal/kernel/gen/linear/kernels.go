package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// Rows and vectors of a tile: twelve independent sums.
const (
	tileRows    = 4
	tileVectors = 3
)

// tile emits the product of four rows of d >= 1 numbers with a panel, added to dst.
// Products and sums are rounded separately.
func (m *machine) tile() {
	m.Begin("tile", "func(dst, x0, x1, x2, x3, panel *float64, d int)")
	dst, panel, d := m.Loaded("dst"), m.Loaded("panel"), m.Loaded("d")
	var x [tileRows]reg.GPVirtual
	for r, name := range []string{"x0", "x1", "x2", "x3"} {
		x[r] = m.Loaded(name)
	}
	place := func(r, v int) operand.Mem {
		return operand.Mem{Base: dst, Disp: (r*tileVectors + v) * m.bytes()}
	}
	var sums [tileRows][]reg.VecVirtual
	for r := range sums {
		sums[r] = m.vectors(tileVectors)
		for v := range sums[r] {
			m.VMOVUPD(place(r, v), sums[r][v])
		}
	}
	i := m.GP64()
	m.XORQ(i, i)
	m.Label("next")
	weights := make([]operand.Op, tileVectors) // registers if there are 32
	for v := range weights {
		from := operand.Mem{Base: panel, Disp: v * m.bytes()}
		weights[v] = from
		if m.Wide {
			held := m.Vector()
			m.VMOVUPD(from, held)
			weights[v] = held
		}
	}
	for r := range sums {
		value := m.Filled(asm.At(x[r], i, 8, 0))
		for v, sum := range sums[r] {
			term := m.Vector()
			m.VMULPD(weights[v], value, term)
			m.VADDPD(term, sum, sum)
		}
	}
	m.ADDQ(operand.U32(tileVectors*m.bytes()), panel)
	m.INCQ(i)
	m.CMPQ(i, d)
	m.JNE(operand.LabelRef("next"))
	for r := range sums {
		for v, sum := range sums[r] {
			m.VMOVUPD(sum, place(r, v))
		}
	}
	m.Finish()
}

// dots emits the inner products of v with four or eight rows of float32, n >= 4
// numbers each, a multiple of 4: for each row four sums, by element mod 4. Row r
// begins at[r] elements into x. AVX-512 has no advantage for four sums. The rows
// behind next are prefetched.
func (m *machine) dots(rows int) {
	m.Begin(fmt.Sprintf("dots%d", rows), "func(dst *[4]float64, v *float64, x *float32, at *int, n int, next *float32)")
	dst, v, x, from, n := m.Loaded("dst"), m.Loaded("v"), m.Loaded("x"), m.Loaded("at"), m.Loaded("n")
	row := make([]reg.GPVirtual, rows)
	for r := range row {
		row[r] = m.GP64()
		m.MOVQ(operand.Mem{Base: from, Disp: 8 * r}, row[r])
		m.LEAQ(asm.At(x, row[r], 4, 0), row[r])
	}
	sums := m.vectors(rows)
	for _, s := range sums {
		m.VXORPD(s, s, s)
	}
	next := m.Loaded("next")
	i := m.GP64()
	m.XORQ(i, i)
	m.Label("next")
	value := m.Vector()
	m.VMOVUPD(asm.At(v, i, 8, 0), value)
	for line := range rows / 4 {
		m.PREFETCHT0(operand.Mem{Base: next, Disp: 64 * line})
	}
	m.ADDQ(operand.U32(16*rows), next)
	for r, s := range sums {
		term := m.Vector()
		m.VCVTPS2PD(asm.At(row[r], i, 4, 0), term)
		m.VMULPD(value, term, term)
		m.VADDPD(term, s, s)
	}
	m.ADDQ(operand.Imm(4), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef("next"))
	for r, s := range sums {
		m.VMOVUPD(s, operand.Mem{Base: dst, Disp: 32 * r})
	}
	m.Finish()
}

// sum emits dst += c_0 x_0 + c_1 x_1 + ... for rows >= 1 rows of float32, n >= 8
// numbers each, a multiple of 8. Row r begins at[r] elements into x.
func (m *machine) sum() {
	m.Begin("sum", "func(dst *float64, n int, c *float64, x *float32, at *int, rows int)")
	dst, n, c, x, from, rows := m.Loaded("dst"), m.Loaded("n"), m.Loaded("c"), m.Loaded("x"), m.Loaded("at"), m.Loaded("rows")
	m.Label("row")
	row, j := m.GP64(), m.GP64()
	m.MOVQ(operand.Mem{Base: from}, row)
	m.LEAQ(asm.At(x, row, 4, 0), row)
	factor := m.Filled(operand.Mem{Base: c})
	m.XORQ(j, j)
	m.Label("next")
	for p := range 8 / m.Width() {
		term := m.Vector()
		place := asm.At(dst, j, 8, p*m.bytes())
		m.VCVTPS2PD(asm.At(row, j, 4, p*m.bytes()/2), term)
		m.VMULPD(factor, term, term)
		m.VADDPD(place, term, term)
		m.VMOVUPD(term, place)
	}
	m.ADDQ(operand.Imm(8), j)
	m.CMPQ(j, n)
	m.JL(operand.LabelRef("next"))
	m.ADDQ(operand.Imm(8), from)
	m.ADDQ(operand.Imm(8), c)
	m.DECQ(rows)
	m.JNE(operand.LabelRef("row"))
	m.Finish()
}

// line emits dst = a + c s for n >= 8 numbers, a multiple of 8, and returns the
// lowest index of the largest.
func (m *machine) line() {
	m.Begin("line", "func(dst, a, s *float64, c float64, n int) (top int)")
	dst, a, s, n := m.Loaded("dst"), m.Loaded("a"), m.Loaded("s"), m.Loaded("n")
	c := m.fill("c")
	most := m.vectors(8 / m.Width())
	for p, v := range most { // of the first octet, to begin with
		m.value(v, c, a, s, operand.Mem{Disp: p * m.bytes()}, nil)
	}
	i := m.GP64()
	m.XORQ(i, i)
	m.Label("next")
	for p, v := range most {
		z := m.Vector()
		m.value(z, c, a, s, operand.Mem{Disp: p * m.bytes()}, i)
		m.VMOVUPD(z, asm.At(dst, i, 8, p*m.bytes()))
		m.VMAXPD(z, v, v)
	}
	m.ADDQ(operand.Imm(8), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef("next"))
	all := m.Filled(m.Largest(most))
	bits := m.GP64()
	m.XORQ(i, i)
	m.Label("search")
	m.equal(bits, all, dst, i)
	m.TESTQ(bits, bits)
	m.JNE(operand.LabelRef("found"))
	m.ADDQ(operand.Imm(uint64(m.Width())), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef("search"))
	m.XORQ(i, i) // none: some are NaN
	m.XORQ(bits, bits)
	m.INCQ(bits)
	m.Label("found")
	m.BSFQ(bits, bits)
	m.ADDQ(bits, i)
	m.MOVQ(i, m.Result("top"))
	m.Finish()
}

// equal writes a bit for each element of a vector of z that equals v.
func (m *machine) equal(bits reg.GPVirtual, v reg.VecVirtual, z, i reg.GPVirtual) {
	const equal = 0 // EQ_OQ
	if m.Wide {
		k := m.K()
		m.VCMPPD(operand.Imm(equal), asm.At(z, i, 8, 0), v, k)
		m.KMOVW(k, bits.As32())
		return
	}
	same := m.Vector()
	m.VCMPPD(operand.Imm(equal), asm.At(z, i, 8, 0), v, same)
	m.VMOVMSKPD(same, bits.As32())
}

// value writes a + c s of a vector to z.
func (m *machine) value(z, c reg.VecVirtual, a, s reg.GPVirtual, where operand.Mem, i reg.Register) {
	from := func(base reg.Register) operand.Mem {
		if i == nil {
			return operand.Mem{Base: base, Disp: where.Disp}
		}
		return asm.At(base, i, 8, where.Disp)
	}
	m.VMULPD(from(s), c, z)
	m.VADDPD(from(a), z, z)
}

// gaps emits dst = z - largest in float32 for n >= 8 numbers, a multiple of 8.
func (m *machine) gaps() {
	m.Begin("gaps", "func(dst *float32, z *float64, largest float64, n int)")
	dst, z, n := m.Loaded("dst"), m.Loaded("z"), m.Loaded("n")
	largest := m.fill("largest")
	i := m.GP64()
	m.XORQ(i, i)
	m.Label("next")
	for p := range 8 / m.Width() {
		d, single := m.Vector(), m.Singles()
		m.VMOVUPD(asm.At(z, i, 8, p*m.bytes()), d)
		m.VSUBPD(largest, d, d)
		if m.Wide {
			m.VCVTPD2PS(d, single)
		} else {
			m.VCVTPD2PSY(d, single)
		}
		m.VMOVUPS(single, asm.At(dst, i, 4, p*m.bytes()/2))
	}
	m.ADDQ(operand.Imm(8), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef("next"))
	m.Finish()
}

// divide emits v = v/by for n >= 8 numbers, a multiple of 8.
func (m *machine) divide() {
	m.Begin("divide", "func(v *float64, by float64, n int)")
	v, n := m.Loaded("v"), m.Loaded("n")
	by := m.fill("by")
	i := m.GP64()
	m.XORQ(i, i)
	m.Label("next")
	for p := range 8 / m.Width() {
		q, place := m.Vector(), asm.At(v, i, 8, p*m.bytes())
		m.VMOVUPD(place, q)
		m.VDIVPD(by, q, q)
		m.VMOVUPD(q, place)
	}
	m.ADDQ(operand.Imm(8), i)
	m.CMPQ(i, n)
	m.JL(operand.LabelRef("next"))
	m.Finish()
}
