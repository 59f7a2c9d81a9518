package results

// Distinct returns the different values that of has for the items of a list, in the order
// of their first appearance.
func Distinct[T any, K comparable](list []T, of func(T) K) []K {
	var values []K
	seen := map[K]bool{}
	for _, item := range list {
		if v := of(item); !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	return values
}
