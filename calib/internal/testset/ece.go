package testset

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
)

// ECE returns the ECE-15 of the probabilities q and how many predictions are right.
func ECE(q data.Probs, labels []int32) (ece float64, hits int) {
	var gap [15]float64
	for i := range q.Rows {
		top := slices.Index(q.Row(i), slices.Max(q.Row(i)))
		conf := q.Row(i)[top]
		bin := min(max(int(math.Ceil(conf*15))-1, 0), 14)
		gap[bin] -= conf
		if int(labels[i]) == top {
			gap[bin]++
			hits++
		}
	}
	for _, v := range gap {
		ece += math.Abs(v) / float64(q.Rows)
	}
	return ece, hits
}
