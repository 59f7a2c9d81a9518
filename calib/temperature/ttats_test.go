package temperature

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// With three views equal to the image the map is ts to the bit.
func TestTTAOfEqualViewsIsTS(t *testing.T) {
	set := testset.Ranked(300, 5, testset.Falling, 1)
	m := calibtest.Map(t, AugmentedTemperatureScaling{}, set).(augmentedMap)
	scaled := calibtest.Map(t, calib.TemperatureScaling{}, set).(calib.Temperature)
	if m.T != scaled.T {
		t.Fatalf("T = %v, ts has %v", m.T, scaled.T)
	}
	views := &data.Set{Logits: set.Logits, Augmented: slices.Repeat([]data.Matrix{set.Logits}, 3)}
	got := data.NewProbs(300, 5)
	calib.Apply(m, got, views)
	if !slices.Equal(got.Data, calibtest.Apply(scaled, set.Logits).Data) {
		t.Error("equal views are not ts")
	}
}

// The definition, on a row whose prediction the views change.
func TestTTAIsTheSoftmaxOfTheMean(t *testing.T) {
	set := &data.Set{Logits: testset.Rows([][]float32{{3, 0, 1}}), Augmented: []data.Matrix{
		testset.Rows([][]float32{{0, 2, 1}}), testset.Rows([][]float32{{0, 4, 1}}),
	}}
	got := data.NewProbs(1, 3)
	calib.Apply(augmentedMap{T: 2}, got, set)
	e := []float64{math.Exp(0.5), math.Exp(1), math.Exp(0.5)} // means 1, 2, 1 over T
	for j, v := range e {
		if want := v / (e[0] + e[1] + e[2]); !(math.Abs(got.Data[j]-want) <= 1e-15) {
			t.Errorf("class %d: %v, want %v", j, got.Data[j], want)
		}
	}
}

func BenchmarkApplyTTA(b *testing.B) {
	const n, k, v = 2000, 1000, 4
	set := &data.Set{Logits: testset.Drawn(n, k, 2, 1).Logits}
	for seed := range uint64(v) {
		set.Augmented = append(set.Augmented, testset.Drawn(n, k, 2, seed+2).Logits)
	}
	dst := data.NewProbs(n, k)
	b.Run(fmt.Sprintf("method=tta-ts/n=%d/k=%d/views=%d", n, k, v), func(b *testing.B) {
		for b.Loop() {
			calib.Apply(augmentedMap{T: 1.5}, dst, set)
		}
	})
}
