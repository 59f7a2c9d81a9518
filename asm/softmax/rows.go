package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// peak is the largest element of a row and where it stands first.
type peak struct {
	value reg.VecVirtual // float32, in lane 0
	top   reg.GPVirtual
}

// blockSingles is the number of float32 that peak looks at in one turn.
func (m *machine) blockSingles() int { return 8 * m.width() }

// block returns the four vectors of float32 at x + 4 i.
func (m *machine) block(x, i reg.Register) [4]operand.Mem {
	var b [4]operand.Mem
	for v := range b {
		b[v] = at(x, i, 4, 8*m.width()*v)
	}
	return b
}

// peak finds the peak of the k >= 64 elements at x. Reads past the last full
// block begin earlier, within the row. A row of NaN has its peak at 0.
func (m *machine) peak(x, k reg.GPVirtual) peak {
	size := operand.U32(m.blockSingles())
	last, i := m.GP64(), m.GP64()
	m.MOVQ(k, last)
	m.SUBQ(size, last)
	m.XORQ(i, i)
	var most [4]reg.VecVirtual
	for v, from := range m.block(x, i) {
		most[v] = m.vector()
		m.VMOVUPS(from, most[v])
	}
	raise := func() {
		for v, from := range m.block(x, i) {
			m.VMAXPS(from, most[v], most[v])
		}
	}
	next, end := m.label("max"), m.label("maxLast")
	m.Label(next)
	m.ADDQ(size, i)
	m.CMPQ(i, last)
	m.JGE(operand.LabelRef(end))
	raise()
	m.JMP(operand.LabelRef(next))
	m.Label(end)
	m.MOVQ(last, i)
	raise()
	m.VMAXPS(most[1], most[0], most[0])
	m.VMAXPS(most[3], most[2], most[2])
	m.VMAXPS(most[2], most[0], most[0])
	value := m.largest(most[0])
	m.VBROADCASTSS(value, most[0])
	return peak{value, m.find(x, last, most[0])}
}

// largest returns the largest float32 of a vector in lane 0 of another.
func (m *machine) largest(v reg.VecVirtual) reg.VecVirtual {
	y := m.YMM()
	if m.wide {
		m.VEXTRACTF64X4(operand.Imm(1), v, y)
		m.VMAXPS(y, v.AsY(), y)
	} else {
		m.VMOVAPS(v, y)
	}
	x, h := m.XMM(), m.XMM()
	m.VEXTRACTF128(operand.Imm(1), y, x)
	m.VMAXPS(x, y.AsX(), x)
	m.VPERMILPS(operand.Imm(0x4e), x, h)
	m.VMAXPS(h, x, x)
	m.VPERMILPS(operand.Imm(0xb1), x, h)
	m.VMAXPS(h, x, x)
	return x
}

// find returns the lowest index at which a row has the value that fills v, 0
// if there is none; last is where its last full block begins.
func (m *machine) find(x, last reg.GPVirtual, v reg.VecVirtual) reg.GPVirtual {
	equal := operand.Imm(0) // EQ_OQ
	top, i, bits, more := m.GP64(), m.GP64(), m.GP64(), m.GP64()
	search, found, done := m.label("search"), m.label("found"), m.label("top")
	m.XORQ(i, i)
	m.XORQ(top, top)
	m.Label(search)
	var hits [4]reg.Register
	if m.wide {
		for b, from := range m.block(x, i) {
			k := m.K()
			m.VCMPPS(equal, from, v, k)
			hits[b] = k
		}
		a, b := m.K(), m.K()
		m.KORW(hits[0], hits[1], a)
		m.KORW(hits[2], hits[3], b)
		m.KORTESTW(a, b)
	} else {
		for b, from := range m.block(x, i) {
			y := m.YMM()
			m.VCMPPS(equal, from, v, y)
			hits[b] = y
		}
		a, b := m.YMM(), m.YMM()
		m.VORPS(hits[0], hits[1], a)
		m.VORPS(hits[2], hits[3], b)
		m.VORPS(a, b, a)
		m.VMOVMSKPS(a, bits.As32())
		m.TESTL(bits.As32(), bits.As32())
	}
	m.JNE(operand.LabelRef(found))
	m.CMPQ(i, last)
	m.JGE(operand.LabelRef(done))
	m.ADDQ(operand.U32(m.blockSingles()), i)
	m.CMPQ(i, last)
	m.CMOVQGT(last, i)
	m.JMP(operand.LabelRef(search))
	m.Label(found)
	m.XORQ(bits, bits)
	for b := 3; b >= 0; b-- {
		m.SHLQ(operand.Imm(uint64(2*m.width())), bits)
		if m.wide {
			m.KMOVW(hits[b], more.As32())
		} else {
			m.VMOVMSKPS(hits[b], more.As32())
		}
		m.ORQ(more, bits)
	}
	m.BSFQ(bits, top)
	m.ADDQ(i, top)
	m.Label(done)
	return top
}

// mask says which elements of an octet count, for one of its vectors.
type mask struct {
	load, lanes reg.Register // of float32 and of float64
}

