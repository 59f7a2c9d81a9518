package calib_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// nllAt returns the NLL of each row at a temperature, by its definition.
func nllAt(set *data.Set, t float64) []float64 {
	nll := make([]float64, set.Len())
	for i, y := range set.Labels {
		row := set.Logits.Row(i)
		top, sum := float64(slices.Max(row)), 0.0
		for _, l := range row {
			sum += math.Exp((float64(l) - top) / t)
		}
		nll[i] = math.Log(sum) - (float64(row[y])-top)/t
	}
	return nll
}

// The standard error of ln T is that of the sandwich, whose derivatives are taken here by differences of
// the NLL of the rows: with two classes and several, and with masked classes.
func TestLogErrorIsTheSandwichOfNumericalDerivatives(t *testing.T) {
	masked := testset.Drawn(400, 6, 3, 4)
	for i := range masked.Labels {
		if j := (i*5 + 1) % 6; int(masked.Labels[i]) != j {
			masked.Logits.Row(i)[j] = data.Masked
		}
	}
	for name, set := range map[string]*data.Set{
		"two classes": testset.Drawn(300, 2, 3, 1), "several": testset.Drawn(500, 7, 2, 2), "few rows": testset.Drawn(12, 3, 2, 3), "masked": masked,
	} {
		fitted, err := calib.Fit(context.Background(), calib.TemperatureScaling{}, set)
		if err != nil {
			t.Fatal(err)
		}
		m := fitted.Map.(calib.Temperature)
		got, err := m.LogError(context.Background(), set)
		if err != nil {
			t.Fatal(err)
		}
		const h = 1e-4
		below, at, above := nllAt(set, m.T*math.Exp(-h)), nllAt(set, m.T), nllAt(set, m.T*math.Exp(h))
		var squares, curvature float64
		for i := range at {
			g := (above[i] - below[i]) / (2 * h)
			squares += g * g
			curvature += (above[i] - 2*at[i] + below[i]) / (h * h)
		}
		if want := math.Sqrt(squares) / curvature; math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// The standard error is the spread of ln T over sets that are drawn anew, also where the labels are
// not drawn from the softmax of the logits; a multiple of the logits has the same.
func TestLogErrorIsTheSpreadOfTemperatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n, draws = 400, 300
	var logs, errors []float64
	for range draws {
		set := &data.Set{Logits: data.NewMatrix(n, 3), Labels: make([]int32, n)}
		for i := range n {
			row := set.Logits.Row(i)
			for j := range row {
				row[j] = float32(3 * rng.NormFloat64())
			}
			if set.Labels[i] = int32(slices.Index(row, slices.Max(row))); rng.Float64() < .3 { // noise that no temperature describes
				set.Labels[i] = int32(rng.IntN(3))
			}
		}
		fitted, err := calib.Fit(context.Background(), calib.TemperatureScaling{}, set)
		if err != nil {
			t.Fatal(err)
		}
		m := fitted.Map.(calib.Temperature)
		se, err := m.LogError(context.Background(), set)
		if err != nil {
			t.Fatal(err)
		}
		logs, errors = append(logs, math.Log(m.T)), append(errors, se)
		if len(logs) == 1 {
			for i := range set.Logits.Data {
				set.Logits.Data[i] *= 1 << 12
			}
			if scaled, err := (calib.Temperature{T: m.T * (1 << 12)}).LogError(context.Background(), set); err != nil || math.Abs(scaled-se) > 1e-9*se {
				t.Errorf("of 4096 times the logits %v, of the logits %v (%v)", scaled, se, err)
			}
		}
	}
	var mean, squares, expected float64
	for i, x := range logs {
		mean += x / draws
		expected += errors[i] / draws
	}
	for _, x := range logs {
		squares += (x - mean) * (x - mean) / (draws - 1)
	}
	if spread := math.Sqrt(squares); math.Abs(spread-expected) > .15*expected {
		t.Errorf("ln T spreads by %v, its standard error is %v", spread, expected)
	}
}

// Rows whose logits are all equal say nothing of a temperature.
func TestLogErrorOfEqualLogitsIsInfinite(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(5, 3), Labels: make([]int32, 5)}
	if se, err := (calib.Temperature{T: 1}).LogError(context.Background(), set); err != nil || !math.IsInf(se, 1) {
		t.Errorf("%v, %v", se, err)
	}
}
