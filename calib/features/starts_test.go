package features

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// On tiny sets hfe-noood is never worse than from its usual start alone. It warns if another
// start ends at a local minimum.
func TestTinySetsHaveSeveralStartsOfHFE(t *testing.T) {
	warned := 0
	for seed := range uint64(60) {
		set := testset.Energetic(10, 2+int(seed%7), seed*31+10)
		if seed%2 == 0 {
			set = testset.Drawn(10, 2+int(seed%7), 0.5+float64(seed%5)/2, seed*17+10)
		}
		f := calibtest.Fit(t, HFENoOODEntry, set, nil)
		start := f.Map.(hfeMap)
		start.Theta1, start.Theta2 = 0, 0
		if got, ts := plainSquaredError(set, f.Map.(hfeMap)), plainSquaredError(set, start); got > ts+1e-12 {
			t.Errorf("seed %d: hfe-noood has a squared error of %v, ts %v", seed, got, ts)
		}
		if strings.Contains(f.Report.Warnings.String(), "no unique fit") {
			warned++
		}
	}
	if warned == 0 {
		t.Error("no warning of local minima; the sets do not test it")
	}
}
