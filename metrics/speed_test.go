package metrics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/metrics/scoring"
)

// perRow reports nanoseconds a row.
func perRow(b *testing.B, rows int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

func BenchmarkMetric(b *testing.B) {
	f := network(rand.New(rand.NewPCG(1, 9)), 10000, 1.2)
	samples := Of(f)
	for _, e := range Registry() {
		if e.NeedsClasses || e.Uncal {
			continue
		}
		b.Run(fmt.Sprintf("name=%s/n=%d", e.Name, f.Len()), func(b *testing.B) {
			for i := range b.N {
				if _, err := e.Compute(samples, uint64(i)); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b, f.Len())
		})
	}
}

// The sort of the samples beside that of slices.SortFunc alone.
func BenchmarkSort(b *testing.B) {
	for _, n := range []int{10000, 25000, 1000000} {
		f := network(rand.New(rand.NewPCG(1, 9)), n, 1.2)
		b.Run(fmt.Sprintf("sort=buckets/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				sortByConfidence(f)
			}
			perRow(b, n)
		})
		b.Run(fmt.Sprintf("sort=func/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				list := make([]sample, n)
				for i, c := range f.Conf {
					list[i] = sample{c, int32(i), f.Correct(i)}
				}
				slices.SortFunc(list, byConfidence(f.Rest))
			}
			perRow(b, n)
		})
	}
}

// Methods share the resampled rows, so seven cost at most three times as much as
// one. A row here is one row of one resample, for all methods together.
func BenchmarkResample(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 9))
	const resamples = 100
	for _, n := range []int{10000, 25000, 100000} {
		var all []*resampler
		for range 7 {
			all = append(all, newResampler(Of(network(rng, n, 1.2)), []Entry{eceEntry, aeceEntry}, 1))
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
		set, _ := softmaxOf(rng, size.n, size.k)
		for _, methods := range []int{1, 7} {
			scales := make([]float64, size.n*methods)
			for i := range scales {
				scales[i] = .5 + rng.Float64()
			}
			b.Run(fmt.Sprintf("n=%d/k=%d/methods=%d", size.n, size.k, methods), func(b *testing.B) {
				for b.Loop() {
					var list []*scoring.SampleScores
					for range methods {
						list = append(list, scoring.New(size.n))
					}
					if err := scoring.AppendScaled(list, set, scales); err != nil {
						b.Fatal(err)
					}
					for _, scores := range list {
						s := Of(scores)
						ECE(s, 15)
						AECE(s, 15)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.n*size.k), "ns/logit")
			})
		}
	}
}
