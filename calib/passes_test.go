package calib

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// The largest number of passes over the calibration set that a fit may take, and its
// largest error relative to the minimum.
//
// A Newton step of ts squares the error of log T, times a factor below 1 on real networks. It
// begins at T = 1.5, so the first error is 0.4 or less for T from 1 to 2.2. The errors after it
// are about 0.1, 0.01, 1e-4 and 1e-8, and the pass at the last one finds that its own step is
// negligible: 5 passes. Networks of data/bundle take 3 to 5.
const (
	mostTSPasses   = 5
	mostQaTSPasses = 6 // after ts
	fitError8      = 1e-8
)

// morePasses are drawn sets on which ts takes more passes than mostTSPasses. In the first the
// factor is larger, since few of a hundred classes matter. In the second T is 0.4, far from 1.5.
var morePasses = map[string]float64{"too sure, a hundred": 6, "not sure enough": 7}

// passesOf fits qats and returns the passes of its stages.
func passesOf(t *testing.T, set *data.Set) (f *Fitted, ts, qats float64) {
	t.Helper()
	stages := map[string]float64{}
	f = fitOn(t, "qats", Input{Cal: set, Stage: func(name string, passes float64) { stages[name] += passes }}, nil)
	if sum := stages["rank"] + stages["ts"] + stages["qats"]; stages["rank"] != 1 || !(math.Abs(sum-f.Report.Passes) <= 1e-9) {
		t.Errorf("stages %v of %v passes", stages, f.Report.Passes)
	}
	return f, stages["ts"], stages["qats"]
}

// checkPasses checks the passes of fits of ts and qats on a set, and their distance to
// the minimum, which Newton steps without a stopping rule find.
func checkPasses(t *testing.T, name string, set *data.Set) {
	t.Helper()
	ctx := context.Background()
	f, ts, qats := passesOf(t, set)
	if ts > max(mostTSPasses, morePasses[name]) || qats > mostQaTSPasses+1e-9 {
		t.Errorf("%s: ts takes %v passes, qats %v more", name, ts, qats)
	}
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	flat := fitMethod(t, "ts", set, nil)
	temp := flat.Map.(Temperature).T
	u := softmax.Log(1 / temp)
	for range 4 {
		s, err := o.Slope(ctx, softmax.Exp(u))
		if err != nil {
			t.Fatal(err)
		}
		u += softmax.Log(s.MeanGap/s.LabelGap) * s.MeanGap / (softmax.Exp(u) * s.Variance)
	}
	if e := math.Abs(temp*softmax.Exp(u) - 1); !(e < fitError8) || flat.Report.Gradient >= report.GradTol || !(math.Abs(flat.Report.Passes-ts) <= 1e-9) {
		t.Errorf("%s: T = %v errs by %.1e; %+v", name, temp, e, flat.Report)
	}
	m := f.Map.(qatsMap)
	if m.A == 0 {
		if m.B != temp {
			t.Errorf("%s: a = 0 and b = %v, T of ts %v", name, m.B, temp)
		}
		return
	}
	q := testset.Ranks(set)
	x := []float64{m.A, m.B}
	c := fit.Curve{Segments: 1}
	for range 4 {
		at, err := c.At(ctx, o, q, x)
		if err != nil {
			t.Fatal(err)
		}
		if m.B == fit.MinT { // at its bound
			x[0] -= at.Gradient[0] / at.Hessian[0]
			continue
		}
		var step mat.VecDense
		if err := step.SolveVec(mat.NewDense(2, 2, at.Hessian), mat.NewVecDense(2, at.Gradient)); err != nil {
			t.Fatalf("%s: no minimum near %v: %v", name, x, err)
		}
		x[0], x[1] = x[0]-step.AtVec(0), x[1]-step.AtVec(1)
	}
	if ea, eb := math.Abs(m.A/x[0]-1), math.Abs(m.B/x[1]-1); !(max(ea, eb) < fitError8) {
		t.Errorf("%s: a = %v errs by %.1e, b = %v by %.1e", name, m.A, ea, m.B, eb)
	}
}

func TestFitsNeedFewPasses(t *testing.T) {
	steep := func(q float64) float64 { return 3*(1-q) + 0.5 }
	for _, c := range []struct {
		name string
		set  *data.Set
	}{
		{"too sure, two classes", testset.Simulated(80, 2, 3, 2, 1)},
		{"too sure, ten", testset.Simulated(5000, 10, 3, 2.2, 2)},
		{"too sure, a hundred", testset.Simulated(1500, 100, 4, 2.5, 3)},
		{"not sure enough", testset.Simulated(3000, 10, 0.5, 0.4, 4)},
		{"just right", testset.Simulated(600, 20, 2, 1, 5)},
		{"far too sure", testset.Simulated(4000, 10, 30, 9, 6)},
		{"falling", testset.Ranked(4000, 10, testset.Falling, 7)},
		{"steep", testset.Ranked(1000, 5, steep, 8)},
		{"testset.Rising, so a = 0 binds", testset.Ranked(4000, 6, func(q float64) float64 { return 1 + 2*q }, 9)},
	} {
		checkPasses(t, c.name, c.set)
	}
}

func TestRealFitsNeedFewPasses(t *testing.T) {
	for _, name := range testset.Networks(t) {
		checkPasses(t, name, testset.Real(t, name, data.Cal, testset.Labelled))
	}
}
