package fit

import (
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// LogEntropy returns log(entropy / log k) of the row of m, moments at scale 1
// of k logits. It is at most 0; with one class it is 0. The entropy underflows
// if every gap to the largest logit is above 745. There, and below 1e-300, the
// floor of the NLL, it counts as 1e-300, so the result is at least -693.
func LogEntropy(m *softmax.Moments, k int) float64 {
	if k < 2 {
		return 0
	}
	return min(softmax.Log(max(Entropy(m), 1e-300))-softmax.Log(softmax.Log(float64(k))), 0)
}

// ScaledEntropy returns entropy / log k of the row of m, in [0, 1].
func ScaledEntropy(m *softmax.Moments, k int) float64 { return min(softmax.Exp(LogEntropy(m, k)), 1) }
