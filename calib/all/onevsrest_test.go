package all

import (
	"runtime"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// A class that the network gives about 1e-26 on every row, and that occurs, has a model
// that can be read again.
func TestSigmoidsOfTinyProbabilitiesAreInRange(t *testing.T) {
	set := testset.Drawn(200, 3, 1, 5)
	for i := range set.Logits.Rows {
		set.Logits.Row(i)[2] -= 60
	}
	set.Labels[0], set.Labels[1] = 2, 2
	for _, name := range []string{"platt", "platt-logits", "quadratic", "scaling-binning"} {
		if err := calibtest.Fit(t, entry(name), set, nil).Map.(interface{ Check() error }).Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One-vs-rest fits and the report of the kernel share their work among processors.
func TestBitsOfOneVsRestAndKernelDoNotDependOnProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	set := testset.Drawn(700, 6, 2, 8)
	for _, name := range []string{"bbq", "smoothing-spline", "kernel"} {
		var first *calib.Fitted
		for _, workers := range []int{1, 3, 8} {
			runtime.GOMAXPROCS(workers)
			f := calibtest.Fit(t, entry(name), set, nil)
			if first == nil {
				first = f
			}
			q, want := calibtest.Apply(f.Map, set.Logits), calibtest.Apply(first.Map, set.Logits)
			if f.Report.NLL != first.Report.NLL || !slices.Equal(q.Data, want.Data) {
				t.Errorf("%s: other bits with %d processors", name, workers)
			}
		}
	}
}

// Rows whose confidence rounds to 1 are told from rows that are half right.
func TestSaturatedRowsHaveTheirOwnValue(t *testing.T) {
	for _, name := range []string{"cvap", "spline", "scaling-binning", "scaling-binning-top"} {
		set := testset.TwoGaps(100)
		q := calibtest.Apply(calibtest.Fit(t, entry(name), set, nil).Map, set.Logits)
		if low, high := q.Row(0)[0], q.Row(150)[0]; !(low < .7 && high > .9) {
			t.Errorf("%s: %v for rows that are half right, %v for right ones", name, low, high)
		}
	}
}
