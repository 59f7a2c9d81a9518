package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// Eight rows of few classes are processed abreast, one in each lane. While the
// peaks are found, their logits are transposed once into the stack frame, four
// classes at a time and the rest one by one; the sums read them from there.

// narrow is the constant of package softmax: rows abreast have fewer classes.
const narrow = 64

// abreast is eight rows abreast: their logits, class by class, and peaks.
type abreast struct {
	logits operand.Mem // 64 x 8 float32, from the first multiple of 32 bytes on
	offset operand.Mem // of each row from the first, in elements
}

func (m *machine) abreast(k reg.GPVirtual) *abreast {
	one, offset := m.XMM(), m.YMM()
	m.VMOVD(k.As32(), one)
	m.VPBROADCASTD(one, offset)
	m.VPMULLD(m.table("rowNumbers", 0|1<<32, 2|3<<32, 4|5<<32, 6|7<<32), offset, offset)
	return &abreast{m.AllocLocal(32*narrow + 32), m.keep(offset)}
}

// gather loads the float32 of class at of the eight rows.
func (m *machine) gather(a *abreast, class reg.GPVirtual) reg.VecVirtual {
	offset, l := m.YMM(), m.YMM()
	m.VMOVUPS(a.offset, offset)
	from := operand.Mem{Base: class, Index: offset, Scale: 4}
	all := m.YMM()
	m.VPCMPEQD(all, all, all)
	m.VXORPS(l, l, l)
	m.VGATHERDPS(all, from, l)
	return l
}

// place writes the address of the logits in the frame.
func (m *machine) place(a *abreast, to reg.GPVirtual) {
	m.LEAQ(a.logits.Offset(31), to)
	m.ANDQ(operand.I32(-32), to)
}

// eachClass runs body for the eight logits of every class, in order, and keeps
// them in the frame.
func (m *machine) eachClass(a *abreast, x, k reg.GPVirtual, body func(l reg.VecVirtual)) {
	class, place, left := m.GP64(), m.GP64(), m.GP64()
	m.MOVQ(x, class)
	m.place(a, place)
	m.MOVQ(k, left)
	// step processes n classes at a time as long as n are left.
	step := func(n int, load func() []reg.VecVirtual) {
		loop, end := m.label("class"), m.label("classEnd")
		m.SUBQ(operand.Imm(uint64(n)), left)
		m.JLT(operand.LabelRef(end))
		m.Label(loop)
		for i, l := range load() {
			m.VMOVUPS(l, operand.Mem{Base: place, Disp: 32 * i})
			body(l)
		}
		m.ADDQ(operand.Imm(uint64(4*n)), class)
		m.ADDQ(operand.U32(32*n), place)
		m.SUBQ(operand.Imm(uint64(n)), left)
		m.JGE(operand.LabelRef(loop))
		m.Label(end)
		m.ADDQ(operand.Imm(uint64(n)), left)
	}
	triple := m.GP64()
	m.LEAQ(asm.At(k, k, 2, 0), triple)
	step(4, func() []reg.VecVirtual { return m.transpose4(class, k, triple) })
	step(1, func() []reg.VecVirtual { return []reg.VecVirtual{m.gather(a, class)} })
}

// transpose4 returns the float32 of the four classes from class on, each of
// the eight rows, which are k apart; triple is 3 k.
func (m *machine) transpose4(class, k, triple reg.GPVirtual) []reg.VecVirtual {
	upper := m.GP64() // row 4
	m.LEAQ(asm.At(class, k, 8, 0), upper)
	m.LEAQ(asm.At(upper, k, 8, 0), upper)
	rows := make([]reg.VecVirtual, 4) // r and, above, r + 4
	for r := range rows {
		row := func(base reg.Register) operand.Mem {
			return [...]operand.Mem{{Base: base}, asm.At(base, k, 4, 0), asm.At(base, k, 8, 0), asm.At(base, triple, 4, 0)}[r]
		}
		low := m.XMM()
		m.VMOVUPS(row(class), low)
		rows[r] = m.YMM()
		m.join128(row(upper), low, rows[r])
	}
	pairs := make([]reg.VecVirtual, 4) // classes 0 and 1, 2 and 3 of rows 0 and 1; of rows 2 and 3
	for i := range pairs {
		pairs[i] = m.YMM()
	}
	m.VUNPCKLPS(rows[1], rows[0], pairs[0])
	m.VUNPCKHPS(rows[1], rows[0], pairs[1])
	m.VUNPCKLPS(rows[3], rows[2], pairs[2])
	m.VUNPCKHPS(rows[3], rows[2], pairs[3])
	classes := make([]reg.VecVirtual, 4)
	for c := range classes {
		classes[c] = m.YMM()
		if c%2 == 0 {
			m.VUNPCKLPD(pairs[2+c/2], pairs[c/2], classes[c])
		} else {
			m.VUNPCKHPD(pairs[2+c/2], pairs[c/2], classes[c])
		}
	}
	return classes
}

