package calib

import (
	"context"
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// On the test sets of real networks ir keeps every prediction and all rows are
// distributions. On the calibration sets hfe-noood is not worse than ts.
func TestRealIRKeepsPredictionsAndHFEIsAtMostTS(t *testing.T) {
	for _, name := range realNetworks(t) {
		cal, test := realSet(t, name, data.Cal, labelled), realSet(t, name, data.Test, labelled)
		for _, m := range []Method{IsotonicRegression{}, TopIsotonicRegression{}, OneVsRestIsotonic{}} {
			q := applied(fitted(t, m, cal), test.Logits)
			for i := range q.Rows {
				sum := 0.0
				best := 0
				for j, v := range q.Row(i) {
					sum += v
					if v > q.Row(i)[best] {
						best = j
					}
				}
				if !(math.Abs(sum-1) <= 1e-12) {
					t.Fatalf("%s, %T, row %d: sum %v", name, m, i, sum)
				}
				if top := fit.TopClass(test.Logits.Row(i)); m == (IsotonicRegression{}) && best != top {
					t.Fatalf("%s, %T, row %d: class %d became %d", name, m, i, top, best)
				}
			}
		}
		f, err := HFEWithoutOOD{}.Fit(context.Background(), Input{Cal: cal})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := f.Map.(hfeMap)
		start := m
		start.Theta1, start.Theta2 = 0, 0
		if got, ts := plainSquaredError(cal, m), plainSquaredError(cal, start); got > ts+1e-12 || f.Report.Gradient > fit.GradTol {
			t.Errorf("%s: squared error %v, ts %v; %+v", name, got, ts, f.Report)
		}
	}
}

// The numbers are those of scikit-learn 1.2.1 on one network, fitted on its
// calibration set with ties in blocks: each block of weight w and mean y is the points
// (lo, y, w/2) and (hi, y, w/2), and 1e-9 p is added before rows are normalised.
func TestRealIsotonicIsScikitLearns(t *testing.T) {
	const name = "cifar10-jpeg/resnet50-w8-s2"
	cal, test := realSet(t, name, data.Cal, labelled), realSet(t, name, data.Test, labelled)
	for _, c := range []struct {
		method       Method
		nll, conf    float64
		changedShare float64
	}{
		{IsotonicRegression{}, 0.7413988514061137, 0.7509522031657593, 0},
		{OneVsRestIsotonic{}, 0.7666466190129636, 0.7558425105172374, 0.0399},
	} {
		q := applied(fitted(t, c.method, cal), test.Logits)
		n := float64(q.Rows)
		nll, conf, changed := 0.0, 0.0, 0.0
		for i := range q.Rows {
			row := q.Row(i)
			best := 0
			for j, v := range row {
				if v > row[best] {
					best = j
				}
			}
			nll -= math.Log(max(row[test.Labels[i]], 1e-300)) / n
			conf += row[best] / n
			if best != fit.TopClass(test.Logits.Row(i)) {
				changed++
			}
		}
		if !(math.Abs(nll-c.nll) <= 1e-12) || !(math.Abs(conf-c.conf) <= 1e-12) || changed/n != c.changedShare {
			t.Errorf("%T: NLL %v, confidence %v, changed %v; want %+v", c.method, nll, conf, changed/n, c)
		}
	}
}
