package significance

// Ranks returns the ranks of finite values, from 1 for the smallest; equal values
// share the mean of their ranks.
func Ranks(values []float64) []float64 {
	order := Ascending(values)
	ranks := make([]float64, len(values))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && values[order[end]] == values[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			ranks[i] = float64(first+1+end) / 2
		}
		first = end
	}
	return ranks
}
