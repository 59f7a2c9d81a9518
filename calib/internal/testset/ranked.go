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
