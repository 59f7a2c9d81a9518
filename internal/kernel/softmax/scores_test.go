package softmax

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

// TestScoresAreExact compares with Rows, to the bit, and with exact arithmetic: the
// squares of a row at a scale are the exponentials at twice that scale.
func TestScoresAreExact(t *testing.T) {
	for _, k := range []int{1, 2, 3, 10, 64, 257} {
		for _, spread := range []float64{0.01, 3, 40} {
			const n, m = 3, 4
			l := randomRows(n, k, spread, 16)
			scales := []float64{0, 0.3, 1, 2, 1e-3, 3, 0.7, 1, 1, 1, 1, 0.5}
			dst, top := make([]Score, n*m), make([]int32, n)
			Scores(dst, top, l, k, scales)
			for i := range n {
				row := l[i*k : (i+1)*k]
				for c := range m {
					var want [1]Moments
					Rows(want[:], row, k, scales[i*m+c:i*m+c+1])
					got := dst[i*m+c]
					if got.Tail != want[0].Tail || top[i] != want[0].Top {
						t.Errorf("k=%d: tail %v of class %d, by Rows %v of class %d", k, got.Tail, top[i], want[0].Tail, want[0].Top)
					}
					squares, _, _ := reference(row, 2*scales[i*m+c])
					if e := relative(got.Squares, squares); e > 1e-13 && squares.Cmp(big.NewFloat(1e-290)) > 0 {
						t.Errorf("k=%d spread=%g: squares %g, want %g", k, spread, got.Squares, squares)
					}
				}
			}
		}
	}
}

// TestScoresDoNotDependOnOtherScales: a scale among others has the bits that it has
// alone, also if some exponentials are just above or just below the smallest one
// that counts, e^-670.
func TestScoresDoNotDependOnOtherScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 31))
	for _, on := range cpu.Available() {
		for _, k := range []int{1, 9, 21, 63, 64, 65, 130, 1000} {
			const n = 9
			l := hardRows(n, k, rng)
			l[rng.IntN(k)], l[rng.IntN(k)] = 0, 0
			for j := range l[:k] {
				l[j] = max(-335, min(l[j], 0)) // scale 2 is the last without a zero
			}
			for m := 1; m <= 18; m++ {
				scales := make([]float64, n*m)
				for i := range scales {
					scales[i] = []float64{0, 0.3, 1, 2, 2, math.Nextafter(2, 3), 7}[rng.IntN(7)]
				}
				all, top := make([]Score, n*m), make([]int32, n)
				scores(on, all, top, l, k, scales)
				for c := range m {
					alone, s := make([]Score, n), make([]float64, n)
					for i := range n {
						s[i] = scales[i*m+c]
					}
					scores(on, alone, top, l, k, s)
					for i := range n {
						if all[i*m+c] != alone[i] {
							t.Errorf("%v, k=%d: row %d at %g, one of %d scales: %v, alone %v", on, k, i, s[i], m, all[i*m+c], alone[i])
						}
					}
				}
			}
		}
	}
}

func TestScoresCountTies(t *testing.T) {
	var dst [2]Score
	var top [1]int32
	Scores(dst[:], top[:], []float32{1, 5, 5, 5, 2}, 5, []float64{1000, 0})
	if top[0] != 1 || dst[0] != (Score{2, 2}) || dst[1] != (Score{4, 4}) {
		t.Errorf("three classes at the maximum: class %d, %v", top[0], dst)
	}
	Scores(nil, nil, nil, 5, nil)
	Scores(nil, top[:], []float32{1, 2}, 2, nil)
	if top[0] != 1 {
		t.Errorf("no scales: class %d", top[0])
	}
	Scores(dst[:], top[:], []float32{0, -math.MaxFloat32}, 2, []float64{1, 3})
	if dst != [2]Score{} || top[0] != 0 {
		t.Errorf("a gap beyond all exponents: class %d, %v", top[0], dst)
	}
}
