package isotonic

import (
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// Parameters of a saved model may be at their limits, and not beyond them.
func TestSavedParametersHaveLimits(t *testing.T) {
	knots := Function{X: []float64{.5}, Y: []float64{.5}}
	one := vennOutcomes{X: fit.Packed[float64]{.5}, Rows: []int{1}, Hits: []int{1}}
	outcomes := func(n int) (list []vennOutcomes) {
		for range n {
			list = append(list, one)
		}
		return list
	}
	testset.CheckLimits(t, map[string]testset.Limits{
		"Venn-Abers": {
			Good: []testset.Checked{vennAbersMap{Classes: 1, Folds: [][]vennOutcomes{outcomes(1)}}, vennAbersMap{Classes: 4, Pairs: true, Folds: [][]vennOutcomes{outcomes(6)}}, vennAbersMap{Classes: mostPairedClasses, Pairs: true, Folds: [][]vennOutcomes{outcomes(mostPairedClasses * (mostPairedClasses - 1) / 2)}}, vennAbersMap{Classes: mostPairedClasses + 1, Folds: [][]vennOutcomes{outcomes(mostPairedClasses + 1)}}},
			Bad: []testset.Checked{
				vennAbersMap{}, vennAbersMap{Classes: 1}, vennAbersMap{Classes: 2, Folds: [][]vennOutcomes{outcomes(1)}}, vennAbersMap{Classes: 4, Pairs: true, Folds: [][]vennOutcomes{outcomes(4)}},
				vennAbersMap{Classes: -1, Folds: [][]vennOutcomes{nil}}, vennAbersMap{Classes: 1, Folds: [][]vennOutcomes{{{Rows: []int{1}}}}}, vennAbersMap{Classes: mostPairedClasses + 1, Pairs: true, Folds: [][]vennOutcomes{nil}},
			},
		},
		"isotonic functions": {Good: []testset.Checked{Map{Function: knots}}, Bad: []testset.Checked{Map{}, irOVAMap{}}},
	})
}
