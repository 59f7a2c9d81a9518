package fit

import (
	"math"
	"sort"
	"testing"
)

// The search returns what one of the standard library does, in lists of any length and for x at, between and
// beyond the elements, NaN too.
func TestUpToCountsElementsAtOrBelow(t *testing.T) {
	for n := range 40 {
		list := make([]float64, n)
		for i := range list {
			list[i] = float64(2 * i)
		}
		if n > 10 {
			list[n-1], list[4] = math.Inf(1), list[3] // equal ones, too
		}
		for x := -1.0; x <= float64(2*n+1); x++ {
			for _, x := range []float64{x, math.Nextafter(x, -1), math.Inf(1), math.NaN()} {
				want := sort.Search(n, func(i int) bool { return list[i] > x })
				if got := UpTo(list, x); got != want {
					t.Errorf("%v of %d elements: %d, want %d", x, n, got, want)
				}
			}
		}
	}
}
