package calib

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/qats-bench/qats/calib/internal/isotonic"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/internal/stretch"
)

// With two classes one-vs-rest is the binary method: the two functions are mirrored,
// so the row needs no division.
func TestTwoClassesAreOneBinaryProblem(t *testing.T) {
	set := testset.Drawn(300, 2, 2, 3)
	for _, name := range []string{"platt", "platt-logits"} {
		m := fitMethod(t, name, set, nil).Map.(plattMap)
		offset := -m.B[0]
		if name == "platt" {
			offset -= m.A[0] // p of class 0 is 1 - p of class 1
		}
		if !(math.Abs(m.A[0]-m.A[1]) <= 1e-9) || !(math.Abs(offset-m.B[1]) <= 1e-9) {
			t.Errorf("%s: a = %v, b = %v", name, m.A, m.B)
		}
	}
	rest := applied(fitMethod(t, "ivap", set, nil).Map, set.Logits)
	e, _ := Lookup("ivap")
	m, err := e.With(func(all []Option) error { return all[0].Set(oneVsOne) })
	if err != nil {
		t.Fatal(err)
	}
	if one := applied(fitted(t, m, set), set.Logits); !testset.Near(rest.Data, one.Data, 1e-12) {
		t.Error("ivap: one-vs-rest and one-vs-one differ")
	}
}

// The score of a class is the log odds of its probability, without cancellation where
// the probability rounds to 1.
func TestScoresAreLogOdds(t *testing.T) {
	set := testset.Drawn(50, 4, 1, 7)
	copy(set.Logits.Row(0), []float32{60, 0, 0, -5})
	copy(set.Logits.Row(1), []float32{2, 2, -800, -900})
	rows := newClassScores(set.Logits, scoreLogOdds)
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

// The new confidence of a row is the mean over the rows of its bin, so the mean over
// all rows is that of the sigmoid, which is the accuracy at the minimum of the loss.
func TestScalingBinningKeepsTheMean(t *testing.T) {
	set := testset.Drawn(503, 5, 2, 9)
	m := fitMethod(t, "scaling-binning-top", set, map[string]int{"bins": 7}).Map.(topScalingBinningMap)
	_, conf := TopLabels(m, set)
	rows, err := topRows(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	mean, hits, size := 0.0, 0.0, map[float64]int{}
	for i, r := range rows {
		mean += conf[i]
		size[conf[i]]++
		if r.hit {
			hits++
		}
	}
	if !(math.Abs(mean-hits) <= 1e-6) {
		t.Errorf("mean confidence %v, accuracy %v", mean/503, hits/503)
	}
	if len(size) != 7 {
		t.Errorf("%d values, want 7", len(size))
	}
	for v, n := range size {
		if n != 71 && n != 72 {
			t.Errorf("bin of value %v has %d rows, want 71 or 72", v, n)
		}
	}
}

// Ties can leave a bin without rows; it has its centre.
func TestScalingBinningWithTies(t *testing.T) {
	s, _ := fitBinnedSigmoid([]float64{-1, -1, -1, -1, 2, 2}, []bool{true, false, false, false, true, false}, 3)
	low, high := stretch.Prob(s.sigmoid(-1)), stretch.Prob(s.sigmoid(2))
	tie, middle := stretch.Logits.End(s.sigmoid(-1)), (low+high)/2
	if !testset.Near(s.Edges, []float64{tie, stretch.Of(middle, 1-middle)}, 1e-15) ||
		!testset.Near(s.Values, []float64{low, (stretch.Prob(tie) + middle) / 2, high}, 1e-15) {
		t.Errorf("%+v, sigmoid %v and %v", s, low, high)
	}
}

// Merging is by geometric means: of one fold twice it is the inductive predictor.
func TestEqualFoldsChangeNothing(t *testing.T) {
	set := testset.Drawn(100, 3, 2, 4)
	m := fitMethod(t, "ivap", set, nil).Map.(vennAbersMap)
	m.Folds = [][]isotonic.Outcomes{m.Folds[0], m.Folds[0]}
	two := m.prepared()
	if got, want := applied(two, set.Logits), applied(fitMethod(t, "ivap", set, nil).Map, set.Logits); !testset.Near(got.Data, want.Data, 0) {
		t.Error("two equal folds change the probabilities")
	}
}

func BenchmarkFitOneVsRest(b *testing.B) {
	for _, name := range []string{"ivap", "cvap", "cir", "platt", "platt-logits", "quadratic", "scaling-binning", "scaling-binning-top", "hb-mass"} {
		set := testset.Simulated(5000, 100, 5, 1.6, 1)
		b.Run(fmt.Sprintf("method=%s/n=5000/k=100", name), func(b *testing.B) {
			for b.Loop() {
				fitMethod(b, name, set, nil)
			}
		})
	}
}

// A class that the network gives about 1e-26 on every row, and that occurs, has a model
// that can be read again.
func TestSigmoidsOfTinyProbabilitiesAreInRange(t *testing.T) {
	set := testset.Drawn(200, 3, 1, 5)
	for i := range set.Logits.Rows {
		set.Logits.Row(i)[2] -= 60
	}
	set.Labels[0], set.Labels[1] = 2, 2
	for _, name := range []string{"platt", "platt-logits", "quadratic", "scaling-binning"} {
		if err := fitMethod(t, name, set, nil).Map.(interface{ Check() error }).Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Scores, outcomes and the NLL do not depend on how many classes are in memory at a time.
// A row whose new values are all 0 is uniform.
func TestClassesInPartsAreThoseAtOnce(t *testing.T) {
	const n, k = 40, 7
	set := testset.Drawn(n, k, 1, 1)
	probs := applied(temperatureMap{1}, set.Logits)
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
			nll, err := classesInParts(t.Context(), set, scoreProb, width, func(class int, f []float64, positive []bool) {
				mu.Lock()
				defer mu.Unlock()
				seen[class]++
				for i := range n {
					if f[i] != probs.Row(i)[class] || positive[i] != (int(set.Labels[i]) == class) {
						t.Errorf("%d at a time, class %d, row %d: %v %v", width, class, i, f[i], positive[i])
					}
				}
				replace(f, class, at)
			})
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
