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

// InPrint is a value with the number that stands for it in print.
type InPrint struct{ Value, Number float64 }

// Best ranks numbers by what is printed of them, the lower or the higher ones first: places has 1
// for the best number and those equal to it, 2 for the second best, and 0 for others. Values that
// are [Alike] may print differently: they count with the number of the least of them, which level
// has. places is nil where there is nothing to tell: of fewer than two numbers, or of equal ones.
func Best(list []InPrint, higher bool) (places []int, level []float64) {
	order := make([]int, len(list))
	level = make([]float64, len(list))
	for i, x := range list {
		order[i], level[i] = i, x.Number
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(list[i].Value, list[j].Value) })
	for k, i := range order {
		if k > 0 && Sign(list[i].Value-list[order[k-1]].Value) == 0 {
			level[i] = level[order[k-1]]
		}
	}
	cost := func(i int) float64 {
		if higher {
			return -level[i]
		}
		return level[i]
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(cost(i), cost(j)) })
	after := slices.IndexFunc(order, func(i int) bool { return cost(i) > cost(order[0]) })
	if after < 0 {
		return nil, level
	}
	places = make([]int, len(list))
	for i := range list {
		switch cost(i) {
		case cost(order[0]):
			places[i] = 1
		case cost(order[after]):
			places[i] = 2
		}
	}
	return places, level
}
