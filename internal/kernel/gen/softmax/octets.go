package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

// mask states which elements of an octet count, for one of its vectors.
type mask struct {
	load, lanes reg.VecVirtual // of float32 and of float64
}

// mask returns the mask of vector p of an octet by its bits.
func (m *machine) mask(bits reg.GPVirtual, p int) *mask {
	bit := m.table([]string{"bits0", "bits1"}[p], 1<<(4*p)|2<<(4*p)<<32, 4<<(4*p)|8<<(4*p)<<32)
	load, lanes := m.XMM(), m.YMM()
	m.VMOVD(bits.As32(), load)
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
	d := m.YMM()
	if only == nil {
		m.VCVTPS2PD(from, d)
	} else {
		l := m.XMM()
		m.VMASKMOVPS(from, only.load, l)
		m.VCVTPS2PD(l, d)
	}
	m.VADDPD(minus, d, d)
	return d
}

// minus returns the negative of the float32 in lane 0 of v in all lanes; for either
// zero it is +0.
func (m *machine) minus(v reg.VecVirtual) operand.Mem {
	x := m.XMM()
	m.VCVTSS2SD(v, v, x)
	all, minus := m.Filled(x), m.zero()
	m.VSUBPD(all, minus, minus)
	return m.hold(minus)
}

// octets runs body for the octets of a row of k in order, the last of which may be
// short: for vector p of the octet from element i on, with a mask if it is short.
func (m *machine) octets(k reg.GPVirtual, body func(i reg.GPVirtual, p int, only *mask)) {
	i, last := m.GP64(), m.GP64()
	m.XORQ(i, i)
	loop, end, done := m.label("octets"), m.label("octetsEnd"), m.label("rest")
	m.LEAQ(operand.Mem{Base: k, Disp: -8}, last)
	m.CMPQ(i, last)
	m.JGT(operand.LabelRef(end))
	m.Label(loop)
	body(i, 0, nil)
	body(i, 1, nil)
	m.ADDQ(operand.Imm(8), i)
	m.CMPQ(i, last)
	m.JLE(operand.LabelRef(loop))
	m.Label(end)
	m.CMPQ(i, k)
	m.JGE(operand.LabelRef(done))
	left, bits := m.GP64(), m.GP64()
	m.MOVQ(k, left)
	m.SUBQ(i, left)
	m.MOVQ(operand.U32(255), bits)
	m.BZHIQ(left, bits, bits)
	body(i, 0, m.mask(bits, 0))
	body(i, 1, m.mask(bits, 1))
	m.Label(done)
}

// exponentials loops over the row of k logits at x. It calls each for every vector
// of exponentials. minus is the negative of the largest logit. next is the address to
// prefetch.
func (m *machine) exponentials(e *power, x, k reg.GPVirtual, next *reg.GPVirtual, minus operand.Op, r rate, each func(t term)) {
	m.octets(k, func(i reg.GPVirtual, p int, only *mask) {
		if next != nil && p == 0 {
			m.PREFETCHT0(asm.At(*next, i, 4, 0))
		}
		d := m.gaps(asm.At(x, i, 4, 16*p), minus, only)
		each(term{e.of(d, r, only), d, i, p, only})
	})
}

// term is a vector of exponentials v of differences d: vector p of the octet from
// element i on, with its mask.
type term struct {
	v, d reg.VecVirtual
	i    reg.GPVirtual
	p    int
	only *mask
}
