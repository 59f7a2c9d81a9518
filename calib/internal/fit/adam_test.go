package fit

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// On a parabola Adam's first step is the rate, for any slope.
func TestAdamStepsByTheRateAndConverges(t *testing.T) {
	for _, slope := range []float64{1e-3, 1, 1e3} {
		a, w := NewAdam(1), []float64{5}
		a.Step(w, []float64{slope}, 0.25)
		if !(math.Abs(w[0]-4.75) <= 1e-5) {
			t.Errorf("slope %v: first step to %v", slope, w[0])
		}
	}
	for slope, want := range map[float64]float64{0: 5, 1e-8: 4.875, -1e-8: 5.125} { // 1e-8 is added to the root
		a, w := NewAdam(1), []float64{5}
		a.Step(w, []float64{slope}, 0.25)
		if !(math.Abs(w[0]-want) <= 1e-8) {
			t.Errorf("slope %v: first step to %v, want %v", slope, w[0], want)
		}
	}
	a, w := NewAdam(2), []float64{3, -2}
	for range 5000 {
		a.Step(w, []float64{2 * w[0], 200 * w[1]}, 0.01)
	}
	if !testset.Near(w, []float64{0, 0}, 1e-6) {
		t.Errorf("ends at %v", w)
	}
}
