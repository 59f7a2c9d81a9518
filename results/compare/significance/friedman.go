package significance

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// RankTest is the outcome of Friedman's test.
type RankTest struct {
	Blocks, Methods int
	Ranks           []float64 // mean rank of each method, 1 the best
	ChiSquared      float64   // corrected for ties
	P               float64   // p-value of ChiSquared
	F               float64   // of Iman and Davenport; +Inf where all blocks agree
	PF              float64   // p-value of F
	Ties            float64   // factor by which ties shrink the variance, in [0, 1]; 1 without
}

// Friedman tests whether k methods have the same rank on average over n blocks.
// costs[block] holds one finite number for each method, lower is better; equal
// numbers share the mean of their ranks. With R_j the mean ranks,
//
//	ChiSquared = 12 n / (k (k+1)) (sum_j R_j^2 - k (k+1)^2 / 4) / Ties
//	F          = (n-1) ChiSquared / (n (k-1) - ChiSquared)
//
// with k-1 degrees of freedom for ChiSquared (Friedman 1937), and k-1 and
// (k-1)(n-1) for F (Iman and Davenport 1980), which is less conservative. The
// correction for ties is that of Conover (1999): Ties = 1 - sum (t^3 - t) /
// (n k (k^2 - 1)) over all groups of t equal numbers of a block; Demsar (2006)
// leaves it out. Where all numbers of every block are equal, both P are 1. It is an
// error if there are fewer than two methods or blocks, or if rows differ in length.
func Friedman(costs [][]float64) (RankTest, error) {
	n := len(costs)
	if n < 2 {
		return RankTest{}, fmt.Errorf("a ranking takes two or more data sets, not %d", n)
	}
	k := len(costs[0])
	if k < 2 {
		return RankTest{}, fmt.Errorf("a ranking takes two or more methods, not %d", k)
	}
	t := RankTest{Blocks: n, Methods: k, Ranks: make([]float64, k), P: 1, PF: 1}
	tied := 0.0
	for b, row := range costs {
		if len(row) != k {
			return RankTest{}, fmt.Errorf("ranking: data set %d has %d numbers, the first one %d", b, len(row), k)
		}
		ranks := Ranks(row)
		for j, r := range ranks {
			t.Ranks[j] += r
		}
		tied += tieTerm(ranks)
	}
	size, methods := float64(n), float64(k)
	// Ranks are multiples of 1/2, so their sums are exact and do not depend on the
	// order of the blocks.
	squares := 0.0
	for j := range t.Ranks {
		t.Ranks[j] /= size
		squares += float64(t.Ranks[j] * t.Ranks[j])
	}
	t.Ties = 1 - tied/(size*methods*(methods*methods-1))
	if t.Ties < 1e-12 {
		t.Ties = 0
		return t, nil
	}
	free := methods - 1
	t.ChiSquared = max(0, 12*size/(methods*(methods+1))*(squares-methods*(methods+1)*(methods+1)/4)/t.Ties)
	t.P = distuv.ChiSquared{K: free}.Survival(t.ChiSquared)
	rest := float64(size*free) - t.ChiSquared
	if rest <= 1e-9*size*free {
		t.F, t.PF = math.Inf(1), 0
		return t, nil
	}
	t.F = (size - 1) * t.ChiSquared / rest
	t.PF = distuv.F{D1: free, D2: free * (size - 1)}.Survival(t.F)
	return t, nil
}

// tieTerm returns the sum of t^3 - t over groups of t equal ranks: every member of
// a group adds t^2 - 1.
func tieTerm(ranks []float64) float64 {
	sum := 0.0
	for _, a := range ranks {
		same := 0.0
		for _, b := range ranks {
			if a == b {
				same++
			}
		}
		sum += float64(same*same) - 1
	}
	return sum
}
