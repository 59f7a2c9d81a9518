package quantile

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/report"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

func TestMoreSegmentsFitCloser(t *testing.T) {
	set := testset.Ranked(3000, 5, func(q float64) float64 { return 1 + 3*(1-q)*(1-q) }, 10)
	linear := calibtest.Fit(t, calib.QaTSEntry, set, nil)
	one := calibtest.Fit(t, QaTSPWEntry, set, map[string]any{"segments": 1})
	m, k := lineOf(linear.Map), one.Map.(knotsMap).Knots
	if k[1] != m.B || !(math.Abs(k[0]-m.A-m.B) <= 1e-15*k[0]) {
		t.Errorf("one segment: knots %v, linear a = %v, b = %v", k, m.A, m.B)
	}
	last := linear.Report.NLL
	for _, s := range []int{2, 4, 8} { // nested knots
		f := calibtest.Fit(t, QaTSPWEntry, set, map[string]any{"segments": s})
		knots := f.Map.(knotsMap).Knots
		for i := 1; i < len(knots); i++ {
			if knots[i] > knots[i-1] || knots[i] < fit.MinT {
				t.Errorf("%d segments: knots %v", s, knots)
			}
		}
		if f.Report.NLL > last+1e-12 || f.Report.Gradient > report.GradTol {
			t.Errorf("%d segments: NLL %.12g after %.12g, gradient %g", s, f.Report.NLL, last, f.Report.Gradient)
		}
		free := calibtest.Fit(t, QaTSPWFreeEntry, set, map[string]any{"segments": s})
		if free.Report.NLL > f.Report.NLL+1e-12 {
			t.Errorf("%d segments: free NLL %.12g above %.12g", s, free.Report.NLL, f.Report.NLL)
		}
		last = f.Report.NLL
	}
	if linear.Report.NLL-last < 1e-4 {
		t.Errorf("a curved truth gains only %g over the linear form", linear.Report.NLL-last)
	}
	for _, s := range []int{0, -1, 101} {
		e := QaTSPWEntry
		if _, err := calibtest.Method(e, map[string]any{"segments": s}); err == nil || !strings.Contains(err.Error(), "segments") {
			t.Errorf("%d segments: %v", s, err)
		}
	}
}

func TestTransductiveRanksAmongTheTarget(t *testing.T) {
	cal := testset.Ranked(800, 2, testset.Falling, 11)
	base := lineOf(calibtest.Fit(t, calib.QaTSEntry, cal, nil).Map)
	same := calibtest.FitInput(t, QaTSTransductiveEntry, calib.Input{Cal: cal, Target: &data.Set{Logits: cal.Logits}}, nil)
	if got := same.Map.(lineMap); got.A != base.A || got.B != base.B || !slices.Equal(got.ECDF, base.ECDF) {
		t.Errorf("with the calibration rows as target: a = %v, b = %v; qats %v, %v", got.A, got.B, base.A, base.B)
	}
	// For two classes a rescaling of the target keeps its order, so each row
	// keeps its temperature.
	target := data.NewMatrix(cal.Logits.Rows, 2)
	for i, l := range cal.Logits.Data {
		target.Data[i] = 4 * l
	}
	scaled := calibtest.FitInput(t, QaTSTransductiveEntry, calib.Input{Cal: cal, Target: &data.Set{Logits: target}}, nil).Map.(lineMap)
	after, before := calib.NewUnscaled(target).Tails(), calib.NewUnscaled(cal.Logits).Tails()
	for i := range target.Rows {
		q, want := scaled.ECDF.Rank(after[i]), base.ECDF.Rank(before[i])
		if q != want {
			t.Errorf("row %d: rank %g among the rescaled rows, %g before", i, q, want)
		}
	}
	e := QaTSTransductiveEntry
	m, err := e.New().Method()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []*data.Set{nil, {}, {Logits: data.NewMatrix(3, 5)}} {
		if _, err := calib.FitInput(context.Background(), m, calib.Input{Cal: cal, Target: bad}); err == nil {
			t.Errorf("target %+v: no error", bad)
		}
	}
	if m.Contract().Target != data.Logits {
		t.Error("the contract does not ask for the target's logits")
	}
}

