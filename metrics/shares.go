package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/qats-bench/qats/metrics/scoring"
)

// LeastExpected is the number of expected rows of a class from which its share is tested by itself.
const LeastExpected = 5

// Share compares the mean probability of a class, or of several rare ones together, with its
// frequency.
type Share struct {
	Classes  []int   // one, or those that are pooled
	Expected float64 // mean probability, in [0, 1]
	Observed float64 // share of the rows, in [0, 1]
	P        float64 // of a difference as large or larger by chance, before any correction for the number of tests
}

// Shares returns the comparison of each class with LeastExpected expected rows or more, and of the
// others together if they have so many together. Of two comparisons of all classes the second says
// what the first does, and is left out.
//
// Under the hypothesis a row has a class with its probability p, so the number of rows of a class
// has the mean sum of p and the variance sum of p (1-p). A model whose probabilities are too extreme
// has more spread than that; the variance is therefore the larger one of it and the sum of
// (y - p)^2, with y 1 for rows of the class, else 0. The tail is that of a shifted gamma
// distribution (Pearson's type III) with this mean, this variance and the skewness of the sum, half
// a row further in. It is not below that of the number of rows, also for few expected rows, and
// P is twice the smaller tail, at most 1. For pooled classes the variances are added up, which is
// at least the variance of the sum, as their counts exclude each other.
//
// Rows that a fit has seen show nothing of a map with an intercept for each class: there the two
// agree by construction.
func Shares(t *scoring.ShareTally) []Share {
	var list []Share
	var pool scoring.ClassShare
	var pooled []int
	for j, c := range t.Classes() {
		if c.Expected >= LeastExpected {
			list = append(list, shareOf([]int{j}, c, t.Rows()))
			continue
		}
		pooled = append(pooled, j)
		pool.Observed += c.Observed
		pool.Expected += c.Expected
		pool.Variance += c.Variance
		pool.Third += c.Third
		pool.Squares += c.Squares
	}
	if pool.Expected >= LeastExpected {
		list = append(list, shareOf(pooled, pool, t.Rows()))
	}
	if len(list) == 2 && len(list[0].Classes)+len(list[1].Classes) == len(t.Classes()) {
		return list[1:]
	}
	return list
}

func shareOf(classes []int, c scoring.ClassShare, rows int) Share {
	n := float64(rows)
	return Share{classes, c.Expected / n, float64(c.Observed) / n, countP(float64(c.Observed), c)}
}

// countP returns the P of a count.
func countP(observed float64, c scoring.ClassShare) float64 {
	variance := max(c.Variance, c.Squares)
	if !(variance > 0) { // all probabilities are 0 or 1, and right
		return 1
	}
	skewness, deviation := 0.0, math.Sqrt(variance)
	if c.Variance > 0 {
		skewness = c.Third / (c.Variance * math.Sqrt(c.Variance))
	}
	below := pearson((observed+.5-c.Expected)/deviation, skewness)
	above := 1 - pearson((observed-.5-c.Expected)/deviation, skewness)
	return min(1, 2*min(below, above))
}

// pearson returns the distribution function at x of Pearson's type III with mean 0, variance 1 and
// a skewness: of a shifted gamma distribution.
func pearson(x, skewness float64) float64 {
	if math.Abs(skewness) < 1e-3 {
		return distuv.UnitNormal.CDF(x)
	}
	if skewness < 0 {
		return 1 - pearson(-x, -skewness)
	}
	shape := 4 / (skewness * skewness)
	at := shape + x*math.Sqrt(shape)
	if at <= 0 {
		return 0
	}
	return distuv.Gamma{Alpha: shape, Beta: 1}.CDF(at)
}
