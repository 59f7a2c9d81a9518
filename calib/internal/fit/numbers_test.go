package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A row has the bits of a plain loop over its elements, alone and among others, and
// any number of rows may be left over from the groups of four.
func TestToSoftmaxesHasTheBitsOfEachRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{1, 3, 8, 100} {
		for n := range 10 {
			rows := make([]float64, n*k)
			for j := range rows {
				rows[j] = 20 * rng.NormFloat64()
			}
			want, logs := slices.Clone(rows), make([]float64, n)
			ToSoftmaxes(rows, k, logs)
			for i := range n {
				row := want[i*k : (i+1)*k]
				log := ToSoftmax(row)
				if !slices.Equal(row, rows[i*k:(i+1)*k]) || log != logs[i] {
					t.Fatalf("k = %d, row %d of %d: %v %v, alone %v %v", k, i, n, rows[i*k:(i+1)*k], logs[i], row, log)
				}
				total := 0.0
				for _, p := range row {
					total += p
				}
				if !(math.Abs(total-1) <= 1e-15*float64(k)) {
					t.Errorf("k = %d: the probabilities sum to %v", k, total)
				}
			}
		}
	}
}

// Sigmoid and Softplus have their limits where exp overflows.
func TestSigmoidAndSoftplusFarFromZero(t *testing.T) {
	for _, c := range []struct{ x, sigmoid, softplus float64 }{
		{0, 0.5, math.Ln2}, {800, 1, 800}, {-800, 0, 0}, {math.Inf(1), 1, math.Inf(1)}, {math.Inf(-1), 0, 0},
	} {
		if s, p := Sigmoid(c.x), Softplus(c.x); s != c.sigmoid || p != c.softplus {
			t.Errorf("at %g: %v and %v, want %v and %v", c.x, s, p, c.sigmoid, c.softplus)
		}
	}
}
