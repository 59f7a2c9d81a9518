package linear

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// Regressions of classes that end at a gradient of GradTol have converged. Those above it
// are counted, and so are the parameters of beta calibration at 0.
func TestRegressionsOfClassesAreCounted(t *testing.T) {
	ends := []fit.Solution{
		{At: []float64{0, 2, 1}, Gradient: fit.GradTol, Steps: 2},
		{At: []float64{1, 0, 0}, Gradient: 2 * fit.GradTol, Steps: 3},
		{At: []float64{0, 0, 5}, Gradient: 3 * fit.GradTol, Steps: 1},
		{At: []float64{0, 1, 5}, Steps: 4},
	}
	check := func(name string, r calib.Report, steps int, bounds, warning string) {
		t.Helper()
		if r.Iterations != steps || r.AtBound.String() != bounds || !strings.HasPrefix(r.Warnings.String(), warning) || (warning == "") != (len(r.Warnings) == 0) {
			t.Errorf("%s: %+v, want %d steps, %q and %q", name, r, steps, bounds, warning)
		}
	}
	beta, sigmoids := calib.Report{Iterations: 2}, calib.Report{Iterations: 2}
	calib.NoteSolutions(&beta, ends)
	noteBounds(&beta, ends)
	calib.NoteSolutions(&sigmoids, ends)
	check("beta", beta, 12, "a >= 0 in 3 of 4 classes; b >= 0 in 2 of 4 classes", "2 of 4 classes not converged: gradient 3")
	check("sigmoids", sigmoids, 12, "", "2 of 4 classes not converged: gradient 3")
	beta, sigmoids = calib.Report{Iterations: 2}, calib.Report{Iterations: 2}
	calib.NoteSolutions(&beta, ends[3:])
	noteBounds(&beta, ends[3:])
	calib.NoteSolutions(&sigmoids, []fit.Solution{ends[0], {Steps: 2}})
	check("one class of beta", beta, 6, "a >= 0 in 1 of 1 classes", "")
	check("converged sigmoids", sigmoids, 6, "", "")
}

// A descent to a gradient of linearDone has converged.
func TestDescentsAboveTheToleranceAreReported(t *testing.T) {
	set := testset.Drawn(5, 2, 1, 1)
	for _, c := range []struct {
		gradient float64
		warnings int
	}{{linearDone, 0}, {1.001 * linearDone, 1}} {
		f, err := reportedDescent(t.Context(), vsMap{V: []float64{1, 1}, B: []float64{0, 0}}, set, fit.Descent{Gradient: c.gradient, Steps: 3}, 2, 4)
		if err != nil || f.Report.Iterations != 5 || f.Report.Passes != 5 || len(f.Report.Warnings) != c.warnings {
			t.Errorf("gradient %v: %+v (%v)", c.gradient, f.Report, err)
		}
	}
}
