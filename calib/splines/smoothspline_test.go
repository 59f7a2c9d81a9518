package splines

import (
	"testing"
)

// The rows on which lambda is chosen are the first fifth of each side, rounded.
func TestSmoothingSplineChoosesOnAFifth(t *testing.T) {
	for _, c := range []struct{ hits, misses int }{{0, 5}, {2, 3}, {3, 2}, {7, 8}, {8, 7}, {12, 13}} {
		order, positive := make([]int, c.hits+c.misses), make([]bool, c.hits+c.misses)
		for i := range order {
			order[i] = len(order) - 1 - i
			positive[i] = i < c.hits
		}
		for i, got := range fifth(order, positive) {
			from, n := c.hits, c.misses // of its side
			if positive[i] {
				from, n = 0, c.hits
			}
			if want := from+n-i <= (n+2)/5; got != want {
				t.Errorf("%d hits and %d misses: row %d is chosen: %v", c.hits, c.misses, i, got)
			}
		}
	}
}
