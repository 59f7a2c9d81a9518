package isotonic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The table of a Finder changes no count, for lists of any length and values of any
// size. It takes at most 8 bytes an element, and a long list has one.
func TestFinderCountsElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for name, draw := range map[string]func() float64{
		"uniform":   rng.Float64,
		"all sizes": func() float64 { return math.Exp(-60 * rng.Float64()) },
		"large":     func() float64 { return 1 - 1e-9*rng.Float64() },
		"tiny":      func() float64 { return 1e-30 * rng.Float64() },
		"both ends": func() float64 { return math.Exp(60 - 120*rng.Float64()) },
		"huge":      func() float64 { return 1e30 / rng.Float64() },
	} {
		for _, n := range []int{0, 1, 63, 64, 65, 1000, 20000} {
			list := make([]float64, n)
			for i := range list {
				list[i] = draw()
			}
			if n > 2 {
				list[0], list[1] = 0, 1
			}
			slices.Sort(list)
			list = slices.Compact(list)
			f := newFinder(list)
			if has := f.start != nil; has != (len(list) >= 64) {
				t.Errorf("%s: %d elements: a table is %v", name, len(list), has)
			} else if has && (len(f.start) < len(list)/2 || len(f.start) > 2*len(list)+2) {
				t.Errorf("%s: %d elements: a table of %d", name, len(list), len(f.start))
			}
			for trial := range 2000 {
				x := draw()
				if n > 0 && trial%2 == 0 {
					x = list[rng.IntN(len(list))]
					if trial%4 == 0 {
						x = math.Nextafter(x, float64(trial/4%2))
					}
				}
				want, found := slices.BinarySearch(list, x)
				if found {
					want++
				}
				if got := f.UpTo(x); got != want {
					t.Fatalf("%s: %d elements: %d up to %v, want %d", name, len(list), got, x, want)
				}
			}
		}
	}
}
