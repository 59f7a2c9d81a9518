package calib

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// bruteQaTS returns the least NLL of T = a (1-q) + b; a is at least least.
func bruteQaTS(set *data.Set, least float64) (a, b, nll float64) {
	return bruteLine(set, testset.Ranks(set), least)
}

// bruteLine is bruteQaTS for a given q. It searches a grid of a and b that is refined
// around its best point, without derivatives and with math.Exp.
func bruteLine(set *data.Set, q []float64, least float64) (a, b, nll float64) {
	value := func(a, b float64) float64 {
		return testset.DirectNLL(set, func(i int) float64 { return a*(1-q[i]) + b })
	}
	nll = math.Inf(1)
	// A coarse grid over both, then smaller ones around the best point.
	for _, u := range []float64{0, 0.1, 0.3, 0.6, 1, 1.5, 2, 3, 4.5, 6, 8, 12} {
		for _, v := range []float64{fit.MinT, 0.03, 0.1, 0.3, 0.6, 1, 1.5, 2, 3, 4.5, 6, 8, 12} {
			if f := value(u, v); f < nll {
				a, b, nll = u, v, f
			}
		}
	}
	for step := 1 + max(a, b)/4; step > 1e-6; step *= 0.6 {
		for moved := true; moved; {
			moved = false
			ca, cb := a, b
			for i := -2.; i <= 2; i++ {
				for j := -2.; j <= 2; j++ {
					u, v := max(least, ca+i*step), max(fit.MinT, cb+j*step)
					if u+v < fit.MinT {
						continue
					}
					if f := value(u, v); f < nll {
						a, b, nll, moved = u, v, f, math.Max(math.Abs(i), math.Abs(j)) == 2
					}
				}
			}
		}
	}
	return a, b, nll
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
	if f.Report.Gradient > fit.GradTol {
		t.Errorf("%s: gradient %g", name, f.Report.Gradient)
	}
}

func falling(q float64) float64 { return 2*(1-q) + 0.7 }
func rising(q float64) float64  { return 0.8 + 1.6*q }

func TestQaTSIsAtMostBruteForce(t *testing.T) {
	checkAgainstBrute(t, "falling", testset.Ranked(300, 4, falling, 1))
	checkAgainstBrute(t, "two classes", testset.Ranked(200, 2, falling, 2))
	checkAgainstBrute(t, "steep", testset.Ranked(200, 3, func(q float64) float64 { return 6*(1-q) + 0.1 }, 3))
	checkAgainstBrute(t, "homogeneous", testset.Simulated(300, 5, 3, 2, 4))
	checkAgainstBrute(t, "rising", testset.Ranked(300, 4, rising, 5))
	checkAgainstBrute(t, "few", testset.Simulated(12, 3, 2, 1, 6))
}

// With many rows the fit finds the curve of the labels, within about three standard
// errors.
func TestQaTSRecoversTheCurve(t *testing.T) {
	set := testset.Ranked(20000, 5, falling, 7)
	m := fitMethod(t, "qats", set, nil).Map.(qatsMap)
	if !(math.Abs(m.A-2) <= 0.2) || !(math.Abs(m.B-0.7) <= 0.1) {
		t.Errorf("a = %g, b = %g; the labels have 2, 0.7", m.A, m.B)
	}
	set = testset.Ranked(20000, 5, rising, 8)
	m = fitMethod(t, "qats-free", set, nil).Map.(qatsMap)
	if !(math.Abs(m.A+1.6) <= 0.2) || !(math.Abs(m.B-2.4) <= 0.2) {
		t.Errorf("free: a = %g, b = %g; the labels have -1.6, 2.4", m.A, m.B)
	}
}

