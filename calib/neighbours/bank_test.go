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

// bankRows returns n random rows of d features: row 4 has no direction, row 9 is row 8.
func bankRows(n, d int) data.Matrix {
	rng := rand.New(rand.NewPCG(3, 5))
	h := data.NewMatrix(n, d)
	for i := range h.Data {
		h.Data[i] = float32(rng.NormFloat64())
	}
	clear(h.Row(4))
	copy(h.Row(9), h.Row(8))
	return h
}

// firstRows returns 0..n-1.
func firstRows(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Nearest (with the row itself) and Others (without it) give the same distances as a
// search of all rows, also for more neighbours than there are.
func TestDistancesAreThoseOfASearch(t *testing.T) {
	h := bankRows(150, 7)
	b, _ := newFeatureBank(h, firstRows(150))
	for _, k := range []int{1, 2, 10, 400} {
		for _, self := range []bool{false, true} {
			got := make([][]float64, 150)
			keep := func(i int, near []float64) { got[i] = slices.Clone(near) }
			if self {
				b.Nearest(h, k, keep)
			} else if err := b.Others(t.Context(), k, keep); err != nil {
				t.Fatal(err)
			}
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

// Others has the bits of Nearest without the first neighbour, the row itself or a copy of
// it, for any number of workers, for sets of one tile, of several, and of one row, and for
// lists of both kinds.
func TestOthersAreNearestWithoutTheRowItself(t *testing.T) {
	h := bankRows(3*othersChunk+11, 5)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 11, othersChunk - 1, othersChunk, othersChunk + 1, h.Rows} {
		b, _ := newFeatureBank(h.Slice(0, n), firstRows(n))
		for _, k := range []int{1, 10, mostShared, mostShared + 1, 300} {
			want := make([]float64, 0, n*min(k, n-1))
			b.Nearest(h.Slice(0, n), k+1, func(_ int, near []float64) { want = append(want, near[1:]...) })
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
	b, _ := newFeatureBank(bankRows(2*mostShared, 3), firstRows(2*mostShared))
	for _, k := range []int{3, mostShared + 1} {
		if err := b.Others(ctx, k, func(int, []float64) {}); err == nil {
			t.Errorf("k = %d: no error", k)
		}
	}
}

// 1e-10 is added to the length of a row; a row of length 0 stays 0.
func TestUnitLengthOfShortRows(t *testing.T) {
	x := make([]float64, 2)
	for _, c := range []struct{ h, want float64 }{{1e-10, .5}, {3e-10, .75}, {0, 0}, {1, 1}} {
		if unitLength(x, []float32{0, float32(c.h)}); !(math.Abs(x[1]-c.want) <= 1e-7) || x[0] != 0 {
			t.Errorf("length %g: %v, want %v", c.h, x, c.want)
		}
	}
}

func TestCheckRejectsWhatIsNoBank(t *testing.T) {
	good := featureBank{Rows: 2, Width: 3, Unit: []float32{0, 0, 1.001, 0, -1.001, 0}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	if err := (&featureBank{Rows: 1, Width: 1, Unit: []float32{1}}).Check(); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]featureBank{
		"no features":          {Rows: 2, Width: 0, Unit: good.Unit},
		"no rows":              {Rows: 0, Width: 3},
		"a row fewer":          {Rows: 3, Width: 3, Unit: good.Unit},
		"a number more":        {Rows: 2, Width: 3, Unit: append(slices.Clone(good.Unit), 0)},
		"a number of 1.0011":   {Rows: 1, Width: 2, Unit: []float32{0, 1.0011}},
		"a number of -1.0011":  {Rows: 1, Width: 2, Unit: []float32{-1.0011, 0}},
		"a number that is NaN": {Rows: 1, Width: 2, Unit: []float32{0, float32(math.NaN())}},
	} {
		if b.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
