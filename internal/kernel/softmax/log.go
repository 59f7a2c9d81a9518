package softmax

import "math"

const (
	ln2Hi = 0x1.62e42feep-1       // upper part of ln2: e*ln2Hi is exact for every exponent e
	ln2Lo = 0x1.a39ef35793c76p-33 // the rest
)

// Log returns the natural logarithm of x with an error below 1 unit in the last
// place: -Inf for 0, NaN for x < 0. Unlike math.Log, it returns the same bits on
// all processors.
//
// Method: x = 2^e (1+f) with 1+f in [sqrt(1/2), sqrt(2)), s = f/(2+f), and
// log(1+f) = f - s (f - R), R = 2 (s^2/3 + s^4/5 + ... + s^18/19); the next
// term is below 2^-55.
func Log(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0 || math.IsNaN(x):
		return math.NaN()
	case math.IsInf(x, 1):
		return x
	}
	return log(x, 0)
}

// Log1p returns log(1+x) for x >= 0 with an error below 1 unit in the last place.
// It returns NaN for x < 0, which the kernel never needs.
func Log1p(x float64) float64 {
	switch {
	case x < 0 || math.IsNaN(x):
		return math.NaN()
	case x < 0x1p-53:
		return x
	case math.IsInf(x, 1):
		return x
	}
	u := 1 + x
	part := u - 1                         // of x in u
	lost := (1 - (u - part)) + (x - part) // 1+x = u + lost (Knuth), branch-free
	return log(u, lost/u)
}

// log returns log(x) + c for a positive finite x and a tiny c.
func log(x, c float64) float64 {
	const least, half = 0x1p-1022, 0x3fe6a09e667f3bcd // the bits of sqrt(1/2)
	e := int64(0)
	if x < least {
		x *= 0x1p54
		e = -54
	}
	b := math.Float64bits(x)
	up := int64(b-half) >> 52
	e += up
	f := math.Float64frombits(b-uint64(up)<<52) - 1
	s := f / (2 + f)
	z := float64(s * s)
	p := 1. / 19
	p = 1./17 + float64(p*z)
	p = 1./15 + float64(p*z)
	p = 1./13 + float64(p*z)
	p = 1./11 + float64(p*z)
	p = 1./9 + float64(p*z)
	p = 1./7 + float64(p*z)
	p = 1./5 + float64(p*z)
	p = 1./3 + float64(p*z)
	r := 2 * float64(p*z)
	k := float64(e)
	return float64(k*ln2Hi) + (f - (float64(s*(f-r)) - (float64(k*ln2Lo) + c)))
}
