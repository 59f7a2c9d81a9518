package metrics

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/qats-bench/qats/data"
)

// allocated returns the bytes that f allocates, which are at least those it holds at a time.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// A run shares out memory by the bytes of a row that are stated here.
func TestMetricsTakeTheMemoryThatIsStated(t *testing.T) {
	const n, k, small = 100000, 4, 4 // small: bytes of a row, of what does not depend on the rows
	rng := rand.New(rand.NewPCG(1, 1))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range set.Logits.Data {
		set.Logits.Data[i] = float32(3 * rng.NormFloat64())
	}
	for i := range set.Labels {
		set.Labels[i] = int32(rng.IntN(k))
	}
	s, err := FromLogits(set)
	if err != nil {
		t.Fatal(err)
	}
	both, err := s.Against(s)
	if err != nil {
		t.Fatal(err)
	}
	most := func(what string, bytes float64, f func()) {
		t.Helper()
		if got := allocated(f) / n; got > bytes+small {
			t.Errorf("%s takes %.1f bytes a row, want at most %v", what, got, bytes)
		}
	}
	most("order", orderBytes, func() { Of(s.scores) })
	for _, e := range Registry() {
		if !e.CrossFit {
			most(e.Name, computeBytes, func() { e.Compute(both, 1) })
		}
	}
	most("weighing", weighBytes, func() { newResampler(s, []Entry{eceEntry, aeceEntry}, 1) })
	for _, e := range Registry() {
		if e.Influence != nil && !e.CrossFit {
			most("influence on "+e.Name, float64(computeBytes+verdictBytes*len(e.Outputs)), func() { e.Influence(s, 1) })
		}
	}
	most("bins of equal mass", verdictBytes, func() { squaredMassTerms(s, 15) })
	numbers := terms{influence: make([]float64, n)}
	most("verdict", verdictBytes, func() { verdict(numbers, numbers, .95) })
	method, together := PairBytes([]Entry{eceEntry, aeceEntry})
	most("pairs", float64(2*(method-orderBytes)+together), func() {
		Pairs(t.Context(), s, []*Samples{s}, PairOptions{Resamples: 1, Metrics: []Entry{eceEntry, aeceEntry}})
	})
}
