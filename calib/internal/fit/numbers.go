package fit

import (
	"math"

	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// MinT and MaxT bound every fitted temperature. They bind where the NLL has
// no minimum: T falls without end where every row is classified correctly and
// grows without end where the labels contradict the logits.
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

// Sigmoid returns 1/(1 + e^-x), the derivative of softplus.
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

// Largest returns the largest absolute element of v, 0 of none.
func Largest(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}

// ToSoftmax replaces v by its softmax and returns the log of the sum of
// exponentials.
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
