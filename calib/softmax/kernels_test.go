package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// hardRows returns n rows of k logits with ties, near ties, zeros of both signs
// and spreads from nothing to all of float32.
func hardRows(n, k int, rng *rand.Rand) []float32 {
	spread := []float64{0, 0.01, 1, 10, 300, 1e30}[rng.IntN(6)]
	l := randomRows(n, k, spread, rng.Uint64())
	for range rng.IntN(n*k + 1) {
		i, from := rng.IntN(n*k), rng.IntN(n*k)
		switch rng.IntN(8) {
		case 0:
			l[i] = 0
		case 1:
			l[i] = float32(math.Copysign(0, -1))
		case 2:
			l[i] = math.Nextafter32(l[from], 0)
		case 3:
			l[i] = -l[from]
		default:
			l[i] = l[from]
		}
	}
	return l
}

// TestKernelsAgree: whatever the kernel is written in, the same bits. Logits and
// results begin at any address.
func TestKernelsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 21))
	sizes := []int{100, 127, 128, 129, 255, 256, 257, 1000, 1003}
	for k := range 72 {
		sizes = append(sizes, k+1)
	}
	for _, k := range sizes {
		for _, n := range []int{1, 2, 7, 8, 9, 1 + rng.IntN(40)} {
			l := hardRows(n+1, k, rng)[rng.IntN(k+1):][:n*k]
			m := rng.IntN(20)
			scales := make([]float64, n*max(m, 1))
			for i := range scales {
				scales[i] = []float64{0, 5e-324, 1e-3, 0.7, 1, 1 / 3., 5, 1e305}[rng.IntN(8)]
			}
			wantRows, gotRows := make([]Moments, n), make([]Moments, n)
			wantScores, gotScores := make([]Score, n*m), make([]Score, n*m)
			wantTop, gotTop := make([]int32, n), make([]int32, n)
			wantTails, gotTails := make([]float64, n), make([]float64, n)
			wantProbs, gotProbs := make([]float64, k), make([]float64, k)
			for _, on := range available() {
				at := fmt.Sprintf("%v, %d rows of %d", on, n, k)
				for _, s := range [][]float64{scales[:n], scales[:1]} {
					rows(portable, wantRows, l, k, s)
					rows(on, gotRows, l, k, s)
					for i := range wantRows {
						if gotRows[i] != wantRows[i] {
							t.Errorf("%s: row %d at %g: %v, want %v", at, i, s[i%len(s)], gotRows[i], wantRows[i])
						}
					}
				}
				scores(portable, wantScores, wantTop, l, k, scales[:n*m])
				scores(on, gotScores, gotTop, l, k, scales[:n*m])
				for i := range wantScores {
					if gotScores[i] != wantScores[i] {
						t.Errorf("%s: score %d: %v, want %v", at, i, gotScores[i], wantScores[i])
					}
				}
				if !slices.Equal(gotTop, wantTop) {
					t.Errorf("%s: top classes %v, want %v", at, gotTop, wantTop)
				}
				tails(portable, wantTails, l, k)
				if tails(on, gotTails, l, k); !slices.Equal(gotTails, wantTails) {
					t.Errorf("%s: tails %v, want %v", at, gotTails, wantTails)
				}
				for i := range min(n, 3) {
					row := l[i*k : (i+1)*k]
					probs(portable, wantProbs, row, scales[i])
					if probs(on, gotProbs, row, scales[i]); !slices.Equal(gotProbs, wantProbs) {
						t.Errorf("%s: probabilities %v, want %v", at, gotProbs, wantProbs)
					}
				}
			}
		}
	}
}
