package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestSumIsTheRationalSumRoundedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for trial := range 300 {
		var s Sum
		want := new(big.Rat)
		for range 1 + rng.IntN(50) {
			v := rng.Float64()
			switch trial % 3 {
			case 1:
				v = 1 - v*0x1p-50
			case 2:
				v *= 700
			}
			v = math.Floor(v*0x1p60) / 0x1p60 // nothing below 2^-64
			s.Add(v)
			want.Add(want, new(big.Rat).SetFloat64(v))
		}
		if nearest, _ := want.Float64(); s.Value() != nearest {
			t.Errorf("got %v, want %v", s.Value(), nearest)
		}
	}
	if (Sum{}).Value() != 0 {
		t.Error("an empty sum is not 0")
	}
}

func TestMean(t *testing.T) {
	if got := Mean([]float64{.25, 1, 4}); got != 1.75 {
		t.Errorf("mean %v, want 1.75", got)
	}
	if got := Mean(nil); got != 0 {
		t.Errorf("mean %v of no numbers, want 0", got)
	}
}

// Sums of parts join to the sum of all terms, in any parts.
func TestJoinedSumsAreTheSumOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	var all Sum
	parts := make([]Sum, 5)
	for i := range 1000 {
		v := rng.Float64() * math.Pow(2, float64(rng.IntN(40)-10))
		all.Add(v)
		parts[i%5].Add(v)
	}
	var joined Sum
	for _, p := range parts {
		joined.Join(p)
	}
	if joined != all {
		t.Errorf("joined %v, all %v", joined.Value(), all.Value())
	}
}
