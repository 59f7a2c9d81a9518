package testset

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Ranked returns n rows of k logits whose labels are drawn at the temperature
// that belongs to the row's rank.
func Ranked(n, k int, temperature func(q float64) float64, seed uint64) *data.Set {
	set := Simulated(n, k, 3, 1, seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	q := Ranks(set)
	p := make([]float64, k)
	for i := range n {
		softmax.Probs(p, set.Logits.Row(i), 1/temperature(q[i]))
		u := rng.Float64()
		for j := range p {
			set.Labels[i] = int32(j)
			if u -= p[j]; u < 0 {
				break
			}
		}
	}
	return set
}

// Ranks returns the rank of each row's confidence among all, by comparing the
// log-odds of confidence in float64. This is exact, except for ties of different rows.
func Ranks(set *data.Set) []float64 {
	n := set.Logits.Rows
	odds := make([]float64, n) // log of the tail sum
	for i := range n {
		row := slices.Clone(set.Logits.Row(i))
		slices.Sort(row)
		top := float64(row[len(row)-1])
		tail := 0.0
		for _, l := range row[:len(row)-1] {
			tail += math.Exp(float64(l) - top)
		}
		odds[i] = math.Log(tail)
	}
	sorted := slices.Clone(odds)
	slices.Sort(sorted)
	q := make([]float64, n)
	for i, v := range odds {
		at, _ := slices.BinarySearch(sorted, v)
		q[i] = float64(n-at) / float64(n)
	}
	return q
}

// Falling is a temperature that falls with the rank.
func Falling(q float64) float64 { return 2*(1-q) + 0.7 }

// Rising is a temperature that rises with the rank.
func Rising(q float64) float64 { return 0.8 + 1.6*q }

// BruteLine returns the least NLL of T = a (1-q) + b on a set, for a given q of each row; a is at
// least least, and T at least 0.001. It searches a grid of a and b that is refined
// around its best point, without derivatives and with math.Exp.
func BruteLine(set *data.Set, q []float64, least float64) (a, b, nll float64) {
	const minT = 0.001
	value := func(a, b float64) float64 {
		return DirectNLL(set, func(i int) float64 { return a*(1-q[i]) + b })
	}
	nll = math.Inf(1)
	// A coarse grid over both, then smaller ones around the best point.
	for _, u := range []float64{0, 0.1, 0.3, 0.6, 1, 1.5, 2, 3, 4.5, 6, 8, 12} {
		for _, v := range []float64{minT, 0.03, 0.1, 0.3, 0.6, 1, 1.5, 2, 3, 4.5, 6, 8, 12} {
			if f := value(u, v); f < nll {
				a, b, nll = u, v, f
			}
		}
	}
	for step := 1 + max(a, b)/4; step > 1e-6; step *= 0.6 {
		for moved := true; moved; {
			moved = false
			ca, cb := a, b
			for i := -2.; i <= 2; i++ {
				for j := -2.; j <= 2; j++ {
					u, v := max(least, ca+i*step), max(minT, cb+j*step)
					if u+v < minT {
						continue
					}
					if f := value(u, v); f < nll {
						a, b, nll, moved = u, v, f, math.Max(math.Abs(i), math.Abs(j)) == 2
					}
				}
			}
		}
	}
	return a, b, nll
}

// Spread returns the mean gap of the two largest logits of the rows.
func Spread(set *data.Set) float64 {
	sum := 0.0
	for i := range set.Logits.Rows {
		if row := slices.Sorted(slices.Values(set.Logits.Row(i))); len(row) > 1 {
			sum += float64(row[len(row)-1]) - float64(row[len(row)-2])
		}
	}
	return sum / float64(set.Logits.Rows)
}
