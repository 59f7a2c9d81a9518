// Package simulate draws logits whose miscalibration is known. It is a test
// bench and an example, not evidence: whatever is computed of its arrays says
// "simulated".
//
// The model is the one in which a softmax is exactly right. A row has a class
// y, uniform over k, a signal m >= 0 drawn from a few levels, and scores
//
//	x_j = m 1[j = y] + e_j,    e_j standard normal
//
// By Bayes' rule P(y = j | x, m) = softmax(m x)_j: the logits m x are perfectly
// calibrated. A network that is not sees them multiplied by
//
//	temperature(c) = T (1 + tilt (1/2 - c)),    c = max softmax(m x)
//
// so that dividing by T undoes it where tilt is 0 (temperature scaling is then
// all there is to do), unsure rows need the higher temperature where tilt is
// positive (a > 0 in QaTS), and sure rows where it is negative (the bound
// a >= 0 is active and QaTS is TS). A corruption of severity s takes a share
// of the signal away while the network goes on as if it were there, so the
// accuracy falls and the confidence hardly does.
package simulate

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/qats-bench/qats/data"
)

// Network says what is drawn. The zero Severity is clean.
type Network struct {
	Name        string    // identity: seeds the draw together with the split
	Classes     int       // k
	Signals     []float64 // levels of m, equally likely
	Temperature float64   // T, 1 for a calibrated network
	Tilt        float64   // of the temperature along the confidence, in (-2, 2)
	Severity    int       // 0 to 5: the signal is multiplied by 1 - 0.13 severity
}

// Draw returns n rows of logits and labels. The same network, split and n give
// the same set.
func (w Network) Draw(split data.Split, n int) *data.Set {
	rng := rand.New(rand.NewPCG(w.seed(split), uint64(w.Severity)))
	set := &data.Set{Logits: data.NewMatrix(n, w.Classes), Labels: make([]int32, n)}
	row := make([]float64, w.Classes)
	for i := range set.Labels {
		y := rng.IntN(w.Classes)
		m := w.Signals[rng.IntN(len(w.Signals))]
		for j := range row {
			row[j] = float64(m * rng.NormFloat64())
		}
		row[y] += float64(m * m * (1 - 0.13*float64(w.Severity)))
		scale := w.Temperature * (1 + w.Tilt*(0.5-confidence(row)))
		for j, l := range row {
			set.Logits.Row(i)[j] = float32(scale * l)
		}
		set.Labels[i] = int32(y)
	}
	return set
}

// confidence is max softmax(row).
func confidence(row []float64) float64 {
	top := math.Inf(-1)
	for _, l := range row {
		top = max(top, l)
	}
	sum := 0.0
	for _, l := range row {
		sum += math.Exp(l - top)
	}
	return 1 / sum
}

func (w Network) seed(split data.Split) uint64 {
	h := fnv.New64a()
	h.Write([]byte(w.Name + "/" + string(split)))
	return h.Sum64()
}
