package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// A row has the bits of a plain loop over its elements, alone and among others, and
// any number of rows may be left over from the groups of four.
func TestShiftedSoftmaxesHaveTheBitsOfEachRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{1, 3, 8, 100} {
		for n := range 10 {
			rows := make([]float64, n*k)
			for j := range rows {
				rows[j] = 20 * rng.NormFloat64()
			}
			from, want, most, sums := slices.Clone(rows), slices.Clone(rows), make([]float64, n), make([]float64, n)
			for i := range most {
				most[i] = slices.Max(rows[i*k : (i+1)*k])
			}
			ShiftedSoftmaxes(rows, k, most, sums)
			for i := range n {
				row := want[i*k : (i+1)*k]
				ToSoftmax(row)
				if !slices.Equal(row, rows[i*k:(i+1)*k]) {
					t.Fatalf("k = %d, row %d of %d: %v, alone %v", k, i, n, rows[i*k:(i+1)*k], row)
				}
				total, sum := 0.0, 0.0
				for j, p := range row {
					total += p
					sum += math.Exp(from[i*k+j] - most[i])
				}
				if !(math.Abs(sums[i]-sum) <= 1e-14*sum) {
					t.Errorf("k = %d: the exponentials sum to %v, want %v", k, sums[i], sum)
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
		{0, 0.5, math.Ln2}, {math.Ln2, 2. / 3, math.Log(3)}, {-math.Ln2, 1. / 3, math.Log(1.5)}, {800, 1, 800}, {-800, 0, 0}, {math.Inf(1), 1, math.Inf(1)}, {math.Inf(-1), 0, 0},
	} {
		s, p := Sigmoid(c.x), Softplus(c.x)
		if s != c.sigmoid && !(math.Abs(s-c.sigmoid) <= 1e-15) || p != c.softplus && !(math.Abs(p-c.softplus) <= 1e-15) {
			t.Errorf("at %g: %v and %v, want %v and %v", c.x, s, p, c.sigmoid, c.softplus)
		}
	}
}

// Elements may lie further apart than exp reaches, and be as large as float64 allows.
func TestToSoftmaxOfNumbersFarApart(t *testing.T) {
	for _, c := range []struct{ row, want []float64 }{
		{[]float64{1000, 0}, []float64{1, 0}},
		{[]float64{0, 2000}, []float64{0, 1}},
		{[]float64{-1e308, -1e308}, []float64{.5, .5}},
	} {
		if ToSoftmax(c.row); !slices.Equal(c.row, c.want) {
			t.Errorf("softmax %v, want %v", c.row, c.want)
		}
	}
}

// Sums of vectors, and the entropy of a softmax, by their definitions.
func TestVectorSumsAndEntropy(t *testing.T) {
	v := []float64{1, 2, 4}
	if got := Dot(v, []float64{3, -5, .5}); got != -5 {
		t.Errorf("inner product %v", got)
	}
	if AddTo(v, .5, []float64{2, -4, 6}); !slices.Equal(v, []float64{2, 0, 7}) {
		t.Errorf("sum %v", v)
	}
	for _, row := range [][]float32{{0, 0, 0}, {3, 1, -2}, {5, 5, -9}} {
		moments := make([]softmax.Moments, 1)
		softmax.Rows(moments, row, 3, []float64{1})
		sum, want := 0.0, 0.0
		for _, l := range row {
			sum += math.Exp(float64(l))
		}
		for _, l := range row {
			p := math.Exp(float64(l)) / sum
			want -= p * math.Log(p)
		}
		if got := Entropy(&moments[0]); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("entropy of %v: %v, want %v", row, got, want)
		}
	}
}
