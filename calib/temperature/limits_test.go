package temperature

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// Parameters of a saved model may be at their limits, and not beyond them.
func TestSavedParametersHaveLimits(t *testing.T) {
	const below = 0.999999 // of a limit
	inf, nan := math.Inf(1), math.NaN()
	testset.CheckLimits(t, map[string]testset.Limits{
		"bins of confidence": {
			Good: []testset.Checked{binnedMap{T: []float64{1}}, binnedMap{[]float64{0}, []float64{1, 2}}, binnedMap{[]float64{1, 1}, []float64{1e-6, 1e8, 1}}},
			Bad:  []testset.Checked{binnedMap{}, binnedMap{Edges: []float64{1}, T: []float64{1}}, binnedMap{T: []float64{1, 2}}, binnedMap{[]float64{2, 1}, []float64{1, 1, 1}}, binnedMap{[]float64{1}, []float64{1, 0}}},
		},
		"cts": {Bad: []testset.Checked{ctsMap{}}},
		"ets": {
			Good: []testset.Checked{etsMap{1, [3]float64{1, 0, 0}}, etsMap{1, [3]float64{.25, .25, .5}}, etsMap{1, [3]float64{.25, .25, .5 + 5e-10}}},
			Bad:  []testset.Checked{etsMap{0, [3]float64{1, 0, 0}}, etsMap{1, [3]float64{1.5, -.5, 0}}, etsMap{1, [3]float64{-1e-10, 1, 0}}, etsMap{1, [3]float64{.25, .25, .5 + 2e-9}}, etsMap{1, [3]float64{.25, .25, .25}}, etsMap{1, [3]float64{1, 1, 1}}, etsMap{1, [3]float64{nan, 1, 0}}},
		},
		"hts-bounded": {
			Good: []testset.Checked{htsBoundedMap{1, 1.5, htsMostW, -htsMostW}, htsBoundedMap{1, htsMostRange, -htsMostW, htsMostW}},
			Bad:  []testset.Checked{htsBoundedMap{0, 1.5, 0, 0}, htsBoundedMap{1, 1, 0, 0}, htsBoundedMap{1, htsMostRange / below, 0, 0}, htsBoundedMap{1, nan, 0, 0}, htsBoundedMap{1, 2, htsMostW / below, 0}, htsBoundedMap{1, 2, nan, 0}, htsBoundedMap{1, 2, 0, -htsMostW / below}},
		},
		"hts": {
			Good: []testset.Checked{htsMap{W: htsMostW, B: htsMostB}, htsMap{W: -htsMostW, B: -htsMostB}},
			Bad:  []testset.Checked{htsMap{W: htsMostSaved / below, B: 0}, htsMap{W: -htsMostSaved / below, B: 0}, htsMap{W: 0, B: htsMostSaved / below}, htsMap{W: 0, B: -htsMostSaved / below}, htsMap{Floor: fit.MinT}, htsMap{Floor: nan}, htsMap{Floor: -1e-9}, htsMap{W: nan, B: 0}},
		},
		"lines of temperatures": {
			Good: []testset.Checked{linearMap[byConfidence]{A: 0, B: 1e-50}, linearMap[byConfidence]{A: 1e50, B: 1}, linearMap[byGap]{A: 0, B: 1, Unit: 3}, linearMap[byGap]{A: 0, B: 1, Unit: 0}},
			Bad: []testset.Checked{
				linearMap[byConfidence]{A: -1e-9, B: 1}, linearMap[byConfidence]{A: 0, B: 1e-50 * below}, linearMap[byConfidence]{A: 1e50 / below, B: 1}, linearMap[byConfidence]{A: 0, B: 1, Unit: 1}, linearMap[byConfidence]{A: nan, B: 1},
				linearMap[byGap]{A: 0, B: 1, Unit: -1}, linearMap[byGap]{A: 0, B: 1, Unit: inf}, linearMap[byGap]{A: 0, B: 1, Unit: nan},
			},
		},
	})
}
