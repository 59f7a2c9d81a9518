package onevsrest

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// The score of a class is the log odds of its probability, without cancellation where
// the probability rounds to 1.
func TestScoresAreLogOdds(t *testing.T) {
	set := testset.Drawn(50, 4, 1, 7)
	copy(set.Logits.Row(0), []float32{60, 0, 0, -5})
	copy(set.Logits.Row(1), []float32{2, 2, -800, -900})
	rows := newClassScores(set.Logits, ScoreLogOdds)
	for i := range set.Logits.Rows {
		row := set.Logits.Row(i)
		for j, got := range rows.write(make([]float64, 4), i, 0, 4) {
			rest := 0.0
			for c, other := range row {
				if c != j {
					rest += math.Exp(float64(other) - float64(row[j]))
				}
			}
			want := min(max(-math.Log(rest), -mostLogOdds), mostLogOdds)
			if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
				t.Errorf("row %d, class %d: %v, want %v", i, j, got, want)
			}
		}
	}
}

// Scores, outcomes and the NLL do not depend on how many classes are in memory at a time.
// A row whose new values are all 0 is uniform.
func TestClassesInPartsAreThoseAtOnce(t *testing.T) {
	const n, k = 40, 7
	set := testset.Drawn(n, k, 1, 1)
	probs := calibtest.Apply(calib.Temperature{T: 1}, set.Logits)
	for _, zero := range []bool{false, true} {
		at := func(class int, f float64) float64 {
			if zero {
				return 0
			}
			return f * float64(1+class)
		}
		want := 0.0
		for i, y := range set.Labels {
			own, sum := 0.0, 0.0
			for j, p := range probs.Row(i) {
				sum += at(j, p)
				if j == int(y) {
					own = at(j, p)
				}
			}
			if zero {
				own, sum = 1, k
			}
			want -= math.Log(own/sum) / n
		}
		for width := 1; width <= k+1; width++ {
			var mu sync.Mutex
			seen := make([]int, k)
			own, err := classesInParts(t.Context(), set, ScoreProb, width, func(class int, f []float64, positive []bool) {
				mu.Lock()
				defer mu.Unlock()
				seen[class]++
				for i := range n {
					if f[i] != probs.Row(i)[class] || positive[i] != (int(set.Labels[i]) == class) {
						t.Errorf("%d at a time, class %d, row %d: %v %v", width, class, i, f[i], positive[i])
					}
				}
				for i, v := range f {
					f[i] = at(class, v)
				}
			})
			nll := 0.0
			for _, p := range own {
				nll -= math.Log(p) / n
			}
			if err != nil || !(math.Abs(nll-want) <= 1e-14*(1+want)) || slices.Min(seen) != 1 || slices.Max(seen) != 1 {
				t.Errorf("%d at a time: NLL %v (%v), want %v; calls %v", width, nll, err, want, seen)
			}
		}
	}
}

// Few rows have all classes in one part. However many rows there are, a fit takes at most
// 16 passes over the logits.
func TestClassesHaveFewParts(t *testing.T) {
	for _, c := range []struct{ n, k, want int }{
		{1, 2, mostScores}, {5000, 100, 838}, {50_000, 1000, 83}, {1_000_000, 1000, 63}, {mostScores + 1, 128, 8}, {mostScores + 1, 129, 9},
	} {
		if got := classesAtOnce(c.n, c.k); got != c.want || (c.k+got-1)/got > 16 {
			t.Errorf("%d rows of %d classes: %d at a time, want %d", c.n, c.k, got, c.want)
		}
	}
}
