package fit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The loss is convex: the minimum is where its slopes, from differences of the loss by
// its definition, are 0. Columns of very different sizes do not matter.
func TestLogisticIsMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for trial := range 40 {
		const n = 60
		scale := math.Pow(10, float64(trial%5)-2)
		x, square, positive := make([]float64, n), make([]float64, n), make([]bool, n)
		for i := range x {
			z := rng.NormFloat64()
			x[i], square[i], positive[i] = scale*z, scale*scale*z*z, rng.Float64() < 1/(1+math.Exp(-z))
		}
		l := Logistic{Columns: [][]float64{x, square}[:1+trial%2], Positive: positive, Low: 0.02, High: 0.97}
		slopes, offset, end := l.Minimise()
		if end.Gradient > GradTol {
			t.Errorf("trial %d: gradient %v", trial, end.Gradient)
		}
		loss := func(at []float64) float64 {
			sum := 0.0
			for i := range n {
				s := at[len(at)-1]
				for j, column := range l.Columns {
					s += at[j] * column[i]
				}
				target := l.Low
				if positive[i] {
					target = l.High
				}
				sum += math.Log1p(math.Exp(s)) - target*s
			}
			return sum / n
		}
		at := append(append([]float64(nil), slopes...), offset)
		for j := range at {
			h := 1e-5
			if j < len(slopes) {
				h /= math.Pow(scale, float64(j+1))
			}
			up, down := append([]float64(nil), at...), append([]float64(nil), at...)
			up[j], down[j] = at[j]+h, at[j]-h
			if slope := (loss(up) - loss(down)) / 2e-5; math.Abs(slope) > 1e-8 {
				t.Errorf("trial %d, parameter %d: slope %v", trial, j, slope)
			}
		}
	}
}

func TestLogisticOfAConstantColumnIsTheMean(t *testing.T) {
	l := Logistic{Columns: [][]float64{{3, 3, 3, 3}}, Positive: []bool{true, false, false, false}, High: 1}
	slopes, offset, _ := l.Minimise()
	if slopes[0] != 0 || math.Abs(Sigmoid(offset)-0.25) > GradTol {
		t.Errorf("slope %v, offset %v", slopes[0], offset)
	}
}
