package significance

import (
	"cmp"
	"math"
	"slices"
)

// CriticalDifference returns by how much the mean ranks of two of k methods over
// n blocks must differ at least for Nemenyi's test (1963) to tell them apart at
// level alpha, all pairs taken together:
//
//	q sqrt(k (k+1) / (6 n))
//
// with q the upper alpha quantile of the range of k normal numbers over sqrt(2)
// (Demsar 2006, table 5a). It wants k >= 2, n >= 1 and alpha in (0, 1).
func CriticalDifference(k, n int, alpha float64) float64 {
	methods := float64(k)
	return rangeQuantile(k, 1-alpha) / math.Sqrt2 * math.Sqrt(methods*(methods+1)/(6*float64(n)))
}

// rangeQuantile returns the p-quantile of the range of k standard normal
// numbers, to 1e-10.
func rangeQuantile(k int, p float64) float64 {
	lo, hi := 0.0, 64.0
	for hi-lo > 1e-11 {
		if mid := (lo + hi) / 2; rangeCDF(k, mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// rangeCDF returns the probability that k standard normal numbers lie within q of
// each other: the integral of k phi(z) (Phi(z) - Phi(z-q))^(k-1), z the largest,
// by Simpson's rule. Beyond |z| = 9 there is less than 1e-18.
func rangeCDF(k int, q float64) float64 {
	const end, steps = 9.0, 720
	h := 2 * end / steps
	sum := 0.0
	for i := range steps + 1 {
		z := -end + float64(h*float64(i))
		weight := 2.0
		switch {
		case i == 0 || i == steps:
			weight = 1
		case i%2 == 1:
			weight = 4
		}
		sum += float64(weight * math.Exp(-z*z/2) * math.Pow(normalCDF(z)-normalCDF(z-q), float64(k-1)))
	}
	return float64(k) * sum * h / 3 / math.Sqrt(2*math.Pi)
}

// Groups returns the largest groups of methods, by index, whose mean ranks lie
// within less than the critical difference of each other: those that Nemenyi's
// test does not tell apart. A method that differs from all others is in none.
// Groups are in the order of their best member, members in that of their ranks.
func Groups(ranks []float64, critical float64) [][]int {
	order := make([]int, len(ranks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	var groups [][]int
	reached := 0 // members so far
	for first := range order {
		end := first
		for end < len(order) && ranks[order[end]]-ranks[order[first]] < critical {
			end++
		}
		if end > reached && end-first > 1 {
			groups = append(groups, slices.Clone(order[first:end]))
		}
		reached = max(reached, end)
	}
	return groups
}
