package features

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// Parameters of a saved model may be at their limits, and not beyond them.
func TestSavedParametersHaveLimits(t *testing.T) {
	const below = 0.999999 // of a limit
	inf, nan := math.Inf(1), math.NaN()
	gaps := normal{Mean: 2, Std: 1}
	testset.CheckLimits(t, map[string]testset.Limits{
		"feature clipping": {
			Good: []testset.Checked{featClipMap{math.MaxFloat32, 1}, featClipMap{1e-9, 2}},
			Bad:  []testset.Checked{featClipMap{0, 1}, featClipMap{-1, 1}, featClipMap{math.MaxFloat32 / below, 1}, featClipMap{1, 0}, featClipMap{1, 3}, featClipMap{nan, 1}},
		},
		"gc": {
			Good: []testset.Checked{gcMap{1, []gcPartition{{[][]float64{{0}}, []float64{1}}}}, gcMap{2, []gcPartition{{[][]float64{{0, 1}, {1, 0}}, []float64{1, 2}}}}},
			Bad:  []testset.Checked{gcMap{}, gcMap{0, []gcPartition{{}}}, gcMap{1, nil}, gcMap{1, []gcPartition{{}}}, gcMap{1, []gcPartition{{[][]float64{{0}}, []float64{1, 1}}}}, gcMap{2, []gcPartition{{[][]float64{{0}}, []float64{1}}}}, gcMap{1, []gcPartition{{[][]float64{{0}}, []float64{0}}}}},
		},
		"hfe": {
			Good: []testset.Checked{hfeMap{hfeFloor, gaps, normal{}, 0, hfeMost}, hfeMap{1e300, gaps, normal{1, narrow}, hfeMost, 0}, hfeMap{1, normal{-1e9, 1e9 * narrow}, gaps, 1, 1}},
			Bad: []testset.Checked{
				hfeMap{hfeFloor * below, gaps, gaps, 1, 1}, hfeMap{inf, gaps, gaps, 1, 1}, hfeMap{nan, gaps, gaps, 1, 1}, hfeMap{1, gaps, gaps, -1e-9, 1}, hfeMap{1, gaps, gaps, 1, hfeMost / below}, hfeMap{1, gaps, gaps, hfeMost / below, 1},
				hfeMap{1, gaps, gaps, 1, -1e-9}, hfeMap{1, normal{inf, 0}, gaps, 1, 1}, hfeMap{1, gaps, normal{nan, 0}, 1, 1}, hfeMap{1, normal{1, inf}, gaps, 1, 1}, hfeMap{1, gaps, normal{1, narrow * below}, 1, 1}, hfeMap{1, normal{100, 99 * narrow}, gaps, 1, 1}, hfeMap{1, normal{1, nan}, gaps, 1, 1},
			},
		},
	})
}
