package splines

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/internal/stretch"
)

// Parameters of a saved model may be at their limits, and not beyond them.
func TestSavedParametersHaveLimits(t *testing.T) {
	const below = 0.999999 // of a limit
	nan := math.NaN()
	numbers := func(n int) []float64 { return make([]float64, n) }
	testset.CheckLimits(t, map[string]testset.Limits{
		"spline": {
			Good: []testset.Checked{splineMap{[]float64{0, stretch.Most}, []float64{-1e6, 1e6}}},
			Bad:  []testset.Checked{splineMap{}, splineMap{numbers(1), numbers(2)}, splineMap{[]float64{.5, .5}, numbers(2)}, splineMap{[]float64{-1e-9}, numbers(1)}, splineMap{[]float64{stretch.Most / below}, numbers(1)}, splineMap{numbers(1), []float64{1e6 / below}}, splineMap{numbers(1), []float64{nan}}, splineMap{[]float64{.2, .5, .4}, numbers(3)}},
		},
		"smoothing splines": {Bad: []testset.Checked{smoothingSplineMap{}, smoothingSplineMap{PerClass: onevsrest.PerClass[smoothSpline]{Classes: []smoothSpline{{}}}}}},
	})
}
