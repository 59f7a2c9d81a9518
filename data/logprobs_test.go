package data

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/half"
)

// TestLogProbsAreToldFromLogits: for any number of classes and any sharpness, in
// float32 and float16, and with a floor.
func TestLogProbsAreToldFromLogits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{2, 10, 100, 1000} {
		for _, scale := range []float64{0, 1, 10} {
			logits, single, rounded, floored := NewMatrix(50, k), NewMatrix(50, k), NewMatrix(50, k), NewMatrix(50, k)
			for i := range logits.Rows {
				row := logits.Row(i)
				for j := range row {
					row[j] = float32(scale*rng.NormFloat64()) + 3
				}
				lse := logSumExp(row)
				for j, v := range row {
					lp := float64(v) - lse
					single.Row(i)[j] = float32(lp)
					rounded.Row(i)[j] = half.ToFloat32(half.FromFloat32(float32(lp)))
					floored.Row(i)[j] = float32(math.Log(math.Exp(lp) + 1e-6))
				}
			}
			if LogProbs(logits) {
				t.Errorf("k=%d scale=%g: logits taken for log-probabilities", k, scale)
			}
			if !LogProbs(single) || !LogProbs(rounded) || !LogProbs(floored) {
				t.Errorf("k=%d scale=%g: float32 %v, float16 %v, floored %v", k, scale, LogProbs(single), LogProbs(rounded), LogProbs(floored))
			}
			for j := range k {
				single.Row(49)[j] += 0.01
			}
			if LogProbs(single) {
				t.Errorf("k=%d scale=%g: one row with an offset went unseen", k, scale)
			}
		}
	}
	if LogProbs(Matrix{}) {
		t.Error("an absent matrix holds log-probabilities")
	}
}
