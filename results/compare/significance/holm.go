package significance

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Holm returns the p-values of m tests adjusted by Holm (1979), in their order: the
// i-th smallest becomes the largest of (m-j+1) p_(j) over j <= i, at most 1.
// Rejecting those at or below a level keeps the probability of any false rejection
// at or below that level, for any dependence between the tests. Ties get equal
// values; no p-values give none.
func Holm(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	most := 0.0
	for j, i := range Ascending(p) {
		most = max(most, min(1, float64(len(p)-j)*p[i]))
		adjusted[i] = most
	}
	return adjusted
}

// Ascending returns the indices of the values from the smallest to the largest,
// equal values by index.
func Ascending(values []float64) []int {
	order := make([]int, len(values))
	floats.ArgsortStable(slices.Clone(values), order)
	return order
}