// peaks transposes the rows at x and returns the peaks and their first indices, in
// eight float32 and eight int32.
func (m *machine) peaks(a *abreast, x, k reg.GPVirtual) (values, tops operand.Mem) {
	value, one := m.YMM(), m.YMM()
	m.VMOVUPS(m.singlesTable("minusInf", 0xff800000), value)
	m.VMOVUPS(m.singlesTable("ones", 1), one)
	top, j := m.zero(), m.zero()
	m.eachClass(a, x, k, func(l reg.VecVirtual) {
		greater := operand.Imm(0x1e) // GT_OQ
		more := m.YMM()
		m.VCMPPS(greater, value, l, more)
		m.VPBLENDVB(more, j, top, top)
		m.VMAXPS(l, value, value)
		m.VPADDD(one, j, j)
	})
	return m.keep(value), m.keep(top)
}

// singlesTable is a table of eight equal words of 32 bits.
func (m *machine) singlesTable(name string, w uint32) operand.Mem {
	two := uint64(w) | uint64(w)<<32
	return m.table(name, two, two, two, two)
}

// keep stores eight float32 or int32 in the stack frame.
func (m *machine) keep(v reg.VecVirtual) operand.Mem {
	slot := m.AllocLocal(32)
	m.VMOVUPS(v, slot)
	return slot
}

// part loads the four kept values for vector p of an octet.
func (m *machine) part(kept operand.Mem, p int) reg.VecVirtual {
	v := m.XMM()
	m.VMOVUPS(kept.Offset(16*p), v)
	return v
}

// minusAbreast returns the negatives of the float32 in v, and +0 for both zeros.
func (m *machine) minusAbreast(v reg.VecVirtual) operand.Op {
	d, minus := m.YMM(), m.zero()
	m.VCVTPS2PD(v, d)
	m.VSUBPD(d, minus, minus)
	return m.hold(minus)
}

// abreastSums runs body for the differences d and exponentials v of each class, of
// vector p of the octet of rows. It returns, in four int32, the number of classes that
// have the logit value, whose negative is minus.
func (m *machine) abreastSums(e *power, a *abreast, k reg.GPVirtual, p int, value reg.VecVirtual, minus operand.Op, r rate, body func(d, v reg.VecVirtual)) reg.VecVirtual {
	times := m.XMM()
	m.VPXOR(times, times, times)
	place, left := m.GP64(), m.GP64()
	m.place(a, place)
	m.MOVQ(k, left)
	loop := m.label("sum")
	m.Label(loop)
	from := operand.Mem{Base: place, Disp: 16 * p}
	d, at := m.gaps(from, minus, nil), m.XMM()
	m.VCMPPS(operand.Imm(0), from, value, at) // EQ_OQ
	m.VPSUBD(at, times, times)
	body(d, e.of(d, r, nil))
	m.ADDQ(operand.Imm(32), place)
	m.DECQ(left)
	m.JNE(operand.LabelRef(loop))
	return times
}

// addTies adds to the totals the number of classes besides the top one that have its
// logit.
func (m *machine) addTies(times reg.VecVirtual, totals ...reg.VecVirtual) {
	one := m.singlesTable("ones", 1)
	m.VPSUBD(one, times, times)
	ties := m.YMM()
	m.VCVTDQ2PD(times, ties)
	for _, total := range totals {
		m.VADDPD(ties, total, total)
	}
}

