package isotonic

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Next finds every class whose probability reaches the limit, and few others. Prob is
// the softmax. Rows are the same alone and in blocks.
func TestLikelyRowFindsTheLikelyClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	const n, k = 600, 40
	logits := data.NewMatrix(n, k)
	for i := range n {
		offset := 1000 * rng.NormFloat64()
		if i%3 == 0 {
			offset = 0
		}
		for j := range k {
			logits.Row(i)[j] = float32(offset + 6*rng.NormFloat64())
		}
	}
	set := &data.Set{Logits: logits, Labels: make([]int32, n)}
	rows, err := likelyRows(context.Background(), set)
	if err != nil || len(rows) != n {
		t.Fatal(len(rows), err)
	}
	likely, found := 0, 0
	limits, p := make([]float32, k), make([]float64, k)
	for i := range n {
		row, least := logits.Row(i), rng.Float64()*rng.Float64()*rng.Float64()
		softmax.Probs(p, row, 1)
		for j := range limits {
			limits[j] = likelyLimit(stretchedProb(least))
			if i%2 == 0 { // the limit is a probability of the row itself
				limits[j] = likelyLimit(rows[i].Stretched(row[j]))
			}
		}
		listed := make([]bool, k)
		for j := rows[i].Next(row, limits, 0); j < k; j = rows[i].Next(row, limits, j+1) {
			listed[j] = true
		}
		for j := range p {
			if got := rows[i].Prob(row[j]); got < p[j]*(1-1e-13) || got > p[j]*(1+1e-13) {
				t.Fatalf("row %d: p[%d] = %v, want %v", i, j, got, p[j])
			}
			reaches := i%2 == 0 || p[j] >= least
			if reaches && !listed[j] {
				t.Fatalf("row %d: class %d of probability %v is left out", i, j, p[j])
			}
			if i%2 == 1 {
				if reaches {
					likely++
				}
				if listed[j] {
					found++
				}
			}
		}
	}
	if found > likely+likely/100 {
		t.Errorf("%d classes are found, %d are likely", found, likely)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := likelyRows(ctx, set); err == nil {
		t.Error("a cancelled context is ignored")
	}
}
