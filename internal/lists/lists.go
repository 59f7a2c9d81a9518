// Package lists has what the standard package slices lacks for lists of rows: the items
// that a condition keeps, their groups and their different values, and memory that is used again.
package lists

// Values returns the value that of has for each item of a list.
func Values[T, V any](list []T, of func(T) V) []V {
	values := make([]V, len(list))
	for i, item := range list {
		values[i] = of(item)
	}
	return values
}

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

// Group returns the items of a list by a value: the different values in the order of their
// first appearance, and the items that have each, in their order.
func Group[T any, K comparable](list []T, by func(T) K) (values []K, items map[K][]T) {
	items = map[K][]T{}
	for _, item := range list {
		v := by(item)
		if items[v] == nil {
			values = append(values, v)
		}
		items[v] = append(items[v], item)
	}
	return values, items
}

// Where returns the items of a list that a condition keeps. It counts them first, since
// lists of rows are long and growing one copies it several times.
func Where[T any](list []T, keep func(T) bool) (kept []T) {
	n := 0
	for _, item := range list {
		if keep(item) {
			n++
		}
	}
	kept = make([]T, 0, n)
	for _, item := range list {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// Resize returns a slice of n elements that are to be overwritten, in the memory of v if that is
// large enough. It is not nil, for n = 0 either.
func Resize[T any](v []T, n int) []T {
	if v == nil || cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
