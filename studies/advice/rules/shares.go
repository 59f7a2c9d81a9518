package main

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results/compare/significance"
)

// sharesP tests whether the mean probability of each class is its share of the rows, where the
// logits are divided by t: the smallest P of the two-sided normal tests of the means of 1[y = j] - p_j, after the
// correction of Holm, over the classes with at least five expected rows and all others as one. It is 1 where there is no such class.
func sharesP(set *data.Set, t float64) float64 {
	n, k := set.Logits.Rows, set.Logits.Cols
	p := make([]float64, k)
	expected := make([]float64, k)
	probs := make([]float64, n*k)
	for i := range n {
		row := set.Logits.Row(i)
		top, sum := float64(slices.Max(row)), 0.0
		for j, l := range row {
			p[j] = math.Exp((float64(l) - top) / t)
			sum += p[j]
		}
		for j := range p {
			probs[i*k+j] = p[j] / sum
			expected[j] += p[j] / sum
		}
	}
	group, groups, rest := make([]int, k), 0, -1
	for j := range k {
		if expected[j] >= 5 {
			group[j] = groups
			groups++
		} else {
			group[j] = -1
		}
	}
	if slices.Contains(group, -1) {
		rest = groups
		groups++
	}
	if k == 2 && rest < 0 {
		groups = 1 // the other class has the same difference
	}
	sum, square := make([]float64, groups), make([]float64, groups)
	d, mass := make([]float64, groups), make([]float64, groups)
	for i := range n {
		clear(d)
		for j := range k {
			g := group[j]
			if g < 0 {
				g = rest
			}
			if g >= groups {
				continue
			}
			d[g] -= probs[i*k+j]
			mass[g] += probs[i*k+j]
			if int(set.Labels[i]) == j {
				d[g]++
			}
		}
		for g, x := range d {
			sum[g] += x
			square[g] += x * x
		}
	}
	var ps []float64
	for g := range groups {
		if g == rest && mass[g] < 5 {
			continue
		}
		m := sum[g] / float64(n)
		v := square[g]/float64(n) - m*m
		q := 1.0
		if v > 0 {
			q = math.Erfc(math.Abs(m) / math.Sqrt(2*v/float64(n)))
		}
		ps = append(ps, q)
	}
	if len(ps) == 0 {
		return 1
	}
	return slices.Min(significance.Holm(ps))
}
