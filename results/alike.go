package results

import (
	"cmp"
	"slices"
)

// Alike is the largest difference of two values of a metric, as a fraction or in its unit,
// that counts as equal: in verdicts, wins, ranks and marks. Methods that compute the same map
// in different precisions differ by as much.
const Alike = 1e-6

// Sign returns the sign of a difference of two values: 0 if they are [Alike].
func Sign(difference float64) int {
	switch {
	case difference < -Alike:
		return -1
	case difference > Alike:
		return 1
	}
	return 0
}

// Levelled returns finite values, those that are [Alike] made equal: in ascending order, each
// that is alike the one before takes its value. So two values that are not alike can become
// equal if others join them.
func Levelled(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := slices.Clone(values)
	for k, i := range order {
		if k > 0 && values[i]-values[order[k-1]] <= Alike {
			out[i] = out[order[k-1]]
		}
	}
	return out
}
