package calib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

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
	nll := func(m Map) float64 {
		q, sum := applied(m, target.Logits), 0.0
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
	f, err := LabelShift{Calibration: calibration}.Fit(t.Context(), Input{Cal: cal, Target: &data.Set{Logits: target}})
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
	mean, q := make([]float64, 4), applied(m, set.Logits)
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
			fitOn(b, "label-shift", Input{Cal: cal, Target: &data.Set{Logits: target.Logits}}, nil)
		}
	})
}
