package draws

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Sums are those of the definition, with weights of any size, which may wrap around.
func TestSumsOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		drawn, place, weight := rows(rng, n)
		for j := range weight {
			switch j % 5 {
			case 0:
				weight[j] = []int64{0, 1, -1, math.MaxInt64, math.MinInt64}[rng.IntN(5)]
			case 1:
				weight[j] = int64(rng.Uint64())
			}
		}
		var want [Lanes]int64
		for j, i := range place {
			for lane, times := range drawn[i] {
				want[lane] += int64(times) * weight[j]
			}
		}
		if got := Sums(drawn, place, weight); got != want {
			t.Fatalf("%d rows: %v, want %v", n, got, want)
		}
		if got := portable(drawn, place, weight); got != want {
			t.Fatalf("%d rows: portable %v, want %v", n, got, want)
		}
	}
}

func TestFewerWeightsThanPlacesPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Sums(make([]Times, 2), []uint16{0, 1}, make([]int64, 1, 2)[:1:1])
}

// rows returns n places among some rows, up to all that a place can name, and weights near 2^52.
func rows(rng *rand.Rand, n int) ([]Times, []uint16, []int64) {
	drawn := make([]Times, 1+rng.IntN(1<<rng.IntN(17)))
	for i := range drawn {
		for lane := range drawn[i] {
			drawn[i][lane] = uint8(rng.Uint32())
		}
	}
	place, weight := make([]uint16, n), make([]int64, n)
	for j := range place {
		place[j], weight[j] = uint16(rng.IntN(len(drawn))), 1<<52+rng.Int64N(1<<41)-1<<40
	}
	return drawn, place, weight
}

func BenchmarkSums(b *testing.B) {
	drawn, place, weight := rows(rand.New(rand.NewPCG(3, 4)), 32)
	drawn = drawn[:1:1]
	clear(place)
	for name, sums := range map[string]func([]Times, []uint16, []int64) [Lanes]int64{"best": Sums, "portable": portable} {
		b.Run("kernel="+name, func(b *testing.B) {
			for b.Loop() {
				sums(drawn, place, weight)
			}
		})
	}
}