// rowsAbreast emits the moments of eight rows of k < 64 logits at each turn, n
// turns; scale, of eight, advances by step bytes.
func (m *machine) rowsAbreast() {
	m.Begin("rowsAbreastAVX2", "func(dst *byte, x *float32, n, k int, scale *float64, step int)")
	dst, x, n, k := m.Loaded("dst"), m.Loaded("x"), m.Loaded("n"), m.Loaded("k")
	from := m.Loaded("scale")
	e, a := m.power(), m.abreast(k)
	turn := m.label("turn")
	m.Label(turn)
	values, tops := m.peaks(a, x, k)
	for p := range 2 {
		value := m.part(values, p)
		minus, s := m.minusAbreast(value), m.YMM()
		m.VMOVUPD(operand.Mem{Base: from, Disp: 32 * p}, s)
		c := m.rate(s)
		tail, s1, s2 := m.zero(), m.zero(), m.zero()
		times := m.abreastSums(e, a, k, p, value, minus, c, func(d, v reg.VecVirtual) {
			m.VADDPD(v, tail, tail)
			m.VMULPD(d, v, v)
			m.VADDPD(v, s1, s1)
			m.VFMADD231PD(d, v, s2)
		})
		m.addTies(times, tail)
		m.store(dst, 128*p, value, m.part(tops, p), tail, s1, s2)
	}
	rows := m.GP64()
	m.MOVQ(k, rows)
	m.SHLQ(operand.Imm(5), rows)
	m.ADDQ(rows, x)
	m.ADDQ(m.Argument("step"), from)
	m.ADDQ(operand.U32(256), dst)
	m.DECQ(n)
	m.JNE(operand.LabelRef(turn))
	m.Finish()
}

// scoresAbreast emits the scores of eight rows of k < 64 logits at m >= 1
// scales; scale and dst are m x 8: tails, then squares, each for eight rows.
func (m *machine) scoresAbreast() {
	m.Begin("scoresAbreastAVX2", "func(dst *byte, top *int32, x *float32, k int, scale *float64, m int)")
	dst, x, k := m.Loaded("dst"), m.Loaded("x"), m.Loaded("k")
	e, a := m.power(), m.abreast(k)
	values, tops := m.peaks(a, x, k)
	to := m.Loaded("top")
	all := m.YMM()
	m.VMOVUPS(tops, all)
	m.VMOVUPS(all, operand.Mem{Base: to})
	from, left := m.GP64(), m.GP64()
	for p := range 2 {
		value := m.part(values, p)
		minus := m.minusAbreast(value)
		m.Load(m.Param("scale"), from)
		m.MOVQ(m.Argument("m"), left)
		m.Load(m.Param("dst"), dst)
		scale, s := m.label("scale"), m.YMM()
		m.Label(scale)
		m.VMOVUPD(operand.Mem{Base: from, Disp: 32 * p}, s)
		c := m.rate(s)
		tail, squares := m.zero(), m.zero()
		times := m.abreastSums(e, a, k, p, value, minus, c, func(_, v reg.VecVirtual) {
			m.VADDPD(v, tail, tail)
			m.VFMADD231PD(v, v, squares)
		})
		m.addTies(times, tail, squares)
		m.VMOVUPD(tail, operand.Mem{Base: dst, Disp: 32 * p})
		m.VMOVUPD(squares, operand.Mem{Base: dst, Disp: 64 + 32*p})
		m.ADDQ(operand.Imm(64), from)
		m.ADDQ(operand.U32(128), dst)
		m.DECQ(left)
		m.JNE(operand.LabelRef(scale))
	}
	m.Finish()
}

// tailsAbreast emits the tails of eight rows of 2 <= k < 64 logits, counted in
// units: of each row the two largest logits, the classes below them in units,
// and the number of classes at the second.
func (m *machine) tailsAbreast() {
	m.Begin("tailsAbreastAVX2", "func(dst *byte, x *float32, k int, unit float64)")
	dst, x, k := m.Loaded("dst"), m.Loaded("x"), m.Loaded("k")
	e, a := m.power(), m.abreast(k)
	unit, integral := m.hold(m.Filled(m.Argument("unit"))), m.number("integral", 0x1p52)
	c := m.rate(m.Filled(m.table("one", math.Float64bits(1))))
	b := best{m.YMM(), m.YMM()}
	lowest := m.singlesTable("minusInf", 0xff800000)
	m.VMOVUPS(lowest, b.first)
	m.VMOVUPS(lowest, b.second)
	m.eachClass(a, x, k, func(l reg.VecVirtual) {
		m.raise(b, l)
	})
	m.VMOVUPS(b.first, operand.Mem{Base: dst})
	m.VMOVUPS(b.second, operand.Mem{Base: dst, Disp: 32})
	seconds := m.keep(b.second)
	for p := range 2 {
		second := m.part(seconds, p)
		minus, sum := m.minusAbreast(second), m.zero()
		times := m.abreastSums(e, a, k, p, second, minus, c, func(_, v reg.VecVirtual) { m.count(v, unit, integral, sum) })
		m.VMOVUPD(sum, operand.Mem{Base: dst, Disp: 64 + 32*p})
		m.VMOVUPS(times, operand.Mem{Base: dst, Disp: 128 + 16*p})
	}
	m.Finish()
}
