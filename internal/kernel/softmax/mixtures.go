package softmax

import (
	"fmt"
	"math"
)

// Mixture holds, for each row, what Mixtures computes: slices of one length.
type Mixture struct {
	Loss          []float64 // -log of the mixture of the likelihoods e^-f and e^-g
	First, Second []float64 // share of each component in it, given the row
	Rate          []float64 // derivative of Loss in the log weight of the first component: its weight minus its share
}

// Mixtures evaluates mixtures of two components. In row i their log weights are a_i and -a_i, up to
// a constant, and their losses, in nats, f_i and g_i:
//
//	Loss          = log(e^a + e^-a) - log(e^(a-f) + e^(-a-g))
//	First, Second = softmax(a-f, -a-g)
//	Rate          = softmax(a, -a) of the first, minus First
//
// A logarithm of a sum is Log(1 + e) plus the larger exponent, with e = Exp of minus the
// difference of the two, and the shares are 1/(1+e) and e/(1+e). A NaN makes the Loss NaN.
// It panics if the lengths differ.
func Mixtures(dst *Mixture, a, f, g []float64) { mixtures(best, dst, a, f, g) }

func mixtures(on instructions, dst *Mixture, a, f, g []float64) {
	n := len(a)
	if len(f) != n || len(g) != n || len(dst.Loss) != n || len(dst.First) != n || len(dst.Second) != n || len(dst.Rate) != n {
		panic(fmt.Sprintf("softmax: mixtures of %d, %d and %d numbers to %d, %d, %d and %d", n, len(f), len(g), len(dst.Loss), len(dst.First), len(dst.Second), len(dst.Rate)))
	}
	for i := 0; i < n; {
		i += vectorMixtures(on, &Mixture{dst.Loss[i:], dst.First[i:], dst.Second[i:], dst.Rate[i:]}, &[3][]float64{a[i:], f[i:], g[i:]})
		for end := min(i+4, n); i < end; i++ {
			b := 0 - a[i]
			whole, weight, _ := pair(a[i], b)
			part, first, second := pair(a[i]-f[i], b-g[i])
			dst.Loss[i], dst.First[i], dst.Second[i], dst.Rate[i] = whole-part, first, second, weight-first
		}
	}
}

// pair returns log(e^x + e^y) and softmax(x, y).
func pair(x, y float64) (logSum, first, second float64) {
	e := Exp(-math.Abs(x - y))
	s := 1 + e
	first, second = 1/s, e/s
	if x < y {
		first, second = second, first
	}
	return Log(s) + max(x, y), first, second
}

// Quintic holds the weights of seven numbers of a row in a value and in its slope.
type Quintic struct{ Value, Slope [7]float64 }

// Quintics writes the sums over k, in order, of Value_k x_k and of Slope_k x_k, for each row: the
// values and the derivatives of the quintics through two nodes, plus a line. It panics if the
// lengths differ.
func (q *Quintic) Quintics(value, slope []float64, x *[7][]float64) {
	q.quintics(best, value, slope, x)
}

func (q *Quintic) quintics(on instructions, value, slope []float64, x *[7][]float64) {
	n := len(value)
	for _, x := range x {
		if len(x) != n || len(slope) != n {
			panic(fmt.Sprintf("softmax: quintics of %d numbers to %d and %d", len(x), n, len(slope)))
		}
	}
	for i := vectorQuintics(on, q, value, slope, x); i < n; i++ {
		v, s := float64(q.Value[0]*x[0][i]), float64(q.Slope[0]*x[0][i])
		for k := 1; k < len(x); k++ {
			v += float64(q.Value[k] * x[k][i])
			s += float64(q.Slope[k] * x[k][i])
		}
		value[i], slope[i] = v, s
	}
}
