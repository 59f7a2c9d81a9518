package calib

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// If every sixteenth row is certain, contradicts the others or is of another scale, the fit
// still finds the minimum of the set.
func TestRowsThatContradictTheOthersLeaveAMinimum(t *testing.T) {
	const n, k = 1600, 5
	right, wrong, other := testset.Simulated(n, k, 3, 2, 3), testset.Simulated(n, k, 3, 2, 3), testset.Simulated(n, k, 3, 2, 3)
	for i := 16 / 2; i < n; i += 16 {
		row := right.Logits.Row(i)
		right.Labels[i] = int32(fit.TopClass(row))
		wrong.Labels[i] = int32((fit.TopClass(row) + 1) % k)
		for j := range row {
			other.Logits.Row(i)[j] *= 40
		}
	}
	for name, set := range map[string]*data.Set{"right": right, "wrong": wrong, "of another scale": other} {
		f := fitMethod(t, "ts", set, nil)
		want, _ := testset.BruteTemperature(set)
		if got := f.Map.(Temperature).T; !(math.Abs(got/want-1) <= 1e-6) || f.Report.Gradient >= report.GradTol || len(f.Report.Warnings) > 0 {
			t.Errorf("every sixteenth row is %s: T = %.9g, want %.9g; %+v", name, got, want, f.Report)
		}
	}
}
