package neighbours

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
)

// rows returns n random rows of d features: row 4 has no direction, row 9 is row 8.
func rows(n, d int) data.Matrix {
	rng := rand.New(rand.NewPCG(3, 5))
	h := data.NewMatrix(n, d)
	for i := range h.Data {
		h.Data[i] = float32(rng.NormFloat64())
	}
	clear(h.Row(4))
	copy(h.Row(9), h.Row(8))
	return h
}

// first returns 0..n-1.
func first(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// The distances are those of a search by definition, with and without the row itself,
// for more neighbours than there are too.
func TestDistancesAreThoseOfASearch(t *testing.T) {
	h := rows(150, 7)
	b, own := New(h, first(150))
	for _, k := range []int{1, 2, 10, 400} {
		for _, self := range []bool{false, true} {
			places := own
			if self {
				places = nil
			}
			got := make([][]float64, 150)
			b.Nearest(h, places, k, func(i int, near []float64) { got[i] = slices.Clone(near) })
			x, y := make([]float64, 7), make([]float64, 7)
			for i := range got {
				var all []float64
				unitLength(x, h.Row(i))
				for j := range 150 {
					if j == i && !self {
						continue
					}
					unitLength(y, h.Row(j))
					sum := 0.0
					for c := range x {
						sum += (x[c] - y[c]) * (x[c] - y[c])
					}
					all = append(all, sum)
				}
				slices.Sort(all)
				near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-14 }
				if want := all[:min(k, len(all))]; !slices.EqualFunc(got[i], want, near) {
					t.Fatalf("K = %d, row %d: %v, want %v", k, i, got[i], want)
				}
			}
		}
	}
}

// Others has the bits of Nearest without the row itself, for any number of workers, for
// sets of one tile, of several, and of one row, and for lists of both kinds.
func TestOthersAreNearestWithoutTheRowItself(t *testing.T) {
	h := rows(3*chunk+11, 5)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 11, chunk, chunk + 1, h.Rows} {
		b, own := New(h.Slice(0, n), first(n))
		for _, k := range []int{1, 10, mostShared, mostShared + 1, 300} {
			want := make([]float64, 0, n*min(k, n-1))
			b.Nearest(h.Slice(0, n), own, k, func(_ int, near []float64) { want = append(want, near...) })
			for _, workers := range []int{1, 2, 5} {
				runtime.GOMAXPROCS(workers)
				lists := make([][]float64, n)
				err := b.Others(context.Background(), k, func(i int, near []float64) { lists[i] = slices.Clone(near) })
				if got := slices.Concat(lists...); err != nil || !slices.Equal(got, want) {
					t.Fatalf("n = %d, k = %d, %d workers: other distances than Nearest (%v)", n, k, workers, err)
				}
			}
		}
	}
}

func TestCancelledSearchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b, _ := New(rows(2*mostShared, 3), first(2*mostShared))
	for _, k := range []int{3, mostShared + 1} {
		if err := b.Others(ctx, k, func(int, []float64) {}); err == nil {
			t.Errorf("k = %d: no error", k)
		}
	}
}
