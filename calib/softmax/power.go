package softmax

import "math"

// The exponential of the kernel, e^(scale d) for differences d <= 0 of logits,
// is specified operation by operation: every implementation, in Go or in vector
// code, performs these IEEE operations in this order, none of them fused, and
// so returns these bits.
//
//	c = scale 16/ln2            at most the largest float64: see rate
//	t = d c
//	n = t to the nearest integer, by adding and subtracting shifter
//	f = t - n                   exact, |f| <= 1/2
//	p = 2^(n/16)                from powers; the exponent by integer addition
//	e = p + (p f) q(f)          q(f) = (2^(f/16) - 1)/f, a polynomial:
//	                            (q0 + q1 f) + f^2 ((q2 + q3 f) + f^2 (q4 + q5 f))
//
// and e = 0 where t < lowest. e is within 1.2 units in the last place of
// 2^(t/16). The two roundings of t are those of any exponential of a product,
// 2^-52 |scale d| relative at most; two more operations would be rid of them, at
// a price of 7 % of the time.
const (
	per16th = 0x1.71547652b82fep+4 // 16/ln2
	lowest  = -708 * per16th       // results are normal down to here

	// q interpolates (2^(f/16) - 1)/f in the six Chebyshev nodes of [-1/2, 1/2];
	// f q(f) is exact to 1.5e-17.
	q0 = 0x1.62e42fefa39f3p-5
	q1 = 0x1.ebfbdff82c590p-11
	q2 = 0x1.c6b08d6f2a289p-17
	q3 = 0x1.3b2ab6fb41213p-23
	q4 = 0x1.5d897e525c216p-30
	q5 = 0x1.430a1d08ec681p-37
)

// powers holds the bits of 2^(j/16), to the nearest float64, less j<<48: with
// j = n mod 16, adding n<<48 gives the bits of 2^(n/16).
var powers = [16]uint64{
	0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
	0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
	0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
	0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da,
}

// rate returns c of a scale. The bound keeps 0 c = 0.
func rate(scale float64) float64 { return min(scale*per16th, math.MaxFloat64) }

// ExpGap returns e^gap for gap <= 0, the difference of a logit to the largest of
// its row, with the bits that it has in the sums of Rows and in Probs at scale
// 1: the probability of the class is ExpGap(gap)/(1+Tail). It is 0 below -708.
func ExpGap(gap float64) float64 { return power(gap, per16th) }

// power returns the exponential of d <= 0 at rate c.
func power(d, c float64) float64 {
	t := float64(d * c)
	if !(t >= lowest) {
		return 0
	}
	kd := t + shifter
	f := t - (kd - shifter)
	n := math.Float64bits(kd)
	p := math.Float64frombits(powers[n&15] + n<<48)
	f2 := float64(f * f)
	q := q2 + float64(q3*f) + float64(f2*(q4+float64(q5*f)))
	q = q0 + float64(q1*f) + float64(f2*q)
	return p + float64(float64(p*f)*q)
}

// exps writes the exponentials at rate c of row, relative to max, to dst, which
// has the length of row. It is the loop where nearly all time of portable code
// goes, hence the copy of power's body.
func exps(dst []float64, row []float32, max float32, c float64) {
	m := float64(max)
	dst = dst[:len(row)]
	for j, l := range row {
		t := float64((float64(l) - m) * c)
		if !(t >= lowest) {
			dst[j] = 0
			continue
		}
		kd := t + shifter
		f := t - (kd - shifter)
		n := math.Float64bits(kd)
		p := math.Float64frombits(powers[n&15] + n<<48)
		f2 := float64(f * f)
		q := q2 + float64(q3*f) + float64(f2*(q4+float64(q5*f)))
		q = q0 + float64(q1*f) + float64(f2*q)
		dst[j] = p + float64(float64(p*f)*q)
	}
}
