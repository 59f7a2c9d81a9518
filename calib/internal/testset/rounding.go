package testset

import (
	"math"
	"math/rand/v2"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// RoundingCopies returns rows and copies of them whose probabilities differ by rounding
// alone: with a constant added, with the other classes in another order, and with logits
// that are logarithms of probabilities, of which the second has rounded them to float32.
func RoundingCopies(rng *rand.Rand, k int) (rows, copies data.Matrix) {
	const n = 30
	rows, copies = data.NewMatrix(n, k), data.NewMatrix(n, k)
	for i := range n {
		a, b := rows.Row(i), copies.Row(i)
		for j := range a {
			a[j] = float32(math.Round(rng.NormFloat64()*float64(1+i)*1024)) / 1024
		}
		switch i % 3 {
		case 0:
			for j := range b {
				b[j] = a[j] - 512
			}
		case 1:
			b[0] = a[0]
			for to, from := range rng.Perm(k - 1) {
				b[to+1] = a[from+1]
			}
		case 2: // logarithms above -2 have errors of 2^-24
			p := make([]float64, k)
			for j := range p {
				p[j] = .2 + rng.Float64()
			}
			softmax.Normalise(p)
			for j := range p {
				a[j], b[j] = float32(math.Log(p[j])), float32(math.Log(float64(float32(p[j]))))
			}
		}
	}
	return rows, copies
}

// TwoGaps has two classes: rows whose logits are 15.5 apart, half of them right, and rows
// 36 apart, all right.
func TwoGaps(n int) *data.Set {
	set := &data.Set{Logits: data.NewMatrix(2*n, 2), Labels: make([]int32, 2*n)}
	for i := range n {
		set.Logits.Row(i)[0], set.Logits.Row(n + i)[0] = 15.5, 36
		set.Labels[i] = int32(i % 2)
	}
	return set
}
