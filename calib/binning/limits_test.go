package binning

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
	inf, nan := math.Inf(1), math.NaN()
	numbers := func(n int) []float64 { return make([]float64, n) }
	testset.CheckLimits(t, map[string]testset.Limits{
		"histograms": {
			Good: []testset.Checked{hbMap{onevsrest.PerClass[histogram]{Classes: []histogram{{0, 1}, {.5}}}}, hbTopMap{histogram{0, 1}}},
			Bad:  []testset.Checked{hbMap{}, hbMap{onevsrest.PerClass[histogram]{Classes: []histogram{{}}}}, hbTopMap{}, hbTopMap{histogram{-1e-9}}, hbTopMap{histogram{1 / below}}, hbTopMap{histogram{nan}}},
		},
		"histograms of equal mass": {
			Good: []testset.Checked{hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{nil, []float64{1}}, {[]float64{0, stretch.Logits.End(stretch.Most)}, []float64{0, .5, 1}}}}}},
			Bad: []testset.Checked{
				hbMassMap{}, hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{}}}}, hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{[]float64{.5}, []float64{1}}}}}, hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{nil, []float64{1 / below}}}}}, hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{nil, []float64{-1e-9}}}}},
				hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{[]float64{.5, .5}, numbers(3)}}}}, hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{[]float64{-1e-9}, numbers(2)}}}}, hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{[]float64{stretch.Most / below}, numbers(2)}}}}, hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{[]float64{nan}, numbers(2)}}}}, hbMassMap{PerClass: onevsrest.PerClass[massHistogram]{Classes: []massHistogram{{[]float64{inf}, numbers(2)}}}},
			},
		},
		"scaling and binning": {
			Good: []testset.Checked{scalingBinningMap{PerClass: onevsrest.PerClass[binnedSigmoid]{Classes: []binnedSigmoid{{A: 1, Values: []float64{1}}}}}, topScalingBinningMap{A: 1, Values: []float64{0}}},
			Bad:  []testset.Checked{scalingBinningMap{}, scalingBinningMap{PerClass: onevsrest.PerClass[binnedSigmoid]{Classes: []binnedSigmoid{{A: nan, Values: []float64{1}}}}}, topScalingBinningMap{A: 1}, topScalingBinningMap{B: inf, Values: []float64{0}}},
		},
		"averaged": {Bad: []testset.Checked{bbqMap{}, bbqMap{PerClass: onevsrest.PerClass[averagedHistogram]{Classes: []averagedHistogram{{}}}}}},
	})
}
