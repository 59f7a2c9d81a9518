package calib

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// energetic returns rows whose temperature depends on their energy: half of
// them are drawn at another scale and offset.
func energetic(n, k int, seed uint64) *data.Set {
	set := drawn(n, k, 1.5, seed)
	other := drawn(n/2, k, 4, seed+1000)
	for i := range n / 2 {
		row := set.Logits.Row(i)
		for j, l := range other.Logits.Row(i) {
			row[j] = 1.5*l + 4
		}
		set.Labels[i] = other.Labels[i]
	}
	return set
}

func fitHFE(t *testing.T, set *data.Set) (hfeMap, Report, *hfeFit) {
	t.Helper()
	f, err := hfe{}.Fit(context.Background(), Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	m := f.Map.(hfeMap)
	o, err := newObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	fit := &hfeFit{objective: o, labels: set.Labels, p: make([]float64, set.Logits.Cols)}
	same := hfeMap{T0: m.T0}
	if err := fit.densities(context.Background(), &same); err != nil {
		t.Fatal(err)
	}
	return m, f.Report, fit
}

// plainSquaredError is the loss from its definition.
func plainSquaredError(set *data.Set, m hfeMap) float64 {
	q := applied(m, set.Logits)
	sum := 0.0
	for i, y := range set.Labels {
		q.Row(i)[y]--
		for _, v := range q.Row(i) {
			sum += v * v
		}
	}
	return sum / float64(len(set.Labels))
}

// A dense grid over the box: Fit must not lie above it. It finds the global
// minimum on these sets, which it does not promise.
func TestHFEAgainstGrid(t *testing.T) {
	interior := 0
	for seed := range uint64(6) {
		set := energetic(300, 3+int(seed), seed)
		m, r, _ := fitHFE(t, set)
		if r.Gradient > gradTol {
			t.Errorf("seed %d: gradient %v", seed, r.Gradient)
		}
		got := plainSquaredError(set, m)
		if m.Theta1 > 0 || m.Theta2 > 0 {
			interior++
		}
		start := m
		start.Theta1, start.Theta2 = 0, 0
		if ts := plainSquaredError(set, start); got > ts {
			t.Errorf("seed %d: squared error %v above %v of ts", seed, got, ts)
		}
		const steps = 40
		for i := range steps + 1 {
			for j := range steps + 1 {
				grid := m
				grid.Theta1, grid.Theta2 = hfeMost*float64(i)/steps, hfeMost*float64(j)/steps
				if v := plainSquaredError(set, grid); v < got-1e-9 {
					t.Errorf("seed %d: thetas %v %v have squared error %v, fit has %v at %v %v",
						seed, grid.Theta1, grid.Theta2, v, got, m.Theta1, m.Theta2)
				}
			}
		}
	}
	if interior < 3 {
		t.Errorf("only %d fits moved off ts: the sets test too little", interior)
	}
}

func TestHFEDerivatives(t *testing.T) {
	_, _, fit := fitHFE(t, energetic(200, 5, 1))
	ctx := context.Background()
	base := hfeMap{T0: 2, Theta1: 1.5, Theta2: 2.5}
	at := func(theta ...float64) local {
		m := base
		m.Theta1, m.Theta2 = theta[0], theta[1]
		l, err := fit.squaredError(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	const h = 1e-5
	l := at(1.5, 2.5)
	for i := range 2 {
		up, down := []float64{1.5, 2.5}, []float64{1.5, 2.5}
		up[i] += h
		down[i] -= h
		lu, ld := at(up...), at(down...)
		if d := (lu.value - ld.value) / (2 * h); math.Abs(d-l.gradient[i]) > 1e-8 {
			t.Errorf("gradient[%d] = %v, differences give %v", i, l.gradient[i], d)
		}
		for j := range 2 {
			if d := (lu.gradient[j] - ld.gradient[j]) / (2 * h); math.Abs(d-l.hessian[2*i+j]) > 1e-8 {
				t.Errorf("hessian[%d][%d] = %v, differences give %v", i, j, l.hessian[2*i+j], d)
			}
		}
	}
}

func TestHFEWithoutThetasIsTS(t *testing.T) {
	set := energetic(300, 6, 4)
	m, _, fit := fitHFE(t, set)
	scaled := fitted(t, ts{}, set).(tsMap)
	if m.T0 != scaled.T {
		t.Fatalf("T0 = %v, ts has %v", m.T0, scaled.T)
	}
	m.Theta1, m.Theta2 = 0, 0
	if !near(applied(m, set.Logits).Data, applied(scaled, set.Logits).Data, 0) {
		t.Error("thetas of 0 are not ts")
	}
	nll, _, err := fit.nll(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := (ts{}).Fit(context.Background(), Input{Cal: set}); f.Report.NLL != nll {
		t.Errorf("NLL %v, ts has %v", nll, f.Report.NLL)
	}
}

func TestHFEMoments(t *testing.T) {
	set := energetic(150, 4, 2)
	m, _, _ := fitHFE(t, set)
	var right, wrong []float64
	for i, y := range set.Labels {
		sum := 0.0
		for _, l := range set.Logits.Row(i) {
			sum += math.Exp(float64(l))
		}
		if topClass(set.Logits.Row(i)) == int(y) {
			right = append(right, -math.Log(sum))
		} else {
			wrong = append(wrong, -math.Log(sum))
		}
	}
	for _, c := range []struct {
		got normal
		of  []float64
	}{{m.Correct, right}, {m.Wrong, wrong}} {
		mean, square := 0.0, 0.0
		for _, e := range c.of {
			mean += e
			square += e * e
		}
		mean /= float64(len(c.of))
		std := math.Sqrt(square/float64(len(c.of)) - mean*mean)
		if math.Abs(c.got.Mean-mean) > 1e-12 || math.Abs(c.got.Std-std) > 1e-10 {
			t.Errorf("normal %v, want mean %v std %v", c.got, mean, std)
		}
		if want := math.Exp(-0.5) / (std * math.Sqrt(2*math.Pi)); math.Abs(c.got.density(mean-std)-want) > 1e-9 {
			t.Errorf("density one std below the mean: %v, want %v", c.got.density(mean-std), want)
		}
	}
}

// The offset of the logits must matter, and logits without one are refused.
func TestHFENeedsTrueLogits(t *testing.T) {
	set := energetic(100, 4, 3)
	m, _, _ := fitHFE(t, set)
	moved := data.Matrix{Rows: 100, Cols: 4, Data: append([]float32(nil), set.Logits.Data...)}
	for i := range moved.Data {
		moved.Data[i] += 3
	}
	if near(applied(m, moved).Data, applied(m, set.Logits).Data, 1e-6) {
		t.Error("an offset changed nothing")
	}
	logProbs := data.NewMatrix(100, 4)
	p := make([]float64, 4)
	for i := range 100 {
		for j, v := range softmax.Probs(p, set.Logits.Row(i), 1) {
			logProbs.Row(i)[j] = float32(math.Log(v))
		}
	}
	_, err := hfe{}.Fit(context.Background(), Input{Cal: &data.Set{Logits: logProbs, Labels: set.Labels}})
	if err == nil || !strings.Contains(err.Error(), "log-probabilities") {
		t.Errorf("log-probabilities: %v", err)
	}
}

func TestHFEFloorAndDegenerateDensities(t *testing.T) {
	if got := (hfeMap{T0: 1, Theta1: 10}).temperature(0.5, 0); got != hfeFloor {
		t.Errorf("T = %v, want the floor", got)
	}
	_, _, fit := fitHFE(t, energetic(100, 3, 5))
	_, floored, err := fit.nll(context.Background(), hfeMap{T0: hfeFloor, Theta1: 1})
	if err != nil || floored != 100 {
		t.Errorf("%d rows floored, %v; want all 100", floored, err)
	}

	right := drawn(40, 3, 1, 6) // every row right: no energies of wrong rows
	for i := range right.Labels {
		right.Labels[i] = int32(topClass(right.Logits.Row(i)))
	}
	m, r, _ := fitHFE(t, right)
	if m.Wrong != (normal{}) || m.Theta2 != 0 || !strings.Contains(fmt.Sprint(r.Warnings), "among the wrong calibration rows") {
		t.Errorf("all right: %+v, %q", m, r.Warnings)
	}
}
