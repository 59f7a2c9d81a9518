package scoring

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/data"
)

func BenchmarkAppendProbs(b *testing.B) {
	for _, k := range []int{10, 1000} {
		n := 100000 / k
		rng := rand.New(rand.NewPCG(3, 9))
		p, set := data.NewProbs(n, k), &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
		for i := range n {
			row := p.Row(i)
			sum := 0.0
			for j := range row {
				row[j] = rng.ExpFloat64()
				sum += row[j]
			}
			for j := range row {
				row[j] /= sum
				set.Logits.Row(i)[j] = float32(row[j])
			}
			set.Labels[i] = rng.Int32N(int32(k))
		}
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			for range b.N {
				if err := New(n).AppendProbs(p, set); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*k), "ns/prob")
		})
	}
}