func TestLoadedCurvesAreChecked(t *testing.T) {
	ok := fit.ECDF{0, 0.5, 0.5}
	for _, m := range []fit.Line{
		{A: 1, B: 0, ECDF: ok}, {A: -2, B: 1, ECDF: ok}, {A: math.NaN(), B: 1, ECDF: ok}, {A: math.Inf(1), B: 1, ECDF: ok},
		{A: 1, B: 1}, {A: 1, B: 1, ECDF: fit.ECDF{1, 0}}, {A: 1, B: 1, ECDF: fit.ECDF{-1}}, {A: 1, B: 1, ECDF: fit.ECDF{math.NaN()}},
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
}

// Ranks among the target do not change by a rescaling that keeps the order of the confidences:
// the temperatures are the same, and the probabilities are those of the rescaled logits. QaTS
// ranks among the calibration rows, and its temperatures change. With three classes the order
// can change, and with it the temperatures.
func TestRescalingKeepsTemperaturesNotProbabilities(t *testing.T) {
	scales := func(m calib.Method, cal, target *data.Set) []float64 {
		t.Helper()
		f, err := calib.FitInput(t.Context(), m, calib.Input{Cal: cal, Target: target})
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float64, target.Logits.Rows)
		f.Map.(calib.Tempered).Scales(s, target, calib.NewUnscaled(target.Logits))
		return s
	}
	times := func(m data.Matrix, c float32) *data.Set {
		out := data.NewMatrix(m.Rows, m.Cols)
		for i, v := range m.Data {
			out.Data[i] = c * v
		}
		return &data.Set{Logits: out}
	}
	slow := func(q float64) float64 { return 2.5 - 1.5*q }
	cal, test := testset.Ranked(400, 2, slow, 1), testset.Ranked(200, 2, slow, 2)
	plain, twice := times(test.Logits, 1), times(test.Logits, 2)
	before := scales(TransductiveQaTS{}, cal, plain)
	if !slices.Equal(before, scales(TransductiveQaTS{}, cal, twice)) || before[0] == before[1] {
		t.Error("the temperatures of qats-transductive change")
	}
	p, q := softmax.Probs(make([]float64, 2), plain.Logits.Row(0), before[0]), softmax.Probs(make([]float64, 2), twice.Logits.Row(0), before[0])
	if slices.Equal(p, q) {
		t.Errorf("the probabilities of qats-transductive are %v before and after", p)
	}
	if slices.Equal(scales(calib.QaTS{}, cal, plain), scales(calib.QaTS{}, cal, twice)) {
		t.Error("the temperatures of qats do not change")
	}
	three := testset.Ranked(400, 3, slow, 1)
	order := testset.Rows([][]float32{{0, -1, -10}, {0, -1.5, -1.5}})
	a, b := scales(TransductiveQaTS{}, three, times(order, 1)), scales(TransductiveQaTS{}, three, times(order, 5))
	if !(a[0] > a[1] && b[0] < b[1]) {
		t.Errorf("1/T of the two rows: %v, of the rescaled ones %v", a, b)
	}
}

// If the labels want a temperature that rises with confidence, qats-free finds it.
func TestFreeQaTSRecoversARisingCurve(t *testing.T) {
	set := testset.Ranked(20000, 5, testset.Rising, 8)
	m := calibtest.Fit(t, QaTSFreeEntry, set, nil).Map.(lineMap)
	if !(math.Abs(m.A+1.6) <= 0.2) || !(math.Abs(m.B-2.4) <= 0.2) {
		t.Errorf("a = %g, b = %g; the labels have -1.6, 2.4", m.A, m.B)
	}
}

// lineOf returns the line of a map of QaTS or of a variant.
func lineOf(m calib.Map) fit.Line { return m.(interface{ OfRanks() fit.Line }).OfRanks() }
