package softmax

import "math"

// Constants of Exp: ln2/128 is split so that kd*stepHi is exact for every
// |kd| < 2^18 (stepHi has 34 significant bits).
const (
	perStep = 0x1.71547652b82fep+7  // 128/ln2
	stepHi  = 0x1.62e42fef8p-8      // upper part of ln2/128
	stepLo  = 0x1.1cf79abc9e3b4p-43 // the rest
	// Adding and subtracting shifter rounds to the nearest integer and leaves
	// that integer in the low bits of the sum.
	shifter = 0x1.8p52

	expLo, expHi = -708, 709 // the range of the fast path; results are normal there
)

// Exp returns e^x. The error is below 0.52 units in the last place (measured
// on 2 million points of [-708, 709]); nearer to under- and overflow below 2.
// Exp(0) is exactly 1, Exp of less than -745.14 is 0.
//
// It replaces math.Exp, which takes another path, with other last bits, if the
// processor has fused multiply-add. Here every product that enters a sum is rounded
// by an explicit conversion, so all processors return the same bits. Method: x =
// (128 i + j) ln2/128 + r with |r| < 0.0028, and e^x = 2^i 2^(j/128) e^r from a
// table and a Taylor polynomial of degree 5.
func Exp(x float64) float64 {
	if !(x >= expLo && x <= expHi) {
		return expEdge(x)
	}
	kd := float64(x*perStep) + shifter
	ki := math.Float64bits(kd)
	kd -= shifter
	r := x - float64(kd*stepHi) - float64(kd*stepLo)
	t := &pow2[ki&127]
	scale := math.Float64frombits(math.Float64bits(t.head) + (ki&^127)<<45)
	return scale + float64(scale*expm1(r, t.rest))
}

// expm1 returns (1 + rest) e^r - 1 for the tiny r and rest of Exp.
func expm1(r, rest float64) float64 {
	r2 := float64(r * r)
	return rest + r + float64(r2*(1./2+float64(r*(1./6)))) +
		float64(float64(r2*r2)*(1./24+float64(r*(1./120))))
}

// expEdge serves the arguments outside the fast path, where the square of the half
// may be subnormal, 0 or infinite.
func expEdge(x float64) float64 {
	switch {
	case x < -746:
		return 0
	case x > 710:
		return math.Inf(1)
	case math.IsNaN(x):
		return x
	}
	h := Exp(x / 2)
	return float64(h * h)
}
