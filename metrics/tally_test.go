package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// TestTally: the metrics of facts, to the bit, from blocks in any order on any
// number of goroutines, of logits and of probabilities.
func TestTally(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 14, 200, 6000} {
		set := hardLogits(rng, n, 7)
		probs := data.NewProbs(n, 7)
		ones := make([]float64, n)
		for i := range n {
			softmax.Probs(probs.Row(i), set.Logits.Row(i), 1)
			ones[i] = 1
		}
		var raw, scaled Facts
		if err := raw.Append(probs, set); err != nil {
			t.Fatal(err)
		}
		if err := AppendScaled([]*Facts{&scaled}, set, ones); err != nil {
			t.Fatal(err)
		}
		for _, block := range []int{1, 33, n} {
			fromProbs, fromLogits := NewTally(n), NewTally(n)
			var wait sync.WaitGroup
			for lo := (n - 1) / block * block; lo >= 0; lo -= block {
				wait.Go(func() {
					hi := min(n, lo+block)
					if err := fromProbs.Append(lo, probs.Slice(lo, hi), set.Rows(lo, hi)); err != nil {
						t.Error(err)
					}
					if err := fromLogits.AppendScaled(lo, set.Rows(lo, hi), ones[lo:hi]); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			compareTally(t, &raw, fromProbs.Scores())
			compareTally(t, &scaled, fromLogits.Scores())
		}
	}
}

func compareTally(t *testing.T, f *Facts, got Scores) {
	t.Helper()
	in := NewInput(f, 0)
	if got.N != f.N() {
		t.Errorf("%d rows, want %d", got.N, f.N())
	}
	for name, value := range map[string]float64{"accuracy": got.Accuracy, "ece": got.ECE, "aece": got.AECE, "nll": got.NLL, "brier": got.Brier} {
		e, _ := Lookup(name)
		want, err := e.Compute(in)
		if err != nil || want[0] != value {
			t.Errorf("n = %d: %s %v, want %v (%v)", f.N(), name, value, want, err)
		}
	}
}

// TestTallyErrors: rows are counted from the first of the set.
func TestTallyErrors(t *testing.T) {
	tally := NewTally(100)
	probs := data.Probs{Rows: 2, Cols: 2, Data: []float64{.5, .5, .5, .6}}
	err := tally.Append(40, probs, &data.Set{Labels: []int32{0, 1}})
	if err == nil || !strings.HasPrefix(err.Error(), "row 41: probabilities sum to 1.1") {
		t.Errorf("error %v", err)
	}
}

// TestSortKeys compares with the library on keys that are equal, near each
// other, far apart, and piled up at one end as confidences are.
func TestSortKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, draw := range map[string]func() float64{
		"equal":   func() float64 { return .75 },
		"two":     func() float64 { return float64(1 + rng.IntN(2)) },
		"uniform": rng.Float64,
		"piled":   func() float64 { return 1 - math.Exp(-40*rng.Float64()) },
		"spread":  func() float64 { return math.Exp(1400 * (rng.Float64() - .5)) },
		"near":    func() float64 { return math.Float64frombits(math.Float64bits(.5) + rng.Uint64N(5000)) },
	} {
		for _, n := range []int{0, 1, 4095, 50_000} {
			v := make([]float64, n)
			for i := range v {
				v[i] = draw()
			}
			want := slices.Clone(v)
			slices.Sort(want)
			sortKeys(v)
			if !slices.Equal(v, want) {
				t.Errorf("%s, n = %d: not sorted", name, n)
			}
		}
	}
}

// BenchmarkTally scores 1,000,000 rows of 21 logits.
func BenchmarkTally(b *testing.B) {
	const n, k = 1_000_000, 21
	rng := rand.New(rand.NewPCG(1, 2))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range set.Logits.Data {
		set.Logits.Data[i] = float32(4 * rng.NormFloat64())
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	b.Run("stage=append", func(b *testing.B) {
		for b.Loop() {
			t := NewTally(n)
			for lo := 0; lo < n; lo += 10_000 {
				if err := t.AppendScaled(lo, set.Rows(lo, lo+10_000), ones[:10_000]); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("stage=scores", func(b *testing.B) {
		t := NewTally(n)
		if err := t.AppendScaled(0, set, ones); err != nil {
			b.Fatal(err)
		}
		keys := t.keys
		for b.Loop() {
			t.keys = slices.Clone(keys)
			t.Scores()
		}
	})
}
