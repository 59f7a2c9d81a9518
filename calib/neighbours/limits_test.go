package neighbours

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/isotonic"
)

// Parameters of a saved model may be at their limits, and not beyond them.
func TestSavedParametersHaveLimits(t *testing.T) {
	const below = 0.999999 // of a limit
	nan := math.NaN()
	bank := featureBank{Rows: 1, Width: 1, Unit: fit.Packed[float32]{1}}
	near := func(n int) proximityBank { return proximityBank{Neighbours: n, featureBank: bank} }
	points := densityKernels{X: fit.Packed[float64]{.5}, Y: fit.Packed[float64]{.5}}
	knots := isotonic.Function{X: []float64{.5}, Y: []float64{.5}}
	testset.CheckLimits(t, map[string]testset.Limits{
		"dac": {
			Good: []testset.Checked{dacMap{0, dacMostOffset, 1, bank}, dacMap{dacMostSlope, -dacMostOffset, 1, bank}},
			Bad:  []testset.Checked{dacMap{-1e-9, 0, 1, bank}, dacMap{dacMostSlope / below, 0, 1, bank}, dacMap{1, dacMostOffset / below, 1, bank}, dacMap{1, -dacMostOffset / below, 1, bank}, dacMap{1, 0, 0, bank}, dacMap{1, 0, 1, featureBank{}}, dacMap{nan, 0, 1, bank}},
		},
		"ProCal": {
			Good: []testset.Checked{proCalMap{1, points, points, near(1)}, proCalMap{1e-50, points, densityKernels{}, near(1)}, proCalMap{1e50, densityKernels{}, points, near(1)}},
			Bad: []testset.Checked{
				proCalMap{1e-50 * below, points, points, near(1)}, proCalMap{1e50 / below, points, points, near(1)}, proCalMap{1, densityKernels{}, densityKernels{}, near(1)}, proCalMap{1, points, points, near(0)},
				proCalMap{1, densityKernels{X: fit.Packed[float64]{1}}, points, near(1)}, proCalMap{1, points, densityKernels{Y: fit.Packed[float64]{1}}, near(1)},
			},
		},
		"ProCal in bins": {
			Good: []testset.Checked{proCalBinsMap{nil, []isotonic.Function{knots}, near(1)}, proCalBinsMap{[]float64{0, 1, 1}, []isotonic.Function{knots, knots, knots, knots}, near(1)}},
			Bad: []testset.Checked{
				proCalBinsMap{nil, nil, near(1)}, proCalBinsMap{[]float64{.5}, []isotonic.Function{knots}, near(1)}, proCalBinsMap{[]float64{-1e-9}, []isotonic.Function{knots, knots}, near(1)}, proCalBinsMap{[]float64{1 / below}, []isotonic.Function{knots, knots}, near(1)},
				proCalBinsMap{[]float64{.5, .4}, []isotonic.Function{knots, knots, knots}, near(1)}, proCalBinsMap{nil, []isotonic.Function{{}}, near(1)}, proCalBinsMap{nil, []isotonic.Function{knots}, near(0)}, proCalBinsMap{[]float64{nan}, []isotonic.Function{knots, knots}, near(1)},
			},
		},
	})
}
