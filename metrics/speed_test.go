package metrics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/data"
)

// perRow reports nanoseconds a row.
func perRow(b *testing.B, rows int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

func BenchmarkMetric(b *testing.B) {
	f := sample(rand.New(rand.NewPCG(1, 9)), 10000, 1.2)
	b.Run("name=input/n=10000", func(b *testing.B) {
		var memory Memory
		for range b.N {
			memory.Input(f, 1)
		}
		perRow(b, f.N())
	})
	in := NewInput(f, 1)
	for _, e := range Registry() {
		if e.Classes {
			continue
		}
		b.Run(fmt.Sprintf("name=%s/n=%d", e.Name, f.N()), func(b *testing.B) {
			for range b.N {
				if _, err := e.Compute(in); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b, f.N())
		})
	}
}

// Methods share the resampled rows: seven cost at most three times as much as
// one. A row is one row of one resample here, all methods together.
func BenchmarkResample(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 9))
	const resamples = 100
	for _, n := range []int{10000, 25000, 100000} {
		var all []*weighing
		for range 7 {
			all = append(all, newWeighing(sample(rng, n, 1.2)))
		}
		for _, methods := range []int{1, 2, 7} {
			b.Run(fmt.Sprintf("n=%d/methods=%d", n, methods), func(b *testing.B) {
				for b.Loop() {
					if _, err := resample(context.Background(), all[:methods], PairOptions{Resamples: resamples}); err != nil {
						b.Fatal(err)
					}
				}
				perRow(b, n*resamples)
			})
		}
	}
}

// From logits to ECE and AECE: one temperature method, or seven together.
func BenchmarkLogitsToECE(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 9))
	for _, size := range []struct{ n, k int }{{10000, 10}, {5000, 100}, {2500, 1000}} {
		set := hardLogits(rng, size.n, size.k)
		for _, methods := range []int{1, 7} {
			scales := make([]float64, size.n*methods)
			for i := range scales {
				scales[i] = .5 + rng.Float64()
			}
			b.Run(fmt.Sprintf("n=%d/k=%d/methods=%d", size.n, size.k, methods), func(b *testing.B) {
				for b.Loop() {
					var facts []*Facts
					for range methods {
						facts = append(facts, NewFacts(size.n))
					}
					if err := AppendScaled(facts, set, scales); err != nil {
						b.Fatal(err)
					}
					var memory Memory
					for _, f := range facts {
						in := memory.Input(f, 1)
						ECE(in.Bins[Width15])
						AECE(in.Bins[Mass15])
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.n*size.k), "ns/logit")
			})
		}
	}
}

func BenchmarkAppend(b *testing.B) {
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
				if err := NewFacts(n).Append(p, set); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*k), "ns/prob")
		})
	}
}
