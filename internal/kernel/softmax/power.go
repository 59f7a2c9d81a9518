package softmax

import "math"

// The exponential of the kernel, e^(scale d) for differences d <= 0 of logits, is
// specified operation by operation: every implementation, in Go or in vector code,
// performs these IEEE operations in this order, with one rounding for those marked
// fma, and so returns the same bits.
//
//	c = scale 16/ln2            at most the largest float64: see rate
//	n = d c to the nearest integer, by adding (fma) and subtracting shifter
//	f = d c - n                 fma; |f| <= 1/2
//	p = 2^(n/16)                from powers; the exponent by integer addition
//	e = p + (p f) q(f)          fma; q(f) = (2^(f/16) - 1)/f, a polynomial by
//	                            Horner's rule, each step fma
//
// and e = 0 where d < -670/scale. e is within 1.2 units in the last place of 2^(d
// c/16). d c itself is never rounded. Rounding c has a relative error of at most
// 2^-52, like a rounding of the scale.
//
// Powers of two may be moved from one factor to another: vector code with an
// instruction for p 2^floor(n/16) has c, n, f and q in units of ln2. p f may then
// be subnormal where it was not, and lose bits. But then it is below a quarter of
// the last place of p, for p > 2^-968, and e = p with or without these bits.
//
// If a processor has no fma, package math computes it in integers: slowly, and with
// the same bits.
const (
	per16th = 0x1.71547652b82fep+4 // 16/ln2
	deepest = 670                  // p is above 2^-968 down to e^-670

	// q interpolates (2^(f/16) - 1)/f in the six Chebyshev nodes of [-1/2, 1/2];
	// f q(f) is exact to 1.5e-17.
	q0 = 0x1.62e42fefa39f3p-5
	q1 = 0x1.ebfbdff82c590p-11
	q2 = 0x1.c6b08d6f2a289p-17
	q3 = 0x1.3b2ab6fb41213p-23
	q4 = 0x1.5d897e525c216p-30
	q5 = 0x1.430a1d08ec681p-37
)

// powers holds the bits of 2^(j/16), rounded to the nearest float64, minus j<<48:
// with j = n mod 16, adding n<<48 gives the bits of 2^(n/16).
var powers = [16]uint64{
	0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
	0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
	0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
	0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da,
}

// rate is a scale in the form that the exponential uses.
type rate struct {
	c     float64 // 16/ln2 scale, at most the largest float64, so that 0 c = 0
	least float64 // -670/scale: below it the exponential is 0
}

func rateOf(scale float64) rate {
	return rate{min(scale*per16th, math.MaxFloat64), -deepest / scale}
}

// ExpGap returns e^gap for gap <= 0, the difference between a logit and the largest
// of its row, with the bits that it has in the sums of Rows and in Probs at scale
// 1: the probability of the class is ExpGap(gap)/(1+Tail). It is 0 below -670.
func ExpGap(gap float64) float64 { return power(gap, rate{per16th, -deepest}) }

// power returns the exponential of d <= 0 at rate r.
func power(d float64, r rate) float64 {
	if !(d >= r.least) {
		return 0
	}
	kd := math.FMA(d, r.c, shifter)
	f := math.FMA(d, r.c, shifter-kd)
	n := math.Float64bits(kd)
	p := math.Float64frombits(powers[n&15] + n<<48)
	q := math.FMA(q5, f, q4)
	q = math.FMA(q, f, q3)
	q = math.FMA(q, f, q2)
	q = math.FMA(q, f, q1)
	q = math.FMA(q, f, q0)
	return math.FMA(float64(p*f), q, p)
}

// exps writes the exponentials at rate r of row, relative to max, to dst, which has
// the length of row. Portable code spends nearly all its time in this loop;
// therefore it repeats the body of power.
func exps(dst []float64, row []float32, max float32, r rate) {
	m := float64(max)
	dst = dst[:len(row)]
	for j, l := range row {
		d := float64(l) - m
		if !(d >= r.least) {
			dst[j] = 0
			continue
		}
		kd := math.FMA(d, r.c, shifter)
		f := math.FMA(d, r.c, shifter-kd)
		n := math.Float64bits(kd)
		p := math.Float64frombits(powers[n&15] + n<<48)
		q := math.FMA(q5, f, q4)
		q = math.FMA(q, f, q3)
		q = math.FMA(q, f, q2)
		q = math.FMA(q, f, q1)
		q = math.FMA(q, f, q0)
		dst[j] = math.FMA(float64(p*f), q, p)
	}
}
