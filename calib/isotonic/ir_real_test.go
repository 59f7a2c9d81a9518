package isotonic

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// On the test sets of real networks ir keeps every prediction and all rows are
// distributions.
func TestRealIRKeepsPredictions(t *testing.T) {
	for _, name := range testset.Networks(t) {
		cal, test := testset.Real(t, name, data.Cal, testset.Labelled), testset.Real(t, name, data.Test, testset.Labelled)
		for _, m := range []calib.Method{Regression{}, TopRegression{}, OneVsRest{}} {
			q := calibtest.Apply(calibtest.Map(t, m, cal), test.Logits)
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
				if top := fit.TopClass(test.Logits.Row(i)); m == (Regression{}) && best != top {
					t.Fatalf("%s, %T, row %d: class %d became %d", name, m, i, top, best)
				}
			}
		}
	}
}

// The numbers are those of scikit-learn 1.2.1 on one network, fitted on its
// calibration set with ties in blocks: each block of weight w and mean y is the points
// (lo, y, w/2) and (hi, y, w/2), and 1e-9 p is added before rows are normalised.
func TestRealIsotonicIsScikitLearns(t *testing.T) {
	const name = "cifar10-jpeg/resnet50-w8-s2"
	cal, test := testset.Real(t, name, data.Cal, testset.Labelled), testset.Real(t, name, data.Test, testset.Labelled)
	for _, c := range []struct {
		method       calib.Method
		nll, conf    float64
		changedShare float64
	}{
		{Regression{}, 0.7413988514061137, 0.7509522031657593, 0},
		{OneVsRest{}, 0.7666466190129636, 0.7558425105172374, 0.0399},
	} {
		q := calibtest.Apply(calib.Unmixed(calibtest.Map(t, c.method, cal)), test.Logits)
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
