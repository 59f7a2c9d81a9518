package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/data"
)

// randomProbs draws n x k probabilities with labels.
func randomProbs(rng *rand.Rand, n, k int) (data.Probs, *data.Set) {
	p, set := data.NewProbs(n, k), &data.Set{Labels: make([]int32, n)}
	for i := range n {
		sum := 0.0
		for j := range k {
			p.Row(i)[j] = math.Exp(math.Round(4 * rng.NormFloat64()))
			sum += p.Row(i)[j]
		}
		for j := range k {
			p.Row(i)[j] /= sum
		}
		set.Labels[i] = rng.Int32N(int32(k))
	}
	return p, set
}

func TestClasswiseECEFollowsItsDefinition(t *testing.T) {
	const n, k = 300, 4
	p, set := randomProbs(rand.New(rand.NewPCG(34, 1)), n, k)
	want := 0.0
	for j := range k {
		var gap [15]float64
		for i := range n {
			b := min(max(int(math.Ceil(15*p.Row(i)[j]))-1, 0), 14)
			gap[b] += p.Row(i)[j]
			if int(set.Labels[i]) == j {
				gap[b]--
			}
		}
		for _, g := range gap {
			want += math.Abs(g) / n
		}
	}
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	mean, sum, err := ClasswiseECE(s)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "sum", sum, want, 1e-13)
	near(t, "mean", mean, want/k, 1e-13)
}

func TestClasswiseECENeedsClassBins(t *testing.T) {
	if _, _, err := ClasswiseECE(Of(given([]float64{.5}, []bool{true}))); err == nil {
		t.Error("scores without class bins have a class-wise ECE")
	}
}
