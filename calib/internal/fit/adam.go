package fit

import (
	"math"
)

// Adam is the state of the method of Kingma and Ba (2015) with its usual constants,
// in float64.
type Adam struct {
	first, second  []float64 // moments
	decay1, decay2 float64   // the constants to the power of the steps so far
}

// NewAdam returns the state before the first step on size parameters.
func NewAdam(size int) *Adam {
	return &Adam{make([]float64, size), make([]float64, size), 1, 1}
}

// Step moves w against the gradient.
func (a *Adam) Step(w, gradient []float64, rate float64) {
	const decay1, decay2, tiny = 0.9, 0.999, 1e-8
	a.decay1 *= decay1
	a.decay2 *= decay2
	for i, g := range gradient {
		a.first[i] = float64(decay1*a.first[i]) + float64((1-decay1)*g)
		a.second[i] = float64(decay2*a.second[i]) + float64((1-decay2)*float64(g*g))
		root := math.Sqrt(a.second[i]/(1-a.decay2)) + tiny
		w[i] -= float64(rate * (a.first[i] / (1 - a.decay1) / root))
	}
}
