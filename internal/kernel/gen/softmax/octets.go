package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// mask states which elements of an octet count, for one of its vectors.
type mask struct {
	load, lanes reg.Register // of float32 and of float64
}

// mask returns the mask of vector p of an octet by its bits; nil for nil.
func (m *machine) mask(bits reg.Register, p int) *mask {
	if bits == nil {
		return nil
	}
	b := bits.(reg.GPVirtual).As32()
	if m.Wide {
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

// gaps returns the float64 differences between a vector of logits and the logit
// whose negative is minus. The differences of elements equal to that logit are +0,
// for any signs of zeros.
func (m *machine) gaps(from operand.Mem, minus operand.Op, only *mask) reg.VecVirtual {
	d := m.Vector()
	if only == nil {
		m.VCVTPS2PD(from, d)
	} else {
		l := m.Singles()
		if m.Wide {
			m.VMOVUPS_Z(from, only.load, l)
		} else {
			m.VMASKMOVPS(from, only.load, l)
		}
		m.VCVTPS2PD(l, d)
	}
	m.VADDPD(minus, d, d)
	return d
}

// minus returns the negative of the float32 in lane 0 of v in all lanes; for either
// zero it is +0.
func (m *machine) minus(v reg.VecVirtual) operand.Op {
	x := m.XMM()
	m.VCVTSS2SD(v, v, x)
	all, minus := m.Filled(x), m.zero()
	m.VSUBPD(all, minus, minus)
	return m.hold(minus)
}

// unroll is the number of octets that octets passes to body at a time.
func (m *machine) unroll() int {
	if m.Wide {
		return 2
	}
	return 1
}

// octets runs body for the octets of a row of k in order: for several at a
// time, for one, and for the rest of the row, with the bits of its elements.
func (m *machine) octets(k reg.GPVirtual, body func(i reg.GPVirtual, octets int, bits reg.Register)) {
	i := m.GP64()
	m.XORQ(i, i)
	for n := m.unroll(); n > 0; n /= 2 {
		loop, end := m.label("octets"), m.label("octetsEnd")
		last := m.GP64()
		m.LEAQ(operand.Mem{Base: k, Disp: -8 * n}, last)
		m.CMPQ(i, last)
		m.JGT(operand.LabelRef(end))
		m.Label(loop)
		body(i, n, nil)
		m.ADDQ(operand.Imm(uint64(8*n)), i)
		m.CMPQ(i, last)
		m.JLE(operand.LabelRef(loop))
		m.Label(end)
	}
	done := m.label("rest")
	m.CMPQ(i, k)
	m.JGE(operand.LabelRef(done))
	left, bits := m.GP64(), m.GP64()
	m.MOVQ(k, left)
	m.SUBQ(i, left)
	m.MOVQ(operand.U32(255), bits)
	m.BZHIQ(left, bits, bits)
	body(i, 1, bits)
	m.Label(done)
}

// groups returns the vectors of octets in groups small enough for the registers of
// power.of.
func (m *machine) groups(octets int) [][]part {
	if m.Wide {
		all := make([]part, octets)
		for o := range all {
			all[o].disp = 32 * o
		}
		return [][]part{all}
	}
	var groups [][]part
	for o := range octets {
		for p := range 2 {
			groups = append(groups, []part{{32*o + 16*p, p}})
		}
	}
	return groups
}

// part is a vector of an octet: the place of its logits and its index.
type part struct{ disp, p int }

// exponentials loops over the row of k logits at x. It calls each for every vector
// of exponentials v, with the differences d, the index of the vector in its octet,
// its position in the row (element i and disp bytes), and its mask. The vectors of
// several octets come together. Several rates, for which a wide machine has
// registers, share the differences. minus is the negative of the largest logit.
// next is the address to prefetch.
func (m *machine) exponentials(e *power, x, k reg.GPVirtual, next *reg.GPVirtual, minus operand.Op, rates []rate, each func(t term)) {
	m.octets(k, func(i reg.GPVirtual, octets int, bits reg.Register) {
		if next != nil {
			m.PREFETCHT0(asm.At(*next, i, 4, 0))
		}
		for _, group := range m.groups(octets) {
			var terms []term
			for _, v := range group {
				only := m.mask(bits, v.p)
				d := m.gaps(asm.At(x, i, 4, v.disp), minus, only)
				if rates[0].least == nil {
					only = m.negative(d, only)
				}
				for s := range rates {
					terms = append(terms, term{d: d, scale: s, part: v, i: i, only: only})
				}
			}
			for ; len(terms) > 0; terms = terms[min(m.unroll(), len(terms)):] {
				e.exponentiate(terms[:min(m.unroll(), len(terms))], rates, each)
			}
		}
	})
}

// negative returns the mask of the elements of d (and of a mask, if any) whose sign
// is set: all except the largest logit.
func (m *machine) negative(d reg.VecVirtual, only *mask) *mask {
	k := m.K()
	m.VPMOVQ2M(d, k)
	if only == nil {
		return &mask{lanes: k}
	}
	m.KANDW(only.lanes, k, k)
	return &mask{only.load, k}
}

// exponentiate runs each for the terms, whose exponentials are computed
// together.
func (e *power) exponentiate(terms []term, rates []rate, each func(t term)) {
	var d []reg.VecVirtual
	var r []rate
	var only []*mask
	for _, t := range terms {
		d, r, only = append(d, t.d), append(r, rates[t.scale]), append(only, t.only)
	}
	for g, v := range e.of(d, r, only) {
		terms[g].v = v
		each(terms[g])
	}
}

// term is a vector of exponentials v of differences d at one of the scales.
type term struct {
	v, d  reg.VecVirtual
	scale int
	part
	i    reg.GPVirtual
	only *mask
}
