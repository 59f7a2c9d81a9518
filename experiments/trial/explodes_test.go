package trial

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

// longTail returns n rows of k classes of which the first is e^3 times as frequent as the last, from a network
// that is too confident and has not learnt the rare classes.
func longTail(seed uint64, n, k int) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 11))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	frequent := func() int {
		for {
			if j := rng.IntN(k); rng.Float64() < math.Exp(-3*float64(j)/float64(k)) {
				return j
			}
		}
	}
	for i := range n {
		y := frequent()
		set.Labels[i] = int32(y)
		row := set.Logits.Row(i)
		for j := range row {
			row[j] = float32(2*rng.NormFloat64() - 2*float64(j)/float64(k))
		}
		row[y] += 6
	}
	return set
}

// With many classes and few rows of each, quadratic is no candidate, the ridge is one, and the test rows
// show that this is right. It does not depend on the score that chooses.
func TestAMethodThatExplodesIsNoCandidate(t *testing.T) {
	cal, test := longTail(1, 350, 32), longTail(2, 1000, 32)
	for _, by := range Choices() {
		got := runOf(t, inputOf(t, cal, test), by, "quadratic", "quadratic-ridge", "svs", "ets")
		if r := got.Of("quadratic"); r.Excluded != Explodes || r.Instead() != "quadratic-ridge" || !(r.NLL > got.Of(Reference).NLL+MostAbove) {
			t.Errorf("by %s: quadratic: %q, test NLL %v, of ts %v", by, r.Excluded, r.NLL, got.Of(Reference).NLL)
		}
		if r := got.Of("quadratic-ridge"); r.Excluded == Explodes || r.NLL > got.Of(Reference).NLL+.1 {
			t.Errorf("by %s: quadratic-ridge: %q, test NLL %v", by, r.Excluded, r.NLL)
		}
		for i := range got.Results {
			r := &got.Results[i]
			ts, err := metrics.NLL(got.Of(Reference).cross)
			if err != nil {
				t.Fatal(err)
			}
			v, err := metrics.NLL(r.cross)
			if err != nil {
				t.Fatal(err)
			}
			if (r.Excluded == Explodes) != (v > ts+1) {
				t.Errorf("by %s: %s: %q at %v, ts at %v", by, r.Method.Name, r.Excluded, v, ts)
			}
		}
		if got.Chosen().Excluded != "" {
			t.Errorf("by %s: chosen %s", by, got.Chosen().Method.Name)
		}
	}
}

// No calibration is always a candidate: a network that is sure and wrong is what the others mend.
func TestNoCalibrationDoesNotExplode(t *testing.T) {
	cal := drawn(3, 400, 4, 12)
	got := runOf(t, inputOf(t, cal, nil), ByNLL)
	if plain := got.Of(Plain); plain.Excluded != "" || plain.Choice < got.Of(Reference).Choice+MostAbove {
		t.Errorf("%q, NLL %v, of ts %v", plain.Excluded, plain.Choice, got.Of(Reference).Choice)
	}
}

// A trial for which no methods are asked has those for its data.
func TestRecommendedMethodsByTheData(t *testing.T) {
	for k, want := range map[int]string{2: "@recommended-2", 3: "@recommended"} {
		if got := inputOf(t, drawn(1, 50, k, 1), nil).Recommended(); got != want {
			t.Errorf("%d classes: %s", k, got)
		}
	}
	alone := &data.Set{Confidence: []float64{.5, .75}, Labels: []int32{0, 1}}
	if got := (&Input{Cal: &Set{Set: alone}}).Recommended(); got != "@confidence" {
		t.Errorf("a confidence alone: %s", got)
	}
}
