package network

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// Parameters of a saved model may be at their limits, and not beyond them.
func TestSavedParametersHaveLimits(t *testing.T) {
	const below = 0.999999 // of a limit
	nan := math.NaN()
	numbers := func(n int) []float64 { return make([]float64, n) }
	testset.CheckLimits(t, map[string]testset.Limits{
		"pts": {
			Good: []testset.Checked{ptsMap{1, numbers(ptsNet(1).Size())}, ptsMap{ptsInputs, numbers(ptsNet(ptsInputs).Size())}},
			Bad:  []testset.Checked{ptsMap{0, numbers(ptsNet(0).Size())}, ptsMap{ptsInputs + 1, numbers(ptsNet(ptsInputs + 1).Size())}, ptsMap{1, numbers(ptsNet(2).Size())}, ptsMap{1, append(numbers(ptsNet(1).Size()-1), 1e7)}},
		},
		"SMART": {
			Good: []testset.Checked{smartMap{2 * math.MaxFloat32, 1e300, numbers(321)}, smartMap{-2 * math.MaxFloat32, 0, numbers(321)}},
			Bad:  []testset.Checked{smartMap{2 * math.MaxFloat32 / below, 1, numbers(321)}, smartMap{0, -1e-9, numbers(321)}, smartMap{0, 1e300 / below, numbers(321)}, smartMap{0, 1, numbers(320)}, smartMap{nan, 1, numbers(321)}, smartMap{0, nan, numbers(321)}},
		},
	})
}
