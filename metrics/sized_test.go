package metrics

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
)

// everything returns the samples of a set with all that metrics read.
func everything(t *testing.T, set *data.Set) *Samples {
	t.Helper()
	probs := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
	for i := range probs.Rows {
		sum := 0.0
		for j, l := range set.Logits.Row(i) {
			probs.Row(i)[j] = math.Exp(float64(l) / 1.5)
			sum += probs.Row(i)[j]
		}
		for j := range probs.Row(i) {
			probs.Row(i)[j] /= sum
		}
	}
	s, err := FromProbs(probs, set)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.CrossFit(context.Background(), probs, 1); err != nil {
		t.Fatal(err)
	}
	uncal, err := FromLogits(set)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Against(uncal); err != nil {
		t.Fatal(err)
	}
	return s
}

// Each metric of a set with whole weights is that of the set in which rows are repeated: that set is what Counted makes. The metrics
// that change if all rows are repeated say that they are sized, and no others do; they refuse weights that are no whole numbers, and
// the others do not change with the unit.
func TestSizedMetricsAreThoseThatChangeWithRepeatedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	const n = 240
	changed := map[string]float64{}
	for _, k := range []int{2, 4} {
		_, set := copied(n, 1, k)
		weights := make([]float64, n)
		var rows []int
		for i := range weights {
			weights[i] = float64(rng.IntN(4))
			for range int(weights[i]) {
				rows = append(rows, i)
			}
		}
		weighted := *set
		weighted.Weights = weights
		counted, err := weighted.Counted(false)
		if err != nil {
			t.Fatal(err)
		}
		repeated := data.Gather(rows, set)
		repeated.Groups = counted.Groups // folds are of groups
		for i := range weights {
			weights[i] /= 4
		}
		fractional, err := weighted.Counted(false)
		if err != nil || fractional.Unit != 4 {
			t.Fatal(fractional.Unit, err)
		}
		for i := range weights {
			weights[i] *= 8
		}
		twice, err := weighted.Counted(false)
		if err != nil {
			t.Fatal(err)
		}
		a, b, c, d := everything(t, counted), everything(t, repeated), everything(t, twice), everything(t, fractional)
		for _, e := range registry {
			x, errX := e.Compute(a, 1)
			y, errY := e.Compute(b, 1)
			z, errZ := e.Compute(c, 1)
			w, errW := e.Compute(d, 1)
			if errX != nil {
				continue // a metric of two classes
			}
			if errY != nil || errZ != nil || !slices.Equal(x, y) {
				t.Errorf("%s: %v and %v of repeated rows (%v, %v)", e.Name, x, y, errY, errZ)
				continue
			}
			for i := range x {
				changed[e.Name] = max(changed[e.Name], math.Abs(x[i]-z[i]))
			}
			if e.Sized != (errW == errUnit) || !e.Sized && (errW != nil || !alikeValues(x, w)) {
				t.Errorf("%s, sized %v, of weights with a unit: %v, want %v (%v)", e.Name, e.Sized, w, x, errW)
			}
		}
	}
	// These take boundaries of equal mass at whole rows, or ranks of n: of repeated rows they are those of finer steps.
	stepped := []string{"aece", "aece_null", "aece_bins", "tace", "aurc"}
	for _, e := range registry {
		if slices.Contains(stepped, e.Name) {
			if e.Sized || changed[e.Name] > 3./n {
				t.Errorf("%s: sized is %v, and repeated rows change it by %.3g", e.Name, e.Sized, changed[e.Name])
			}
			continue
		}
		if e.Sized != (changed[e.Name] > 1e-9) {
			t.Errorf("%s: sized is %v, and repeated rows change it by %.3g", e.Name, e.Sized, changed[e.Name])
		}
	}
}

func alikeValues(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9 {
			return false
		}
	}
	return true
}
