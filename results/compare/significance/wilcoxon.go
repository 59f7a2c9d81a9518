package significance

import (
	"math"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// exactUpTo is the number of differences up to which distributions of rank sums are
// exact. Beyond it the normal distribution differs in the fourth digit at most.
const exactUpTo = 200

// SignedRank is the outcome of Wilcoxon's signed-rank test.
type SignedRank struct {
	N     int     // differences
	Zeros int     // differences that are exactly zero
	Plus  float64 // sum of the ranks of positive differences
	Minus float64 // sum of the ranks of negative differences
	P     float64 // two-sided, in (0, 1]
	Exact bool
}

// Wilcoxon tests whether differences are symmetric about zero (Wilcoxon 1945). Absolute
// differences are ranked, equal ones sharing the mean of their ranks. Zeros are treated as
// in Pratt (1959): they are ranked and then dropped, so that many ties of two methods count
// against a difference. The older rule leaves them out first, which conceals that. Given
// the ranks, every sign is a fair coin under the hypothesis, and P is
//
//	min(1, 2 min(Pr(W <= Plus), Pr(W >= Plus)))
//
// by that distribution, ties included, up to 200 differences. With more it is
// computed from the normal distribution with the same mean and variance, without
// continuity correction. If all differences are zero, or there are none, P is 1.
// Differences are finite.
func Wilcoxon(differences []float64) SignedRank {
	s := SignedRank{N: len(differences), P: 1, Exact: len(differences) <= exactUpTo}
	var ranks []int
	if ranks, s.Plus, s.Minus = signedRanks(differences); len(ranks) == 0 {
		s.Zeros = s.N
		return s
	}
	s.Zeros = s.N - len(ranks)
	s.P = min(1, 2*below(ranks, min(s.Plus, s.Minus), s.Exact)) // the distribution is symmetric
	return s
}

// signedRanks returns twice the ranks of the differences that are not zero (mean ranks are
// multiples of 1/2), and the sums of the ranks of positive and of negative ones.
func signedRanks(differences []float64) (doubled []int, plus, minus float64) {
	sizes := make([]float64, len(differences))
	for i, d := range differences {
		sizes[i] = math.Abs(d)
	}
	for i, rank := range Ranks(sizes) {
		switch d := differences[i]; {
		case d > 0:
			plus += rank
		case d < 0:
			minus += rank
		default:
			continue
		}
		doubled = append(doubled, int(2*rank))
	}
	return doubled, plus, minus
}

// below returns the probability that the sum of a random subset of ranks is sum at most. Each
// rank is in the subset with probability 1/2; the ranks are given twice as large.
func below(doubled []int, sum float64, exact bool) float64 {
	if exact {
		return floats.Sum(signedSums(doubled, int(2*sum)))
	}
	var mean, variance float64
	for _, r := range doubled {
		mean += float64(r) / 4
		variance += float64(r*r) / 16
	}
	return distuv.UnitNormal.CDF((sum - mean) / math.Sqrt(variance))
}

// LeastP returns the smallest P that Wilcoxon can reach with n differences, when all
// have one sign and none is zero.
func LeastP(n int) float64 { return min(1, math.Ldexp(1, 1-n)) }

// signedSums returns the probabilities of the sums 0, 1, ..., most of a random subset of the
// ranks, each of which is in it with probability 1/2. most is the sum of all ranks or less.
func signedSums(ranks []int, most int) []float64 {
	p := make([]float64, most+1)
	p[0] = 1
	reached := 0
	for _, r := range ranks {
		reached = min(reached+r, most)
		for s := reached; s >= r; s-- {
			p[s] = (p[s] + p[s-r]) / 2
		}
		for s := min(reached, r-1); s >= 0; s-- {
			p[s] /= 2
		}
	}
	return p
}

// Shift estimates how far differences lie from zero, with an interval.
type Shift struct {
	Estimate float64
	Lo, Hi   float64
	Bounded  bool // Lo and Hi are given: there are enough differences for an interval
}

// LeastForInterval is the smallest number of differences with which HodgesLehmann gives a
// 95 % interval.
const LeastForInterval = 6

// Walsh are the means of all pairs of differences, each paired with itself too (Walsh 1949), in
// ascending order. They are sorted once for the intervals of several levels.
type Walsh struct {
	means []float64
	n     int // differences
}

// NewWalsh returns the means of n differences. Time and memory grow with n^2.
func NewWalsh(differences []float64) Walsh {
	n := len(differences)
	w := Walsh{make([]float64, 0, n*(n+1)/2), n}
	for i, a := range differences {
		for _, b := range differences[i:] {
			w.means = append(w.means, (a+b)/2)
		}
	}
	slices.Sort(w.means)
	return w
}

// Shift returns the median of the means and the interval of the shifts that Wilcoxon's test does
// not reject at 1-level (Hodges and Lehmann 1963; Hollander and Wolfe 1999, section 3.2): from the
// c-th smallest to the c-th largest of the means, with c the largest number for which Pr(W <= c-1)
// <= (1-level)/2 for ranks without ties. With ties it covers at least as much. With fewer than six
// differences there is no 95 % interval. Without differences the result is the zero Shift.
func (w Walsh) Shift(level float64) Shift {
	m := len(w.means)
	if m == 0 {
		return Shift{}
	}
	s := Shift{Estimate: (w.means[(m-1)/2] + w.means[m/2]) / 2}
	if c := critical(w.n, (1-level)/2); c >= 1 {
		s.Lo, s.Hi, s.Bounded = w.means[c-1], w.means[m-c], true
	}
	return s
}

// HodgesLehmann returns the shift of differences with an interval: [Walsh.Shift].
func HodgesLehmann(differences []float64, level float64) Shift {
	return NewWalsh(differences).Shift(level)
}

// critical returns the largest c with Pr(W <= c-1) <= tail for n ranks without ties,
// or 0 if there is none.
func critical(n int, tail float64) int {
	if n > exactUpTo {
		size := float64(n)
		mean, sd := size*(size+1)/4, math.Sqrt(size*(size+1)*(2*size+1)/24)
		return int(mean + float64(distuv.UnitNormal.Quantile(tail)*sd))
	}
	below := withoutTies[n]()
	return sort.Search(len(below), func(c int) bool { return below[c] > tail })
}

// withoutTies has, by the number n of ranks without ties, Pr(W <= 0), Pr(W <= 1), ... up to the
// middle of the distribution. They are constants that are computed at their first use.
var withoutTies = func() (of [exactUpTo + 1]func() []float64) {
	for n := range of {
		of[n] = sync.OnceValue(func() []float64 {
			ranks := make([]int, n)
			for i := range ranks {
				ranks[i] = i + 1
			}
			p := signedSums(ranks, n*(n+1)/4)
			for s := range len(p) - 1 {
				p[s+1] += p[s]
			}
			return p
		})
	}
	return of
}()
