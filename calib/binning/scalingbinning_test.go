package binning

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/internal/stretch"
)

// The new confidence of a row is the mean over the rows of its bin, so the mean over
// all rows is that of the sigmoid, which is the accuracy at the minimum of the loss.
func TestScalingBinningKeepsTheMean(t *testing.T) {
	set := testset.Drawn(503, 5, 2, 9)
	m := calib.Unmixed(calibtest.Fit(t, ScalingBinningTopEntry, set, map[string]any{"bins": 7}).Map).(topScalingBinningMap)
	_, conf := calibtest.TopLabels(m, set)
	rows, err := method.TopRows(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	mean, hits, size := 0.0, 0.0, map[float64]int{}
	for i, r := range rows {
		mean += conf[i]
		size[conf[i]]++
		if r.Hit {
			hits++
		}
	}
	if !(math.Abs(mean-hits) <= 1e-6) {
		t.Errorf("mean confidence %v, accuracy %v", mean/503, hits/503)
	}
	if len(size) != 7 {
		t.Errorf("%d values, want 7", len(size))
	}
	for v, n := range size {
		if n != 71 && n != 72 {
			t.Errorf("bin of value %v has %d rows, want 71 or 72", v, n)
		}
	}
}

// Ties can leave a bin without rows; it has its centre.
func TestScalingBinningWithTies(t *testing.T) {
	s, _ := fitBinnedSigmoid([]float64{-1, -1, -1, -1, 2, 2}, []bool{true, false, false, false, true, false}, 3)
	low, high := stretch.Prob(s.sigmoid(-1)), stretch.Prob(s.sigmoid(2))
	tie, middle := stretch.Logits.End(s.sigmoid(-1)), (low+high)/2
	if !testset.Near(s.Edges, []float64{tie, stretch.Of(middle, 1-middle)}, 1e-15) ||
		!testset.Near(s.Values, []float64{low, (stretch.Prob(tie) + middle) / 2, high}, 1e-15) {
		t.Errorf("%+v, sigmoid %v and %v", s, low, high)
	}
}
