package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// If the target rows are the calibration rows, there is no shift: the weights are 1.
func TestLabelShiftOfTheCalibrationRowsIsNone(t *testing.T) {
	set := testset.Drawn(400, 4, 2, 5)
	for _, name := range []string{"bcts", "ts", "none"} {
		m := fitShift(t, name, set, set.Logits)
		for j, w := range m.W {
			if !(math.Abs(w-1) <= 1e-5) {
				t.Errorf("%s: weight of class %d is %v", name, j, w)
			}
		}
	}
}

// EM finds the shares of a target set whose classes were drawn with other ones, and
// the correction lowers its NLL. Both sets have the same p(x | y).
func TestLabelShiftFindsTheShares(t *testing.T) {
	all := testset.Drawn(60000, 4, 1.5, 6)
	rng := rand.New(rand.NewPCG(6, 7))
	keep := []float64{1, 0.5, 0.2, 0.05}
	var rows []int
	for i, y := range all.Labels[20000:] {
		if rng.Float64() < keep[y] {
			rows = append(rows, 20000+i)
		}
	}
	cal := all.Rows(0, 20000)
	target := &data.Set{Logits: data.NewMatrix(len(rows), 4), Labels: make([]int32, len(rows))}
	var had, has [4]float64
	for i, row := range rows {
		copy(target.Logits.Row(i), all.Logits.Row(row))
		target.Labels[i] = all.Labels[row]
		has[all.Labels[row]] += 1 / float64(len(rows))
	}
	for _, y := range cal.Labels {
		had[y] += 1. / 20000
	}
	m := fitShift(t, "bcts", cal, target.Logits)
	for j := range has {
		if got := m.W[j] * had[j]; !(math.Abs(got-has[j]) <= 0.015) { // some 3 standard errors
			t.Errorf("class %d: share %v, want %v", j, got, has[j])
		}
	}
	nll := func(m calib.Map) float64 {
		q, sum := calibtest.Apply(m, target.Logits), 0.0
		for i, y := range target.Labels {
			sum -= math.Log(q.Row(i)[y])
		}
		return sum / float64(len(rows))
	}
	plain := m
	plain.W = []float64{1, 1, 1, 1}
	if got, without := nll(m), nll(plain); !(got < without-0.05) {
		t.Errorf("NLL %v on the target, %v without the correction", got, without)
	}
}

func fitShift(t *testing.T, calibration string, cal *data.Set, target data.Matrix) labelShiftMap {
	t.Helper()
	f, err := calib.FitInput(t.Context(), LabelShift{Calibration: calibration}, calib.Input{Cal: cal, Target: &data.Set{Logits: target}})
	if err != nil {
		t.Fatal(err)
	}
	return f.Map.(labelShiftMap)
}

// bcts is at the minimum of the NLL in 1/T and b: the mean probability of each class is
// its share.
func TestBiasCorrectedTemperatureMatchesTheShares(t *testing.T) {
	set := testset.Drawn(500, 4, 2, 8)
	m := fitShift(t, "bcts", set, set.Logits)
	m.W = []float64{1, 1, 1, 1}
	mean, q := make([]float64, 4), calibtest.Apply(m, set.Logits)
	for i, y := range set.Labels {
		for j, p := range q.Row(i) {
			mean[j] += p
		}
		mean[y]--
	}
	for j, d := range mean {
		if !(math.Abs(d) <= 500*1e-5) {
			t.Errorf("class %d: probabilities sum to %v more than its rows", j, d)
		}
	}
}

func BenchmarkFitLabelShift(b *testing.B) {
	cal, target := testset.Simulated(5000, 100, 5, 1.6, 1), testset.Simulated(10000, 100, 5, 1.6, 2)
	b.Run(fmt.Sprintf("method=label-shift/n=%d/k=%d", 5000, 100), func(b *testing.B) {
		for b.Loop() {
			calibtest.FitInput(b, LabelShiftEntry, calib.Input{Cal: cal, Target: &data.Set{Logits: target.Logits}}, nil)
		}
	})
}

