package fit

import (
	"sort"
)

// UpTo returns the number of elements of the increasing list at or below x.
func UpTo(list []float64, x float64) int {
	return sort.Search(len(list), func(i int) bool { return list[i] > x })
}
