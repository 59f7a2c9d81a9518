package calib

import (
	"fmt"
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/density"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/histograms"
	"github.com/qats-bench/qats/calib/internal/isotonic"
	"github.com/qats-bench/qats/calib/internal/neighbours"
	"github.com/qats-bench/qats/calib/internal/smoothing"
	"github.com/qats-bench/qats/calib/internal/vae"
	"github.com/qats-bench/qats/internal/stretch"
)

// Parameters of a saved model may be at their limits, and not beyond them: a model is
// read from a file, and one that is accepted must not panic when it is applied. good
// are models at the limits; bad differ from a good one in one part.
func TestSavedParametersHaveLimits(t *testing.T) {
	type checked interface{ Check() error }
	const below = 0.999999 // of a limit
	inf, nan := math.Inf(1), math.NaN()
	numbers := func(n int) []float64 { return make([]float64, n) }
	bank := neighbours.Bank{Rows: 1, Width: 1, Unit: fit.Packed[float32]{1}}
	near := func(n int) proximityBank { return proximityBank{Neighbours: n, Bank: bank} }
	points := density.Kernels{X: fit.Packed[float64]{.5}, Y: fit.Packed[float64]{.5}}
	knots := isotonic.Function{X: []float64{.5}, Y: []float64{.5}}
	one := isotonic.Outcomes{X: fit.Packed[float64]{.5}, Rows: []int{1}, Hits: []int{1}}
	outcomes := func(n int) (list []isotonic.Outcomes) {
		for range n {
			list = append(list, one)
		}
		return list
	}
	matrix := func(k int) [][]float64 {
		w := make([][]float64, k)
		for i := range w {
			w[i] = numbers(k)
		}
		return w
	}
	network := func(width, hidden, classes, noise int) adatsMap {
		m := adatsMap{Width: width, Hidden: hidden, Classes: classes, Noise: make(fit.Packed[float32], noise)}
		if width > 0 && hidden > 0 && classes > 0 && width <= adatsMostWidth && classes <= adatsMostWidth && width*hidden < 1<<22 && hidden*hidden < 1<<22 {
			m.Mean, m.Scale = make(fit.Packed[float32], width), make(fit.Packed[float32], width)
			m.Weights = make(fit.Packed[float32], m.shape().Size(false))
		}
		return m
	}
	with := func(m adatsMap, change func(*adatsMap)) adatsMap {
		change(&m)
		return m
	}
	gaps := normal{Mean: 2, Std: 1}
	for name, c := range map[string]struct{ good, bad []checked }{
		"adats": {
			[]checked{network(1, 2, 1, 0), network(3, 4, 2, vae.Latent), network(1, 2, 1, adatsMostDraws*vae.Latent)},
			[]checked{
				network(0, 2, 1, 0), network(1, 2, 0, 0), network(1, 0, 1, 0), network(1, 3, 1, 0), network(adatsMostWidth+1, 2, 1, 0), network(1, 2, adatsMostWidth+1, 0),
				network(1, adatsMostHidden+2, 1, 0), network(1, 2, 1, 1), network(1, 2, 1, vae.Latent-1), network(1, 2, 1, vae.Latent+1), network(1, 2, 1, adatsMostDraws*vae.Latent+1),
				with(network(1, 2, 1, 0), func(m *adatsMap) { m.Mean = m.Mean[:0] }), with(network(1, 2, 1, 0), func(m *adatsMap) { m.Weights = m.Weights[1:] }),
				with(network(1, 2, 1, 0), func(m *adatsMap) { m.Scale[0] = -1 }), with(network(1, 2, 1, 0), func(m *adatsMap) { m.Mean[0] = float32(inf) }),
				with(network(1, 2, 1, 0), func(m *adatsMap) { m.Weights[3] = float32(nan) }),
			},
		},
		"beta": {
			[]checked{betaMap{[]float64{0, betaMost}, []float64{betaMost, 0}, []float64{-betaMost, betaMost}}},
			[]checked{
				betaMap{}, betaMap{numbers(2), numbers(1), numbers(2)}, betaMap{numbers(2), numbers(2), numbers(1)}, betaMap{numbers(2), numbers(2), numbers(3)},
				betaMap{[]float64{-1e-9}, numbers(1), numbers(1)}, betaMap{[]float64{betaMost / below}, numbers(1), numbers(1)}, betaMap{[]float64{nan}, numbers(1), numbers(1)},
				betaMap{numbers(1), []float64{-1e-9}, numbers(1)}, betaMap{numbers(1), []float64{betaMost / below}, numbers(1)},
				betaMap{numbers(1), numbers(1), []float64{betaMost / below}}, betaMap{numbers(1), numbers(1), []float64{-betaMost / below}},
			},
		},
		"bins of confidence": {
			[]checked{binnedMap{T: []float64{1}}, binnedMap{[]float64{0}, []float64{1, 2}}, binnedMap{[]float64{1, 1}, []float64{1e-6, 1e8, 1}}},
			[]checked{binnedMap{}, binnedMap{Edges: []float64{1}, T: []float64{1}}, binnedMap{T: []float64{1, 2}}, binnedMap{[]float64{2, 1}, []float64{1, 1, 1}}, binnedMap{[]float64{1}, []float64{1, 0}}},
		},
		"cts": {nil, []checked{ctsMap{}}},
		"dac": {
			[]checked{dacMap{0, dacMostOffset, 1, bank}, dacMap{dacMostSlope, -dacMostOffset, 1, bank}},
			[]checked{dacMap{-1e-9, 0, 1, bank}, dacMap{dacMostSlope / below, 0, 1, bank}, dacMap{1, dacMostOffset / below, 1, bank}, dacMap{1, -dacMostOffset / below, 1, bank}, dacMap{1, 0, 0, bank}, dacMap{1, 0, 1, neighbours.Bank{}}, dacMap{nan, 0, 1, bank}},
		},
		"dirichlet": {
			[]checked{odirMap{Models: []odirModel{{matrix(2), numbers(2)}, {matrix(2), numbers(2)}}}},
			[]checked{odirMap{}, odirMap{Models: []odirModel{{matrix(2), numbers(1)}}}, odirMap{Models: []odirModel{{matrix(2), numbers(2)}, {matrix(3), numbers(3)}}}, odirMap{Models: []odirModel{{}}}},
		},
		"ets": {
			[]checked{etsMap{1, [3]float64{1, 0, 0}}, etsMap{1, [3]float64{.25, .25, .5}}, etsMap{1, [3]float64{.25, .25, .5 + 5e-10}}},
			[]checked{etsMap{0, [3]float64{1, 0, 0}}, etsMap{1, [3]float64{1.5, -.5, 0}}, etsMap{1, [3]float64{-1e-10, 1, 0}}, etsMap{1, [3]float64{.25, .25, .5 + 2e-9}}, etsMap{1, [3]float64{.25, .25, .25}}, etsMap{1, [3]float64{1, 1, 1}}, etsMap{1, [3]float64{nan, 1, 0}}},
		},
		"feature clipping": {
			[]checked{featClipMap{math.MaxFloat32, 1}, featClipMap{1e-9, 2}},
			[]checked{featClipMap{0, 1}, featClipMap{-1, 1}, featClipMap{math.MaxFloat32 / below, 1}, featClipMap{1, 0}, featClipMap{1, 3}, featClipMap{nan, 1}},
		},
		"gc": {
			[]checked{gcMap{1, []gcPartition{{[][]float64{{0}}, []float64{1}}}}, gcMap{2, []gcPartition{{[][]float64{{0, 1}, {1, 0}}, []float64{1, 2}}}}},
			[]checked{gcMap{}, gcMap{0, []gcPartition{{}}}, gcMap{1, nil}, gcMap{1, []gcPartition{{}}}, gcMap{1, []gcPartition{{[][]float64{{0}}, []float64{1, 1}}}}, gcMap{2, []gcPartition{{[][]float64{{0}}, []float64{1}}}}, gcMap{1, []gcPartition{{[][]float64{{0}}, []float64{0}}}}},
		},
		"histograms": {
			[]checked{hbMap{perClass[histogram]{[]histogram{{0, 1}, {.5}}}}, hbTopMap{histogram{0, 1}}},
			[]checked{hbMap{}, hbMap{perClass[histogram]{[]histogram{{}}}}, hbTopMap{}, hbTopMap{histogram{-1e-9}}, hbTopMap{histogram{1 / below}}, hbTopMap{histogram{nan}}},
		},
		"histograms of equal mass": {
			[]checked{hbMassMap{perClass[massHistogram]{[]massHistogram{{nil, []float64{1}}, {[]float64{0, stretch.Logits.End(stretch.Most)}, []float64{0, .5, 1}}}}}},
			[]checked{
				hbMassMap{}, hbMassMap{perClass[massHistogram]{[]massHistogram{{}}}}, hbMassMap{perClass[massHistogram]{[]massHistogram{{[]float64{.5}, []float64{1}}}}}, hbMassMap{perClass[massHistogram]{[]massHistogram{{nil, []float64{1 / below}}}}}, hbMassMap{perClass[massHistogram]{[]massHistogram{{nil, []float64{-1e-9}}}}},
				hbMassMap{perClass[massHistogram]{[]massHistogram{{[]float64{.5, .5}, numbers(3)}}}}, hbMassMap{perClass[massHistogram]{[]massHistogram{{[]float64{-1e-9}, numbers(2)}}}}, hbMassMap{perClass[massHistogram]{[]massHistogram{{[]float64{stretch.Most / below}, numbers(2)}}}}, hbMassMap{perClass[massHistogram]{[]massHistogram{{[]float64{nan}, numbers(2)}}}}, hbMassMap{perClass[massHistogram]{[]massHistogram{{[]float64{inf}, numbers(2)}}}},
			},
		},
		"hfe": {
			[]checked{hfeMap{hfeFloor, gaps, normal{}, 0, hfeMost}, hfeMap{1e300, gaps, normal{1, narrow}, hfeMost, 0}, hfeMap{1, normal{-1e9, 1e9 * narrow}, gaps, 1, 1}},
			[]checked{
				hfeMap{hfeFloor * below, gaps, gaps, 1, 1}, hfeMap{inf, gaps, gaps, 1, 1}, hfeMap{nan, gaps, gaps, 1, 1}, hfeMap{1, gaps, gaps, -1e-9, 1}, hfeMap{1, gaps, gaps, 1, hfeMost / below}, hfeMap{1, gaps, gaps, hfeMost / below, 1},
				hfeMap{1, gaps, gaps, 1, -1e-9}, hfeMap{1, normal{inf, 0}, gaps, 1, 1}, hfeMap{1, gaps, normal{nan, 0}, 1, 1}, hfeMap{1, normal{1, inf}, gaps, 1, 1}, hfeMap{1, gaps, normal{1, narrow * below}, 1, 1}, hfeMap{1, normal{100, 99 * narrow}, gaps, 1, 1}, hfeMap{1, normal{1, nan}, gaps, 1, 1},
			},
		},
		"hts": {
			[]checked{htsMap{htsMostW, htsMostB}, htsMap{-htsMostW, -htsMostB}},
			[]checked{htsMap{htsMostW / below, 0}, htsMap{-htsMostW / below, 0}, htsMap{0, htsMostB / below}, htsMap{0, -htsMostB / below}, htsMap{nan, 0}},
		},
		"Venn-Abers": {
			[]checked{vennAbersMap{Classes: 1, Folds: [][]isotonic.Outcomes{outcomes(1)}}, vennAbersMap{Classes: 4, Pairs: true, Folds: [][]isotonic.Outcomes{outcomes(6)}}, vennAbersMap{Classes: mostMatrixClasses, Pairs: true, Folds: [][]isotonic.Outcomes{outcomes(mostMatrixClasses * (mostMatrixClasses - 1) / 2)}}, vennAbersMap{Classes: mostMatrixClasses + 1, Folds: [][]isotonic.Outcomes{outcomes(mostMatrixClasses + 1)}}},
			[]checked{
				vennAbersMap{}, vennAbersMap{Classes: 1}, vennAbersMap{Classes: 2, Folds: [][]isotonic.Outcomes{outcomes(1)}}, vennAbersMap{Classes: 4, Pairs: true, Folds: [][]isotonic.Outcomes{outcomes(4)}},
				vennAbersMap{Classes: -1, Folds: [][]isotonic.Outcomes{nil}}, vennAbersMap{Classes: 1, Folds: [][]isotonic.Outcomes{{{Rows: []int{1}}}}}, vennAbersMap{Classes: mostMatrixClasses + 1, Pairs: true, Folds: [][]isotonic.Outcomes{nil}},
			},
		},
		"label shift": {
			[]checked{labelShiftMap{1, numbers(2), numbers(2)}},
			[]checked{labelShiftMap{0, numbers(1), numbers(1)}, labelShiftMap{1, nil, nil}, labelShiftMap{1, numbers(1), numbers(2)}, labelShiftMap{1, []float64{nan}, numbers(1)}, labelShiftMap{1, numbers(1), []float64{-1e-9}}, labelShiftMap{1, numbers(1), []float64{inf}}},
		},
		"Platt": {
			[]checked{plattMap{scoreProb, []float64{mostParameter}, []float64{-mostParameter}}, plattMap{scoreLogOdds, numbers(2), numbers(2)}, plattMap{scoreLogProb, numbers(1), numbers(1)}},
			[]checked{plattMap{"odds", numbers(1), numbers(1)}, plattMap{scoreProb, nil, nil}, plattMap{scoreProb, numbers(1), numbers(2)}, plattMap{scoreProb, []float64{mostParameter / below}, numbers(1)}, plattMap{scoreProb, []float64{nan}, numbers(1)}},
		},
		"quadratic": {
			[]checked{quadraticMap{numbers(2), numbers(2), numbers(2)}},
			[]checked{quadraticMap{}, quadraticMap{numbers(2), numbers(2), numbers(1)}, quadraticMap{numbers(2), numbers(1), numbers(2)}, quadraticMap{numbers(1), numbers(1), []float64{nan}}, quadraticMap{[]float64{inf}, numbers(1), numbers(1)}},
		},
		"ProCal": {
			[]checked{proCalMap{1, points, points, near(1)}, proCalMap{fit.MinT, points, density.Kernels{}, near(1)}, proCalMap{fit.MaxT, density.Kernels{}, points, near(1)}},
			[]checked{
				proCalMap{fit.MinT * below, points, points, near(1)}, proCalMap{fit.MaxT / below, points, points, near(1)}, proCalMap{1, density.Kernels{}, density.Kernels{}, near(1)}, proCalMap{1, points, points, near(0)},
				proCalMap{1, density.Kernels{X: fit.Packed[float64]{1}}, points, near(1)}, proCalMap{1, points, density.Kernels{Y: fit.Packed[float64]{1}}, near(1)},
			},
		},
		"ProCal in bins": {
			[]checked{proCalBinsMap{nil, []isotonic.Function{knots}, near(1), nil}, proCalBinsMap{[]float64{0, 1, 1}, []isotonic.Function{knots, knots, knots, knots}, near(1), nil}},
			[]checked{
				proCalBinsMap{nil, nil, near(1), nil}, proCalBinsMap{[]float64{.5}, []isotonic.Function{knots}, near(1), nil}, proCalBinsMap{[]float64{-1e-9}, []isotonic.Function{knots, knots}, near(1), nil}, proCalBinsMap{[]float64{1 / below}, []isotonic.Function{knots, knots}, near(1), nil},
				proCalBinsMap{[]float64{.5, .4}, []isotonic.Function{knots, knots, knots}, near(1), nil}, proCalBinsMap{nil, []isotonic.Function{{}}, near(1), nil}, proCalBinsMap{nil, []isotonic.Function{knots}, near(0), nil}, proCalBinsMap{[]float64{nan}, []isotonic.Function{knots, knots}, near(1), nil},
			},
		},
		"pts": {
			[]checked{ptsMap{1, numbers(ptsNet(1).Size())}, ptsMap{ptsInputs, numbers(ptsNet(ptsInputs).Size())}},
			[]checked{ptsMap{0, numbers(ptsNet(0).Size())}, ptsMap{ptsInputs + 1, numbers(ptsNet(ptsInputs + 1).Size())}, ptsMap{1, numbers(ptsNet(2).Size())}, ptsMap{1, append(numbers(ptsNet(1).Size()-1), 1e7)}},
		},
		"scaling and binning": {
			[]checked{scalingBinningMap{perClass[binnedSigmoid]{[]binnedSigmoid{{A: 1, Values: []float64{1}}}}}, topScalingBinningMap{A: 1, Values: []float64{0}}},
			[]checked{scalingBinningMap{}, scalingBinningMap{perClass[binnedSigmoid]{[]binnedSigmoid{{A: nan, Values: []float64{1}}}}}, topScalingBinningMap{A: 1}, topScalingBinningMap{B: inf, Values: []float64{0}}},
		},
		"SMART": {
			[]checked{smartMap{2 * math.MaxFloat32, 1e300, numbers(321)}, smartMap{-2 * math.MaxFloat32, 0, numbers(321)}},
			[]checked{smartMap{2 * math.MaxFloat32 / below, 1, numbers(321)}, smartMap{0, -1e-9, numbers(321)}, smartMap{0, 1e300 / below, numbers(321)}, smartMap{0, 1, numbers(320)}, smartMap{nan, 1, numbers(321)}, smartMap{0, nan, numbers(321)}},
		},
		"spline": {
			[]checked{splineMap{[]float64{0, stretch.Most}, []float64{-1e6, 1e6}}},
			[]checked{splineMap{}, splineMap{numbers(1), numbers(2)}, splineMap{[]float64{.5, .5}, numbers(2)}, splineMap{[]float64{-1e-9}, numbers(1)}, splineMap{[]float64{stretch.Most / below}, numbers(1)}, splineMap{numbers(1), []float64{1e6 / below}}, splineMap{numbers(1), []float64{nan}}, splineMap{[]float64{.2, .5, .4}, numbers(3)}},
		},
		"smoothing splines":  {nil, []checked{smoothingSplineMap{}, smoothingSplineMap{perClass[smoothing.Spline]{[]smoothing.Spline{{}}}}}},
		"averaged":           {nil, []checked{bbqMap{}, bbqMap{perClass[histograms.Averaged]{[]histograms.Averaged{{}}}}}},
		"isotonic functions": {[]checked{irMap{Function: knots}}, []checked{irMap{}, irOVAMap{}}},
		"svs": {
			[]checked{svsMap{mixed{1, 1e-15}, numbers(1), numbers(1)}, svsMap{mixed{1, below}, numbers(1), numbers(1)}},
			[]checked{svsMap{mixed{0, .5}, numbers(1), numbers(1)}, svsMap{mixed{1, 1e-15 * below}, numbers(1), numbers(1)}, svsMap{mixed{1, 1}, numbers(1), numbers(1)}, svsMap{mixed{1, nan}, numbers(1), numbers(1)}, svsMap{mixed{1, .5}, nil, nil}, svsMap{mixed{1, .5}, numbers(1), numbers(2)}, svsMap{mixed{1, .5}, []float64{inf}, numbers(1)}},
		},
		"sms": {
			[]checked{smsMap{mixed{1, .5}, matrix(2), numbers(2)}},
			[]checked{smsMap{mixed{0, .5}, matrix(2), numbers(2)}, smsMap{mixed{1, .5}, nil, nil}, smsMap{mixed{1, .5}, matrix(2), numbers(3)}, smsMap{mixed{1, .5}, [][]float64{{0, 0}, {0}}, numbers(2)}, smsMap{mixed{1, .5}, [][]float64{{nan}}, numbers(1)}},
		},
		"lines of temperatures": {
			[]checked{linearMap[byConfidence]{A: 0, B: 1e-6}, linearMap[byConfidence]{A: 1e8 - 1, B: 1}, linearMap[byGap]{A: 0, B: 1, Unit: 3}, linearMap[byGap]{A: 0, B: 1, Unit: 0}},
			[]checked{
				linearMap[byConfidence]{A: -1e-9, B: 1}, linearMap[byConfidence]{A: 1, B: 1e-6 * below}, linearMap[byConfidence]{A: 1e8, B: 1}, linearMap[byConfidence]{A: 0, B: 1, Unit: 1}, linearMap[byConfidence]{A: nan, B: 1},
				linearMap[byGap]{A: 0, B: 1, Unit: -1}, linearMap[byGap]{A: 0, B: 1, Unit: inf}, linearMap[byGap]{A: 0, B: 1, Unit: nan},
			},
		},
	} {
		for i, m := range c.good {
			if err := m.Check(); err != nil {
				t.Errorf("%s, good model %d: %v", name, i, err)
			}
		}
		for i, m := range c.bad {
			if err := m.Check(); err == nil {
				t.Errorf("%s, bad model %d: %.200s is accepted", name, i, fmt.Sprintf("%+v", m))
			}
		}
	}
}