// If the best temperature rises with confidence, a = 0 and the fit is ts to the last
// bit, with one segment or several.
func TestQaTSAtItsBoundIsTS(t *testing.T) {
	set := testset.Ranked(2000, 4, rising, 9)
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

func TestMoreSegmentsFitCloser(t *testing.T) {
	set := testset.Ranked(3000, 5, func(q float64) float64 { return 1 + 3*(1-q)*(1-q) }, 10)
	linear := fitMethod(t, "qats", set, nil)
	one := fitMethod(t, "qats-pw", set, map[string]int{"segments": 1})
	m, k := linear.Map.(qatsMap), one.Map.(knotsMap).Knots
	if k[1] != m.B || !(math.Abs(k[0]-m.A-m.B) <= 1e-15*k[0]) {
		t.Errorf("one segment: knots %v, linear a = %v, b = %v", k, m.A, m.B)
	}
	last := linear.Report.NLL
	for _, s := range []int{2, 4, 8} { // nested knots
		f := fitMethod(t, "qats-pw", set, map[string]int{"segments": s})
		knots := f.Map.(knotsMap).Knots
		for i := 1; i < len(knots); i++ {
			if knots[i] > knots[i-1] || knots[i] < fit.MinT {
				t.Errorf("%d segments: knots %v", s, knots)
			}
		}
		if f.Report.NLL > last+1e-12 || f.Report.Gradient > fit.GradTol {
			t.Errorf("%d segments: NLL %.12g after %.12g, gradient %g", s, f.Report.NLL, last, f.Report.Gradient)
		}
		free := fitMethod(t, "qats-pw-free", set, map[string]int{"segments": s})
		if free.Report.NLL > f.Report.NLL+1e-12 {
			t.Errorf("%d segments: free NLL %.12g above %.12g", s, free.Report.NLL, f.Report.NLL)
		}
		last = f.Report.NLL
	}
	if linear.Report.NLL-last < 1e-4 {
		t.Errorf("a curved truth gains only %g over the linear form", linear.Report.NLL-last)
	}
	for _, s := range []int{0, -1, 101} {
		e, _ := lookup("qats-pw")
		if _, err := withInts(e, map[string]int{"segments": s}); err == nil || !strings.Contains(err.Error(), "segments") {
			t.Errorf("%d segments: %v", s, err)
		}
	}
}

func TestTransductiveRanksAmongTheTarget(t *testing.T) {
	cal := testset.Ranked(800, 2, falling, 11)
	base := fitMethod(t, "qats", cal, nil).Map.(qatsMap)
	same := fitOn(t, "qats-transductive", Input{Cal: cal, Target: &data.Set{Logits: cal.Logits}}, nil)
	if got := same.Map.(qatsMap); got.A != base.A || got.B != base.B || !slices.Equal(got.ECDF, base.ECDF) {
		t.Errorf("with the calibration rows as target: a = %v, b = %v; qats %v, %v", got.A, got.B, base.A, base.B)
	}
	// For two classes a rescaling of the target keeps its order, so each row
	// keeps its temperature.
	target := data.NewMatrix(cal.Logits.Rows, 2)
	for i, l := range cal.Logits.Data {
		target.Data[i] = 4 * l
	}
	scaled := fitOn(t, "qats-transductive", Input{Cal: cal, Target: &data.Set{Logits: target}}, nil).Map.(qatsMap)
	for i := range target.Rows {
		q, want := scaled.ECDF.Rank(tailOf(target.Row(i))), base.ECDF.Rank(tailOf(cal.Logits.Row(i)))
		if q != want {
			t.Errorf("row %d: rank %g among the rescaled rows, %g before", i, q, want)
		}
	}
	e, _ := lookup("qats-transductive")
	m, err := e.New().Method()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []*data.Set{nil, {}, {Logits: data.NewMatrix(3, 5)}} {
		if _, err := m.Fit(context.Background(), Input{Cal: cal, Target: bad}); err == nil {
			t.Errorf("target %+v: no error", bad)
		}
	}
	if m.Contract().Target != data.Logits {
		t.Error("the contract does not ask for the target's logits")
	}
}

func TestLoadedCurvesAreChecked(t *testing.T) {
	ok := fit.ECDF{0, 0.5, 0.5}
	for _, m := range []qatsMap{
		{1, 0, ok}, {-2, 1, ok}, {math.NaN(), 1, ok}, {math.Inf(1), 1, ok},
		{1, 1, nil}, {1, 1, fit.ECDF{1, 0}}, {1, 1, fit.ECDF{-1}}, {1, 1, fit.ECDF{math.NaN()}},
	} {
		if m.Check() == nil {
			t.Errorf("accepted %+v", m)
		}
	}
	for _, m := range []knotsMap{{nil, ok}, {[]float64{1}, ok}, {[]float64{1, 0}, ok}, {[]float64{1, 1}, nil}} {
		if m.Check() == nil {
			t.Errorf("accepted %+v", m)
		}
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if (Temperature{v}).Check() == nil {
			t.Errorf("accepted T = %g", v)
		}
	}
}

// Ranks among the target do not change by a rescaling that keeps the order of the confidences:
// the temperatures are the same, and the probabilities are those of the rescaled logits. QaTS
// ranks among the calibration rows, and its temperatures change. With three classes the order
// can change, and with it the temperatures.
func TestRescalingKeepsTemperaturesNotProbabilities(t *testing.T) {
	scales := func(m Method, cal, target *data.Set) []float64 {
		t.Helper()
		f, err := m.Fit(t.Context(), Input{Cal: cal, Target: target})
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float64, target.Logits.Rows)
		f.Map.(Tempered).Scales(s, target, NewUnscaled(target.Logits))
		return s
	}
	times := func(m data.Matrix, c float32) *data.Set {
		out := data.NewMatrix(m.Rows, m.Cols)
		for i, v := range m.Data {
			out.Data[i] = c * v
		}
		return &data.Set{Logits: out}
	}
	falling := func(q float64) float64 { return 2.5 - 1.5*q }
	cal, test := testset.Ranked(400, 2, falling, 1), testset.Ranked(200, 2, falling, 2)
	plain, twice := times(test.Logits, 1), times(test.Logits, 2)
	before := scales(TransductiveQaTS{}, cal, plain)
	if !slices.Equal(before, scales(TransductiveQaTS{}, cal, twice)) || before[0] == before[1] {
		t.Error("the temperatures of qats-transductive change")
	}
	p, q := softmax.Probs(make([]float64, 2), plain.Logits.Row(0), before[0]), softmax.Probs(make([]float64, 2), twice.Logits.Row(0), before[0])
	if slices.Equal(p, q) {
		t.Errorf("the probabilities of qats-transductive are %v before and after", p)
	}
	if slices.Equal(scales(QaTS{}, cal, plain), scales(QaTS{}, cal, twice)) {
		t.Error("the temperatures of qats do not change")
	}
	three := testset.Ranked(400, 3, falling, 1)
	order := testset.Rows([][]float32{{0, -1, -10}, {0, -1.5, -1.5}})
	a, b := scales(TransductiveQaTS{}, three, times(order, 1)), scales(TransductiveQaTS{}, three, times(order, 5))
	if !(a[0] > a[1] && b[0] < b[1]) {
		t.Errorf("1/T of the two rows: %v, of the rescaled ones %v", a, b)
	}
}
