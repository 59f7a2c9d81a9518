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

// rangeQuantile returns the p-quantile of the range of k standard normal numbers, for p
// in (0, 1).
//
// It solves log F(q) = log p by Newton's method in log q, F being the distribution function
// of the range: the integral of k phi(z) (Phi(z) - Phi(z-q))^(k-1), z the largest of the
// numbers. Beyond |z| = 9 there is less than 1e-18 of F. A step that leaves the interval
// known to hold q, or that is not a number because F has underflowed, is replaced by
// bisection.
func rangeQuantile(k int, p float64) float64 {
	const nodes = 128
	z, weight := make([]float64, nodes), make([]float64, nodes)
	quad.Legendre{}.FixedLocations(z, weight, -9, 9)
	normal := distuv.UnitNormal
	largest := make([]float64, nodes) // the density of the largest, without the other numbers
	below := make([]float64, nodes)   // Phi(z)
	for i := range z {
		largest[i], below[i] = float64(k)*weight[i]*normal.Prob(z[i]), normal.CDF(z[i])
	}
	lo, hi := 0.0, 64.0
	q := 2 * math.Sqrt(2*math.Log(float64(k))) // about the range of many numbers
	for hi-lo > 1e-14*hi {
		var f, slope float64
		for i, density := range largest {
			within := below[i] - normal.CDF(z[i]-q)
			others := density * math.Pow(within, float64(k-2))
			f += others * within
			slope += float64(k-1) * others * normal.Prob(z[i]-q)
		}
		if f < p {
			lo = q
		} else {
			hi = q
		}
		next := q * math.Exp(math.Log(p/f)*f/(slope*q))
		if math.Abs(next-q) <= 1e-14*q {
			break
		}
		if !(lo < next && next < hi) {
			next = (lo + hi) / 2
		}
		q = next
	}
	return q
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
