package softmax

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The definition, with math.Exp and the mean itself.
func TestMeanProbsFollowsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		k, v := 1+rng.IntN(9), 1+rng.IntN(6)
		rows := make([][]float32, v)
		mean := make([]float64, k)
		for r := range rows {
			rows[r] = make([]float32, k)
			for j := range mean {
				rows[r][j] = float32(4 * rng.NormFloat64())
				mean[j] += float64(rows[r][j]) / float64(v)
			}
		}
		scale := math.Exp(rng.NormFloat64())
		want, sum := make([]float64, k), 0.0
		for j, m := range mean {
			want[j] = math.Exp(scale * (m - slices.Max(mean)))
			sum += want[j]
		}
		got := MeanProbs(make([]float64, k), rows, scale)
		for j := range want {
			if !(math.Abs(got[j]-want[j]/sum) <= 1e-14) {
				t.Fatalf("%d rows of %d: class %d: %v, want %v", v, k, j, got[j], want[j]/sum)
			}
		}
	}
}

// One row, and copies of it in a number that divides exactly, are Probs to the
// bit, ties and near ties included.
func TestMeanProbsOfOneRow(t *testing.T) {
	next := math.Nextafter32(3, 4)
	for _, row := range [][]float32{
		{1, 2, 3}, {0, 0, 0}, {7}, {3, next, 3}, {next, 3, next}, {0x1p-149, 0, 0x1p-149},
		{1e4, -1e4, 0}, {-1e4, 1e4, math.Nextafter32(1e4, 0)}, {40, 0, 0, 1}, {0, 800, 0},
	} {
		for _, scale := range []float64{1, 1.0 / 3, 1e-3, 1e3} {
			want := Probs(make([]float64, len(row)), row, scale)
			for _, copies := range []int{1, 2, 4} {
				got := MeanProbs(make([]float64, len(row)), slices.Repeat([][]float32{row}, copies), scale)
				if !slices.Equal(got, want) {
					t.Errorf("%d times %v at scale %v: %v, want %v", copies, row, scale, got, want)
				}
			}
		}
	}
}

// The mean decides, not the rows: two rows whose difference from their mean is
// below the precision of float32.
func TestMeanProbsKeepsPrecision(t *testing.T) {
	rows := [][]float32{{1, 1}, {1, 1}, {math.Nextafter32(1, 2), 1}} // the mean is not a float32
	got := MeanProbs(make([]float64, 2), rows, 1)
	want := 1 / (1 + math.Exp(-0x1p-23/3))
	if !(math.Abs(got[0]-want) <= 1e-16) || got[0] == got[1] {
		t.Errorf("%v, want %v first", got, want)
	}
	rows[0], rows[2] = []float32{1, math.Nextafter32(1, 2)}, []float32{1, 1}
	if got := MeanProbs(make([]float64, 2), rows, 1e-12); got[0] >= got[1] {
		t.Errorf("%v: the larger mean does not win a tie of rounding", got)
	}
}
