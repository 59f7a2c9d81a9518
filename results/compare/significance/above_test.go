package significance

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAboveIsTheNormalTail: values of scipy.stats.norm.sf(estimate / sqrt(variance)).
func TestAboveIsTheNormalTail(t *testing.T) {
	for _, c := range []struct{ estimate, variance, p float64 }{
		{1.6448536269514722, 1, .05}, {.02, 1e-4, .022750131948179195}, {3, 1, .0013498980316300933}, {0, 1, 1}, {-1, 0, 1}, {1e-9, 0, 0},
	} {
		if got := Above(c.estimate, c.variance); math.Abs(got-c.p) > 1e-12 {
			t.Errorf("%v: %v", c, got)
		}
	}
}

// TestAreaVarianceIsThatOfDraws compares it with the variance over 4000 draws of exponential scores, of which the formula is exact: scores
// of positive rows have the mean c and those of negative rows the mean 1, so the area is c/(1 + c).
func TestAreaVarianceIsThatOfDraws(t *testing.T) {
	const c, m, n, draws = 3., 30, 20, 4000
	rng := rand.New(rand.NewPCG(1, 2))
	sum, squares := 0., 0.
	for range draws {
		var positive, negative [m]float64
		for i := range positive {
			positive[i] = c * rng.ExpFloat64()
		}
		for i := range n {
			negative[i] = rng.ExpFloat64()
		}
		above := 0
		for _, x := range positive {
			for _, y := range negative[:n] {
				if x > y {
					above++
				}
			}
		}
		a := float64(above) / (m * n)
		sum += a
		squares += a * a
	}
	got := squares/draws - sum/draws*sum/draws
	want := AreaVariance(c/(1+c), m, n)
	if math.Abs(got/want-1) > .1 { // the standard error of a variance over 4000 draws is some 3 %
		t.Errorf("%g over draws, %g by the formula", got, want)
	}
	if AreaVariance(.7, .5, 10) != 0 || AreaVariance(1, 5, 5) != 0 {
		t.Error("no rows, or a perfect area")
	}
}
