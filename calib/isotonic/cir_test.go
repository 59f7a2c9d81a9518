package isotonic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/internal/stretch"
)

// The blocks are those of isotonic regression. Centred regression has the value of a
// block at the mean of its scores, lies between the neighbouring blocks elsewhere, and
// is flat at 0 and 1.
func TestCentredGoesThroughTheMeansOfBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for trial := range 500 {
		points := make([]vennPoint, 1+rng.IntN(60))
		for i := range points {
			x := rng.Float64()
			if trial%2 == 0 {
				x = math.Round(16*x) / 16
			}
			points[i] = vennPoint{stretchedProb(x), rng.Float64() < x}
		}
		o := groupOutcomes(slices.Clone(points), false)
		g := centredFunction(o)
		if err := g.Check(); err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		if last := len(g.X) - 1; last >= 0 && (g.X[0] != o.X[0] || g.X[last] != o.X[len(o.X)-1]) {
			t.Fatalf("trial %d: knots from %v to %v, scores from %v to %v", trial, g.X[0], g.X[last], o.X[0], o.X[len(o.X)-1])
		}
		runs := make([]tieRun, len(points))
		for i, p := range points {
			runs[i] = tieRun{Lo: p.X, Hi: p.X, Weight: 1}
			if p.Hit {
				runs[i].Sum = 1
			}
		}
		flat := regress(runs)
		sum, rows := map[float64]float64{}, map[float64]float64{} // by value of the block
		for _, p := range points {
			y := flat.At(p.X)
			sum[y] += stretch.Prob(p.X)
			rows[y]++
			if got := g.At(p.X); (y == 0 || y == 1) && got != y {
				t.Fatalf("trial %d: g(%v) = %v, want %v", trial, p.X, got, y)
			}
		}
		for y := range sum {
			if got := g.At(stretchedProb(sum[y] / rows[y])); !(math.Abs(got-y) <= 1e-12) {
				t.Fatalf("trial %d: g = %v at the mean of a block of value %v", trial, got, y)
			}
		}
		for i := 1; i < len(g.X); i++ {
			if g.Y[i] == g.Y[i-1] && g.Y[i] != 0 && g.Y[i] != 1 && i > 1 && i < len(g.X)-1 {
				t.Fatalf("trial %d: flat between %v and %v", trial, g.X[i-1], g.X[i])
			}
		}
	}
}