// The report counts the steps of the calibration and of EM, and the passes of the
// calibration and of the NLL besides the one in which EM reads the set. EM says if its
// steps run out.
func TestLabelShiftReportsItsSteps(t *testing.T) {
	cal, target := testset.Drawn(60, 3, 2, 1), testset.Drawn(40, 3, 2, 2)
	for _, calibration := range []string{"none", "ts", "bcts"} {
		for _, steps := range []int{1, 3, 1000} {
			in := calib.Input{Cal: cal, Target: target}
			m := labelShiftMap{T: 1, B: make([]float64, 3), W: make([]float64, 3)}
			var r calib.Report
			var err error
			if calibration != "none" {
				if r, err = m.calibrate(t.Context(), in, calibration == "bcts"); err != nil || r.Passes <= 0 || r.Iterations <= 0 {
					t.Fatal(err, r)
				}
			}
			taken, change, err := m.reweight(t.Context(), cal.Logits, target.Logits, steps, 1e-6)
			if err != nil || taken > steps || taken < min(steps, 3) {
				t.Fatal(err, taken)
			}
			f, err := calib.FitInput(t.Context(), LabelShift{Calibration: calibration, Steps: steps}, in)
			if err != nil || f.Report.Iterations != r.Iterations+taken || f.Report.Passes != r.Passes+2 || (len(f.Report.Warnings) > 0) != (change > 1e-6) || (change > 1e-6) != (steps < 10) {
				t.Errorf("%s: %+v (%v), want %d+%d steps, %v+2 passes; last change %v", calibration, f.Report, err, r.Iterations, taken, r.Passes, change)
			}
		}
	}
}

// With one class the shares never change, and EM ends after one step even with tolerance 0.
func TestLabelShiftWithOneClassEndsAtOnce(t *testing.T) {
	one := data.NewMatrix(3, 1)
	m := labelShiftMap{T: 1, B: make([]float64, 1), W: make([]float64, 1)}
	if steps, change, err := m.reweight(t.Context(), one, one, 50, 0); steps != 1 || change != 0 || err != nil {
		t.Errorf("%d steps, change %v (%v)", steps, change, err)
	}
}

func TestLabelShiftNeedsTargetRows(t *testing.T) {
	cal := testset.Drawn(20, 3, 1, 1)
	for name, target := range map[string]*data.Set{"none": nil, "no rows": {Logits: data.NewMatrix(0, 3)}, "other classes": testset.Drawn(5, 4, 1, 1)} {
		if _, err := calib.FitInput(t.Context(), LabelShift{}, calib.Input{Cal: cal, Target: target}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// An offset of the rows changes no bit of the fit and of the map.
func TestLabelShiftIgnoresTheOffsetOfRows(t *testing.T) {
	cal, target := testset.Drawn(60, 3, 2, 1), testset.Drawn(40, 3, 2, 2)
	moved := func(set *data.Set) *data.Set {
		out := *set
		out.Logits = data.NewMatrix(set.Logits.Rows, 3)
		for i, l := range set.Logits.Data {
			set.Logits.Data[i] = float32(math.Round(float64(l)*64)) / 64 // on this grid float32 adds 1000 exactly
			out.Logits.Data[i] = set.Logits.Data[i] + 1000
		}
		return &out
	}
	far, away := moved(cal), moved(target)
	a, b := calibtest.FitInput(t, LabelShiftEntry, calib.Input{Cal: cal, Target: target}, nil), calibtest.FitInput(t, LabelShiftEntry, calib.Input{Cal: far, Target: away}, nil)
	if !reflect.DeepEqual(a.Map, b.Map) || !slices.Equal(calibtest.Apply(a.Map, target.Logits).Data, calibtest.Apply(a.Map, away.Logits).Data) {
		t.Errorf("%v, with an offset %v", a.Map, b.Map)
	}
}

// EM that ends at a change of exactly the tolerance does not warn.
func TestLabelShiftMeetsItsTolerance(t *testing.T) {
	cal, target := testset.Drawn(60, 3, 2, 1), testset.Drawn(40, 3, 2, 2)
	m := labelShiftMap{T: 1, B: make([]float64, 3), W: make([]float64, 3)}
	_, change, err := m.reweight(t.Context(), cal.Logits, target.Logits, 3, 0)
	if err != nil || !(change > 0) {
		t.Fatal(change, err)
	}
	f, err := calib.FitInput(t.Context(), LabelShift{Calibration: "none", Tolerance: change}, calib.Input{Cal: cal, Target: target})
	if err != nil || f.Report.Iterations != 3 || len(f.Report.Warnings) != 0 {
		t.Errorf("%+v (%v), want 3 steps", f.Report, err)
	}
}
