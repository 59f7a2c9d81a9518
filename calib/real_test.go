package calib

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// On every real network, qats is not worse than ts, ts not worse than the network, and
// both keep the predictions.
func TestRealFitsAreOrdered(t *testing.T) {
	flat := 0
	for _, name := range testset.Networks(t) {
		set := testset.Real(t, name, data.Cal, testset.Labelled)
		ts, qats := fitMethod(t, "ts", set, nil), fitMethod(t, "qats", set, nil)
		o, err := fit.NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		uncal, err := o.NLL(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		temp, m := ts.Map.(Temperature).T, qats.Map.(qatsMap)
		t.Logf("%-36s T = %.4f  a = %.4f  b = %.4f  %s", name, temp, m.A, m.B, qats.Report.AtBound.String())
		if !(qats.Report.NLL <= ts.Report.NLL+1e-12 && ts.Report.NLL <= uncal+1e-12) {
			t.Errorf("%s: NLL uncal %.12g, ts %.12g, qats %.12g", name, uncal, ts.Report.NLL, qats.Report.NLL)
		}
		if ts.Report.Gradient >= report.GradTol || qats.Report.Gradient > report.GradTol {
			t.Errorf("%s: ts %+v, qats %+v", name, ts.Report, qats.Report)
		}
		if m.A == 0 {
			flat++
			if m.B != temp {
				t.Errorf("%s: a = 0 and b = %v, ts %v", name, m.B, temp)
			}
		}
		if got := secondStart(t, set, temp); !(math.Abs(got-qats.Report.NLL) <= 1e-10) {
			t.Errorf("%s: from (1, T/2) the NLL is %.12g, from (0, T) %.12g", name, got, qats.Report.NLL)
		}
		test := testset.Real(t, name, data.Test, testset.Labelled)
		test.Logits = test.Logits.Slice(0, min(test.Logits.Rows, 500))
		p, q := applied(ts.Map, test.Logits), applied(m, test.Logits)
		for i := range test.Logits.Rows {
			row := test.Logits.Row(i)
			want := slices.Index(row, slices.Max(row))
			for _, got := range [][]float64{p.Row(i), q.Row(i)} {
				if slices.Index(got, slices.Max(got)) != want {
					t.Errorf("%s: row %d: the predicted class changes", name, i)
				}
			}
		}
	}
	t.Logf("a = 0 for %d networks", flat)
}

// secondStart returns the NLL of the linear curve fitted from (1, T/2).
func secondStart(t *testing.T, set *data.Set, temp float64) float64 {
	t.Helper()
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	q := testset.Ranks(set)
	c := fit.Curve{Segments: 1}
	lo, hi := c.Bounds()
	sol, err := fit.BoxNewton(func(x []float64) (Local, error) {
		return c.At(context.Background(), o, q, x)
	}, []float64{1, max(fit.MinT, temp/2)}, lo, hi, temp)
	if err != nil {
		t.Fatal(err)
	}
	return sol.Value
}

// Fits of seven networks are those of grids. Fits of one network are those of scipy
// 1.10: minimize_scalar on log T, and L-BFGS-B on (a, b) from (0, T) and (1, T/2) with
// q = searchsorted(sort(conf), conf, side="right")/n.
func TestRealFitsAreAtMostBruteForce(t *testing.T) {
	if testing.Short() {
		t.Skip("grids over thousands of rows")
	}
	for _, name := range []string{
		"20newsgroups-body/transformer-d64-l2", "cifar10-jpeg-lt-r100/resnet18-w16-s2", "pneumoniamnist-28/densenet16-k12-s2",
		"pneumoniamnist-28/resnet18-w16-s2", "pneumoniamnist-28/resnet50-w8-s2", "pneumoniamnist-28/vgg7-w32", "pneumoniamnist-28/vit-p4-d96-l4",
	} {
		set := testset.Real(t, name, data.Cal, testset.Labelled)
		got := fitMethod(t, "ts", set, nil)
		want, nll := testset.BruteTemperature(set)
		if !(math.Abs(got.Map.(Temperature).T/want-1) <= 1e-6) || !(math.Abs(got.Report.NLL-nll) <= 1e-12) {
			t.Errorf("%s: T = %.9g with NLL %.15g, brute force %.9g with %.15g", name, got.Map.(Temperature).T, got.Report.NLL, want, nll)
		}
		checkAgainstBrute(t, name, set)
	}
	const name = "20newsgroups-body/transformer-d64-l2"
	set := testset.Real(t, name, data.Cal, testset.Labelled)
	temp, m := fitMethod(t, "ts", set, nil).Map.(Temperature).T, fitMethod(t, "qats", set, nil).Map.(qatsMap)
	if !(math.Abs(temp-1.66119) <= 1e-5) || !(math.Abs(m.A-1.61840) <= 1e-4) || !(math.Abs(m.B-0.55373) <= 1e-4) {
		t.Errorf("%s: T = %.5f, a = %.5f, b = %.5f; scipy has 1.66119, 1.61840, 0.55373", name, temp, m.A, m.B)
	}
}