// chosen returns the bits of the elements i, ..., i+7 that lie in a row of k and
// are not its top.
func (m *machine) chosen(i, k, top reg.GPVirtual) reg.GPVirtual {
	bits, left, eight := m.GP64(), m.GP64(), m.GP64()
	m.MOVQ(k, left)
	m.SUBQ(i, left)
	m.MOVQ(operand.U32(8), eight)
	m.CMPQ(left, eight)
	m.CMOVQGT(eight, left)
	m.MOVQ(operand.U32(255), bits)
	m.BZHIQ(left, bits, bits)
	in := m.label("in")
	m.MOVQ(top, left)
	m.SUBQ(i, left)
	m.CMPQ(left, eight)
	m.JCC(operand.LabelRef(in)) // top is no less than 8 away, unsigned
	m.BTRQ(left, bits)
	m.Label(in)
	return bits
}

// mask returns the mask of vector p of an octet by its bits; nil for nil.
func (m *machine) mask(bits reg.Register, p int) *mask {
	if bits == nil {
		return nil
	}
	b := bits.(reg.GPVirtual).As32()
	if m.wide {
		k := m.K()
		m.KMOVW(b, k)
		return &mask{k, k}
	}
	bit := m.table([]string{"bits0", "bits1"}[p], 1<<(4*p)|2<<(4*p)<<32, 4<<(4*p)|8<<(4*p)<<32)
	load, lanes := m.XMM(), m.YMM()
	m.VMOVD(b, load)
	m.VPBROADCASTD(load, load)
	m.VPAND(bit, load, load)
	m.VPCMPEQD(bit, load, load)
	m.VPMOVSXDQ(load, lanes)
	return &mask{load, lanes}
}

// gaps returns, for vector p of the octet at from, the float64 differences of
// its logits to most.
func (m *machine) gaps(from operand.Mem, p int, most operand.Op, only *mask) reg.VecVirtual {
	from = from.Offset(4 * m.width() * p)
	d := m.vector()
	if only == nil {
		m.VCVTPS2PD(from, d)
	} else {
		l := m.singles()
		if m.wide {
			m.VMOVUPS_Z(from, only.load, l)
		} else {
			m.VMASKMOVPS(from, only.load, l)
		}
		m.VCVTPS2PD(l, d)
	}
	m.VSUBPD(most, d, d)
	return d
}

// octets runs body for the octets of a row of k in order: with nil for those
// that count in full, with the bits of those elements that do for that of the
// top class, which does not, and for the rest of the row.
func (m *machine) octets(k, top reg.GPVirtual, body func(i reg.GPVirtual, bits reg.Register)) {
	i, stop := m.GP64(), m.GP64()
	loop, special, done := m.label("octets"), m.label("special"), m.label("octetsDone")
	m.XORQ(i, i)
	m.MOVQ(top, stop)
	m.ANDQ(operand.I8(-8), stop)
	enter := m.label("enter")
	m.Label(enter)
	m.CMPQ(i, stop)
	m.JGE(operand.LabelRef(special))
	m.Label(loop)
	body(i, nil)
	m.ADDQ(operand.Imm(8), i)
	m.CMPQ(i, stop)
	m.JLT(operand.LabelRef(loop))
	m.Label(special)
	m.CMPQ(i, k)
	m.JGE(operand.LabelRef(done))
	body(i, m.chosen(i, k, top))
	m.ADDQ(operand.Imm(8), i)
	m.MOVQ(k, stop)
	m.ANDQ(operand.I8(-8), stop)
	m.JMP(operand.LabelRef(enter))
	m.Label(done)
}

// lanesOf returns the mask of lanes, nil for all.
func (o *mask) lanesOf() reg.Register {
	if o == nil {
		return nil
	}
	return o.lanes
}

// rows emits the moments of n >= 1 rows of k >= 64 logits; scale advances by
// step bytes.
func (m *machine) rows() {
	m.function("rows", "func(dst *byte, x *float32, n, k int, scale *float64, step int)")
	dst, x, n, k := m.param("dst"), m.param("x"), m.param("n"), m.param("k")
	from, step := m.param("scale"), m.param("step")
	e := m.power()
	row := m.label("row")
	m.Label(row)
	top := m.peak(x, k)
	m.VMOVSS(top.value, operand.Mem{Base: dst})
	m.MOVL(top.top.As32(), operand.Mem{Base: dst, Disp: 4})
	most, s := m.vector(), m.vector()
	m.VCVTSS2SD(top.value, top.value, top.value)
	m.VBROADCASTSD(top.value, most)
	m.VBROADCASTSD(operand.Mem{Base: from}, s)
	parts := e.split(s)
	largest := m.hold(most)
	tail, s1, s2 := m.zeros(m.parts()), m.zeros(m.parts()), m.zeros(m.parts())
	next := m.GP64()
	m.LEAQ(at(x, k, 4, 0), next)
	m.octets(k, top.top, func(i reg.GPVirtual, bits reg.Register) {
		m.PREFETCHT0(at(next, i, 4, 0))
		for p := range m.parts() {
			only := m.mask(bits, p)
			d := m.gaps(at(x, i, 4, 0), p, largest, only)
			v := e.of(d, parts, only.lanesOf())
			m.VADDPD(v, tail[p], tail[p])
			m.VMULPD(d, v, v)
			m.VADDPD(v, s1[p], s1[p])
			m.VMULPD(d, v, v)
			m.VADDPD(v, s2[p], s2[p])
		}
	})
	for j, sums := range [][]reg.VecVirtual{tail, s1, s2} {
		m.VMOVSD(m.fold(sums), operand.Mem{Base: dst, Disp: 8 * (1 + j)})
	}
	m.MOVQ(next, x)
	m.ADDQ(step, from)
	m.ADDQ(operand.Imm(32), dst)
	m.DECQ(n)
	m.JNE(operand.LabelRef(row))
	m.finish()
}
