package calib

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// bruteQaTS returns the least NLL of T = a (1-q) + b; a is at least least.
func bruteQaTS(set *data.Set, least float64) (a, b, nll float64) {
	return testset.BruteLine(set, testset.Ranks(set), least)
}

// Tolerances against brute force: the grid ends within 1e-6 of the minimum along its
// valley, in which the NLL is flat to 1e-12.
const (
	bruteNLL   = 1e-11
	bruteParam = 1e-4 // relative to 1 + value: the uncertainty in a flat valley
)

func checkAgainstBrute(t *testing.T, name string, set *data.Set) {
	t.Helper()
	f := fitMethod(t, "qats", set, nil)
	m := f.Map.(qatsMap)
	a, b, nll := bruteQaTS(set, 0)
	if f.Report.NLL > nll+1e-12 || f.Report.NLL < nll-bruteNLL {
		t.Errorf("%s: NLL %.15g, brute force %.15g", name, f.Report.NLL, nll)
	}
	if !(math.Abs(m.A-a) <= bruteParam*(1+a)) || !(math.Abs(m.B-b) <= bruteParam*(1+b)) {
		t.Errorf("%s: a = %.6f, b = %.6f; brute force %.6f, %.6f", name, m.A, m.B, a, b)
	}
	if f.Report.Gradient > report.GradTol {
		t.Errorf("%s: gradient %g", name, f.Report.Gradient)
	}
}

func TestQaTSIsAtMostBruteForce(t *testing.T) {
	checkAgainstBrute(t, "falling", testset.Ranked(300, 4, testset.Falling, 1))
	checkAgainstBrute(t, "two classes", testset.Ranked(200, 2, testset.Falling, 2))
	checkAgainstBrute(t, "steep", testset.Ranked(200, 3, func(q float64) float64 { return 6*(1-q) + 0.1 }, 3))
	checkAgainstBrute(t, "homogeneous", testset.Simulated(300, 5, 3, 2, 4))
	checkAgainstBrute(t, "rising", testset.Ranked(300, 4, testset.Rising, 5))
	checkAgainstBrute(t, "few", testset.Simulated(12, 3, 2, 1, 6))
}

// With many rows the fit finds the curve of the labels, within about three standard
// errors.
func TestQaTSRecoversTheCurve(t *testing.T) {
	set := testset.Ranked(20000, 5, testset.Falling, 7)
	m := fitMethod(t, "qats", set, nil).Map.(qatsMap)
	if !(math.Abs(m.A-2) <= 0.2) || !(math.Abs(m.B-0.7) <= 0.1) {
		t.Errorf("a = %g, b = %g; the labels have 2, 0.7", m.A, m.B)
	}
}

// If the best temperature rises with confidence, a = 0 and the fit is ts to the last
// bit, with one segment or several.
func TestQaTSAtItsBoundIsTS(t *testing.T) {
	set := testset.Ranked(2000, 4, testset.Rising, 9)
	flat := fitMethod(t, "ts", set, nil)
	want := flat.Map.(Temperature).T
	f := fitMethod(t, "qats", set, nil)
	m := f.Map.(qatsMap)
	if m.A != 0 || m.B != want || f.Report.NLL != flat.Report.NLL {
		t.Errorf("a = %g, b = %v, NLL %v; ts has T = %v, NLL %v", m.A, m.B, f.Report.NLL, want, flat.Report.NLL)
	}
	if f.Report.AtBound.String() != "a >= 0" || f.Report.Warnings.String() != "a = 0, so equal to TS" {
		t.Errorf("%+v", f.Report)
	}
	if !slices.Equal(applied(m, set.Logits).Data, applied(flat.Map, set.Logits).Data) {
		t.Error("probabilities differ from those of ts")
	}
	// b at its bound: the most confident half is always right.
	for i := range set.Labels {
		if q := m.ECDF.Rank(tailOf(set.Logits.Row(i))); q > 0.3 {
			set.Labels[i] = int32(slices.Index(set.Logits.Row(i), slices.Max(set.Logits.Row(i))))
		} else {
			set.Labels[i] = int32(i % 4)
		}
	}
	f = fitMethod(t, "qats", set, nil)
	m = f.Map.(qatsMap)
	if m.B != fit.MinT || !strings.Contains(f.Report.AtBound.String(), "b >= 0.001") || len(f.Report.Warnings) == 0 {
		t.Errorf("a = %g, b = %g, %+v", m.A, m.B, f.Report)
	}
}

func tailOf(row []float32) float64 {
	var t [1]float64
	softmax.Tails(t[:], row, len(row))
	return t[0]
}
