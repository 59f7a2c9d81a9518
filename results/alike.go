package results

import (
	"cmp"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
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

// Best ranks values by what print makes of them, the lower or the higher ones first: places has 1
// for the best number and those equal to it, 2 for the second best, and 0 for others. Values that
// are [Alike] may print differently: they are [Levelled] first, and numbers has what then prints.
// places is nil where there is nothing to tell: of fewer than two values, or of equal numbers.
func Best(values []float64, print func(float64) float64, higher bool) (places []int, numbers []float64) {
	numbers = lists.Values(Levelled(values), print)
	best := slices.Compact(slices.Sorted(slices.Values(numbers)))
	if higher {
		slices.Reverse(best)
	}
	if len(best) < 2 {
		return nil, numbers
	}
	places = make([]int, len(numbers))
	for i, x := range numbers {
		places[i] = slices.Index(best[:2], x) + 1
	}
	return places, numbers
}
