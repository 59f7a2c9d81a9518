package significance

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// CriticalDifference returns the smallest difference of the mean ranks of two of k
// methods over n blocks at which Nemenyi's test (1963) tells them apart at level
// alpha, all pairs taken together:
//
//	q sqrt(k (k+1) / (6 n))
//
// with q the upper alpha quantile of the range of k standard normal numbers over
// sqrt(2) (Demsar 2006, table 5a). It needs k >= 2, n >= 1 and alpha in (0, 1).
func CriticalDifference(k, n int, alpha float64) float64 {
	methods := float64(k)
	return rangeQuantile(k, 1-alpha) / math.Sqrt2 * math.Sqrt(methods*(methods+1)/(6*float64(n)))
}

// rangeQuantile returns the p-quantile of the range of k standard normal numbers,
// to 1e-10.
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
// each other: the integral of k phi(z) (Phi(z) - Phi(z-q))^(k-1), z the largest of
// them. Beyond |z| = 9 there is less than 1e-18 of it.
func rangeCDF(k int, q float64) float64 {
	normal := distuv.UnitNormal
	return quad.Fixed(func(z float64) float64 {
		return float64(k) * normal.Prob(z) * math.Pow(normal.CDF(z)-normal.CDF(z-q), float64(k-1))
	}, -9, 9, 128, quad.Legendre{}, 0)
}

// Groups returns the largest groups of methods, by index, whose mean ranks differ by
// less than the critical difference: Nemenyi's test does not tell them apart. A
// method that differs from all others is in no group. Groups are in the order of
// their best member, and members in the order of their ranks.
func Groups(ranks []float64, critical float64) [][]int {
	order := Ascending(ranks)
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
