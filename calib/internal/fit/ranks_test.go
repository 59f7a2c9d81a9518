package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Numbers with the given ranks are those that a sort puts there, and the numbers stay in
// their order: of many sizes, with ties, sorted, reversed, in the shape of an organ pipe,
// of very different sizes, and all but one of them close together.
func TestNumbersAtRanksAreThoseOfASort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 2000 {
		x := make([]float64, rng.IntN(400))
		for i := range x {
			switch trial % 7 {
			case 0:
				x[i] = rng.NormFloat64()
			case 1:
				x[i] = float64(rng.IntN(1 + trial%7))
			case 2:
				x[i] = float64(i)
			case 3:
				x[i] = -float64(i)
			case 4:
				x[i] = float64(min(i, len(x)-i))
			case 5:
				x[i] = math.Exp(100 * rng.NormFloat64())
			case 6:
				x[i] = 1 + 1e-9*rng.Float64()
				x[0] = -1e300
			}
		}
		var ranks []int
		for r := range x {
			if rng.IntN(1+len(x)/5) == 0 {
				ranks = append(ranks, r)
			}
		}
		before, sorted := slices.Clone(x), slices.Sorted(slices.Values(x))
		got := AtRanks(x, ranks)
		if len(got) != len(ranks) {
			t.Fatalf("trial %d: %d numbers at %d ranks", trial, len(got), len(ranks))
		}
		for i, r := range ranks {
			if got[i] != sorted[r] {
				t.Fatalf("trial %d: rank %d of %d is %v, want %v", trial, r, len(x), got[i], sorted[r])
			}
		}
		if !slices.Equal(x, before) {
			t.Fatalf("trial %d: numbers have changed", trial)
		}
	}
}

func BenchmarkAtRanks(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 2))
	x := make([]float64, 5000)
	for i := range x {
		x[i] = rng.Float64()
	}
	var ranks []int
	for e := 500; e < 5000; e += 500 {
		ranks = append(ranks, e-1, e)
	}
	b.Run("by=ranks", func(b *testing.B) {
		for b.Loop() {
			AtRanks(x, ranks)
		}
	})
	b.Run("by=sort", func(b *testing.B) {
		for b.Loop() {
			slices.Sort(slices.Clone(x))
		}
	})
}
