package significance

import (
	"cmp"
	"slices"
)

// Holm returns the p-values of m tests adjusted by Holm (1979), in their order:
// the i-th least becomes the largest of (m-j+1) p_(j) over j <= i, at most 1.
// Rejecting those at or below a level keeps the probability of any false rejection
// below it, however the tests depend on each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	most := 0.0
	for j, i := range order {
		most = max(most, min(1, float64(len(p)-j)*p[i]))
		adjusted[i] = most
	}
	return adjusted
}
