package fit

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Numbers with the given ranks are where a sort puts them, and no number is lost: of
// many sizes, with ties, sorted, reversed and in the shape of an organ pipe.
func TestPlacedRanksAreThoseOfASort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 2000 {
		x := make([]float64, rng.IntN(400))
		for i := range x {
			switch trial % 5 {
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
			}
		}
		var ranks []int
		for r := range x {
			if rng.IntN(1+len(x)/5) == 0 {
				ranks = append(ranks, r)
			}
		}
		sorted := slices.Sorted(slices.Values(x))
		PlaceRanks(x, ranks)
		for _, r := range ranks {
			if x[r] != sorted[r] {
				t.Fatalf("trial %d: rank %d of %d is %v, want %v", trial, r, len(x), x[r], sorted[r])
			}
		}
		if slices.Sort(x); !slices.Equal(x, sorted) {
			t.Fatalf("trial %d: numbers have changed", trial)
		}
	}
}

func BenchmarkPlaceRanks(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 2))
	from, x := make([]float64, 5000), make([]float64, 5000)
	for i := range from {
		from[i] = rng.Float64()
	}
	var ranks []int
	for e := 500; e < 5000; e += 500 {
		ranks = append(ranks, e-1, e)
	}
	b.Run("by=ranks", func(b *testing.B) {
		for b.Loop() {
			copy(x, from)
			PlaceRanks(x, ranks)
		}
	})
	b.Run("by=sort", func(b *testing.B) {
		for b.Loop() {
			copy(x, from)
			slices.Sort(x)
		}
	})
}
