package binning

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// Edges of bins part no ties: at every number of bins, all rows of a group are in one bin,
// and rows in different bins are not tied.
func TestEdgesPartNoTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for bins := 2; bins < 40; bins++ {
		g := make([]float64, 100)
		for i := range g {
			x := math.Exp(float64(rng.IntN(12)*6 - 36)) // groups from e^-36 to e^30, of about eight rows
			g[i] = x * (1 + float64(rng.IntN(3))*0x1p-24)
		}
		edges, rows := equalEdges(slices.Clone(g), bins)
		counts := make([]int, len(rows))
		bin := map[string]int{}
		for _, x := range g {
			b := edgesBelow(edges, x)
			counts[b]++
			group := fmt.Sprint(math.Round(math.Log(x)))
			if other, ok := bin[group]; ok && other != b {
				t.Errorf("%d bins: scores near e^%s are in bins %d and %d", bins, group, other, b)
			}
			bin[group] = b
		}
		if !slices.Equal(counts, rows) {
			t.Errorf("%d bins have %v rows, said to be %v", bins, counts, rows)
		}
	}
}

// A row that differs from a calibration row by rounding alone is in its bin.
func TestRoundingCopiesHaveTheSameBin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, k := range []int{3, 4} {
		for trial := range 20 {
			rows, copies := testset.RoundingCopies(rng, k)
			cal := &data.Set{Logits: rows, Labels: make([]int32, rows.Rows)}
			for i := range cal.Labels {
				cal.Labels[i] = rng.Int32N(int32(k))
			}
			m := calib.Unmixed(calibtest.Fit(t, HBMassEntry, cal, map[string]any{"bins": 7}).Map).(hbMassMap)
			of := func(m data.Matrix, i int) float64 {
				p := make([]float64, k)
				tail := softmax.ProbsAndTail(p, m.Row(i), 1)
				return stretch.OfTail(p[0], tail)
			}
			for i := range rows.Rows {
				if u, v := m.At(0, of(rows, i)), m.At(0, of(copies, i)); u != v {
					t.Errorf("trial %d, row %d: %v, and %v for a copy", trial, i, u, v)
				}
			}
		}
	}
}
