package linear

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// Regressions of classes that end at a gradient of GradTol have converged. Those above it
// are counted, and so are the parameters of beta calibration at 0.
func TestRegressionsOfClassesAreCounted(t *testing.T) {
	ends := []calib.Minimum{
		{At: []float64{0, 2, 1}, Gradient: report.GradTol, Steps: 2},
		{At: []float64{1, 0, 0}, Gradient: 2 * report.GradTol, Steps: 3},
		{At: []float64{0, 0, 5}, Gradient: 3 * report.GradTol, Steps: 1},
		{At: []float64{0, 1, 5}, Steps: 4},
	}
	check := func(name string, r calib.Report, steps int, bounds, warning string) {
		t.Helper()
		if r.Iterations != steps || r.AtBound.String() != bounds || !strings.HasPrefix(r.Warnings.String(), warning) || (warning == "") != (len(r.Warnings) == 0) {
			t.Errorf("%s: %+v, want %d steps, %q and %q", name, r, steps, bounds, warning)
		}
	}
	beta, sigmoids := calib.Report{Iterations: 2}, calib.Report{Iterations: 2}
	onevsrest.Note(&beta, ends)
	noteBounds(&beta, ends)
	onevsrest.Note(&sigmoids, ends)
	check("beta", beta, 12, "a >= 0 in 3 of 4 classes; b >= 0 in 2 of 4 classes", "2 of 4 classes not converged: gradient 3")
	check("sigmoids", sigmoids, 12, "", "2 of 4 classes not converged: gradient 3")
	beta, sigmoids = calib.Report{Iterations: 2}, calib.Report{Iterations: 2}
	onevsrest.Note(&beta, ends[3:])
	noteBounds(&beta, ends[3:])
	onevsrest.Note(&sigmoids, []calib.Minimum{ends[0], {Steps: 2}})
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
		f, err := reportedDescent(t.Context(), vsMap{V: []float64{1, 1}, B: []float64{0, 0}}, set, fit.Descent{Gradient: c.gradient, Steps: 3}, calib.Report{Iterations: 2}, 4)
		if err != nil || f.Report.Iterations != 5 || f.Report.Passes != 5 || len(f.Report.Warnings) != c.warnings {
			t.Errorf("gradient %v: %+v (%v)", c.gradient, f.Report, err)
		}
	}
}

// On rows that are all right the NLL has no minimum, and every fit says so. Where the fitted map
// alone puts them right, vs says that. Fits to other rows say nothing.
func TestFitsWithoutAMinimumSaySo(t *testing.T) {
	set := testset.Drawn(300, 3, 1.5, 1)
	right := &data.Set{Logits: set.Logits, Labels: make([]int32, 300)}
	shifted := &data.Set{Logits: data.NewMatrix(300, 3), Labels: right.Labels}
	for i := range right.Labels {
		right.Labels[i] = int32(fit.TopClass(set.Logits.Row(i)))
		copy(shifted.Logits.Row(i), set.Logits.Row(i))
		shifted.Logits.Row(i)[2] -= 3 // an offset puts them right again
	}
	const penalty = "so the NLL has no minimum: the penalty alone limits the parameters"
	bound := "T = 0.001: every calibration row is classified correctly, so the NLL has no minimum"
	for _, c := range []struct {
		entry      calib.Entry
		set        *data.Set
		want, ends string
	}{
		{VSEntry, right, "every calibration row is classified correctly, " + penalty, ""},
		{VSEntry, shifted, "the fitted map classifies every calibration row correctly, " + penalty, ""},
		{DirichletEntry, right, "every calibration row is classified correctly, " + penalty, ""},
		{MSODIREntry, right, "every calibration row is classified correctly, " + penalty, ""},
		{SVSEntry, right, bound, "T >= 0.001"}, {SMSEntry, right, bound, "T >= 0.001"},
		{VSEntry, set, "", ""}, {DirichletEntry, set, "", ""}, {MSODIREntry, set, "", ""}, {SVSEntry, set, "", ""}, {SMSEntry, set, "", ""},
	} {
		m, err := c.entry.New().Method()
		if err != nil {
			t.Fatal(err)
		}
		f, err := calib.FitInput(t.Context(), m, calib.Input{Cal: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if r := f.Report; r.Warnings.String() != c.want || c.ends != "" && r.AtBound.String() != c.ends {
			t.Errorf("%s: bounds %q and warnings %q, want %q and %q", c.entry.Name, r.AtBound, r.Warnings, c.ends, c.want)
		}
	}
}
