package fit

import (
	"math"

	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// MinT and MaxT bound every fitted temperature. They are active where the NLL
// has no minimum: T falls without limit if every row is classified correctly,
// and grows without limit if the labels contradict the logits.
const (
	MinT = 1e-3
	MaxT = 1e3
)

// GradTol is the largest gradient of a fit that counts as converged.
const GradTol = 1e-9

// Softplus returns log(1 + e^x).
func Softplus(x float64) float64 {
	if x > 0 {
		return x + softmax.Log1p(softmax.Exp(-x))
	}
	return softmax.Log1p(softmax.Exp(x))
}

// Sigmoid returns 1/(1 + e^-x), the derivative of Softplus.
func Sigmoid(x float64) float64 {
	if x < 0 {
		e := softmax.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + softmax.Exp(-x))
}

// Dot returns the inner product of two vectors.
func Dot(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		sum += float64(v * b[j])
	}
	return sum
}

// AddTo adds c times v to dst.
func AddTo(dst []float64, c float64, v []float64) {
	for j, x := range v {
		dst[j] += float64(c * x)
	}
}

// Largest returns the largest absolute element of v, 0 if v is empty.
func Largest(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}

// Entropy returns the entropy in nats of the softmax of a row with moments m at
// scale 1. In terms of the gaps to the largest logit it is
//
//	log1p(Tail) - S1/(1+Tail),
//
// a sum of two numbers >= 0. So rows whose confidence rounds to 1 keep all their
// digits: a gap of 40 has an entropy of 1.7e-16.
func Entropy(m *softmax.Moments) float64 { return softmax.Log1p(m.Tail) - m.S1/(1+m.Tail) }

// ToSoftmax replaces v by its softmax and returns log sum exp v.
func ToSoftmax(v []float64) float64 {
	most := v[0]
	for _, x := range v {
		most = max(most, x)
	}
	sum := 0.0
	for j, x := range v {
		v[j] = softmax.Exp(x - most)
		sum += v[j]
	}
	for j := range v {
		v[j] /= sum
	}
	return most + softmax.Log(sum)
}
