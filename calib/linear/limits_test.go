package linear

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/onevsrest"
)

// Parameters of a saved model may be at their limits, and not beyond them.
func TestSavedParametersHaveLimits(t *testing.T) {
	const below = 0.999999 // of a limit
	inf, nan := math.Inf(1), math.NaN()
	numbers := func(n int) []float64 { return make([]float64, n) }
	matrix := func(k int) [][]float64 {
		w := make([][]float64, k)
		for i := range w {
			w[i] = numbers(k)
		}
		return w
	}
	testset.CheckLimits(t, map[string]testset.Limits{
		"beta": {
			Good: []testset.Checked{betaMap{[]float64{0, betaMost}, []float64{betaMost, 0}, []float64{-betaMost, betaMost}}},
			Bad: []testset.Checked{
				betaMap{}, betaMap{numbers(2), numbers(1), numbers(2)}, betaMap{numbers(2), numbers(2), numbers(1)}, betaMap{numbers(2), numbers(2), numbers(3)},
				betaMap{[]float64{-1e-9}, numbers(1), numbers(1)}, betaMap{[]float64{betaMost / below}, numbers(1), numbers(1)}, betaMap{[]float64{nan}, numbers(1), numbers(1)},
				betaMap{numbers(1), []float64{-1e-9}, numbers(1)}, betaMap{numbers(1), []float64{betaMost / below}, numbers(1)},
				betaMap{numbers(1), numbers(1), []float64{betaMost / below}}, betaMap{numbers(1), numbers(1), []float64{-betaMost / below}},
			},
		},
		"dirichlet": {
			Good: []testset.Checked{odirMap{Models: []odirModel{{matrix(2), numbers(2)}, {matrix(2), numbers(2)}}}},
			Bad:  []testset.Checked{odirMap{}, odirMap{Models: []odirModel{{matrix(2), numbers(1)}}}, odirMap{Models: []odirModel{{matrix(2), numbers(2)}, {matrix(3), numbers(3)}}}, odirMap{Models: []odirModel{{}}}},
		},
		"label shift": {
			Good: []testset.Checked{labelShiftMap{1, numbers(2), numbers(2)}},
			Bad:  []testset.Checked{labelShiftMap{0, numbers(1), numbers(1)}, labelShiftMap{1, nil, nil}, labelShiftMap{1, numbers(1), numbers(2)}, labelShiftMap{1, []float64{nan}, numbers(1)}, labelShiftMap{1, numbers(1), []float64{-1e-9}}, labelShiftMap{1, numbers(1), []float64{inf}}},
		},
		"Platt": {
			Good: []testset.Checked{plattMap{onevsrest.ScoreProb, []float64{fit.MostParameter}, []float64{-fit.MostParameter}}, plattMap{onevsrest.ScoreLogOdds, numbers(2), numbers(2)}, plattMap{onevsrest.ScoreLogProb, numbers(1), numbers(1)}},
			Bad:  []testset.Checked{plattMap{"odds", numbers(1), numbers(1)}, plattMap{onevsrest.ScoreProb, nil, nil}, plattMap{onevsrest.ScoreProb, numbers(1), numbers(2)}, plattMap{onevsrest.ScoreProb, []float64{fit.MostParameter / below}, numbers(1)}, plattMap{onevsrest.ScoreProb, []float64{nan}, numbers(1)}},
		},
		"quadratic": {
			Good: []testset.Checked{quadraticMap{numbers(2), numbers(2), numbers(2)}},
			Bad:  []testset.Checked{quadraticMap{}, quadraticMap{numbers(2), numbers(2), numbers(1)}, quadraticMap{numbers(2), numbers(1), numbers(2)}, quadraticMap{numbers(1), numbers(1), []float64{nan}}, quadraticMap{[]float64{inf}, numbers(1), numbers(1)}},
		},
		"quadratic-ridge": {
			Good: []testset.Checked{quadraticRidgeMap{1, 1, quadraticMap{numbers(2), numbers(2), numbers(2)}}},
			Bad: []testset.Checked{quadraticRidgeMap{0, 1, quadraticMap{numbers(2), numbers(2), numbers(2)}}, quadraticRidgeMap{1, 0, quadraticMap{numbers(2), numbers(2), numbers(2)}},
				quadraticRidgeMap{1, inf, quadraticMap{numbers(2), numbers(2), numbers(2)}}, quadraticRidgeMap{1, nan, quadraticMap{numbers(2), numbers(2), numbers(2)}}, quadraticRidgeMap{1, 1, quadraticMap{}}},
		},
		"svs": {
			Good: []testset.Checked{svsMap{mixed{1, 1e-15}, numbers(1), numbers(1)}, svsMap{mixed{1, below}, numbers(1), numbers(1)}},
			Bad:  []testset.Checked{svsMap{mixed{0, .5}, numbers(1), numbers(1)}, svsMap{mixed{1, 1e-15 * below}, numbers(1), numbers(1)}, svsMap{mixed{1, 1}, numbers(1), numbers(1)}, svsMap{mixed{1, nan}, numbers(1), numbers(1)}, svsMap{mixed{1, .5}, nil, nil}, svsMap{mixed{1, .5}, numbers(1), numbers(2)}, svsMap{mixed{1, .5}, []float64{inf}, numbers(1)}},
		},
		"sms": {
			Good: []testset.Checked{smsMap{mixed{1, .5}, matrix(2), numbers(2)}},
			Bad:  []testset.Checked{smsMap{mixed{0, .5}, matrix(2), numbers(2)}, smsMap{mixed{1, .5}, nil, nil}, smsMap{mixed{1, .5}, matrix(2), numbers(3)}, smsMap{mixed{1, .5}, [][]float64{{0, 0}, {0}}, numbers(2)}, smsMap{mixed{1, .5}, [][]float64{{nan}}, numbers(1)}},
		},
	})
}
