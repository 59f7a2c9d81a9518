package metrics

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/data"
)

// Tables that no program of ours makes are errors, also where rows and classes multiply to
// the right number.
func TestTablesOfAnotherLengthAreRefused(t *testing.T) {
	labels := []int32{0, 1}
	for _, c := range []struct{ n, k, numbers int }{{2, 2, 3}, {3, 2, 4}, {-2, -2, 4}, {2, 0, 0}, {math.MaxInt/2 + 1, 4, 0}, {2, math.MaxInt/2 + 1, 0}} {
		probs := data.Probs{Rows: c.n, Cols: c.k, Data: make([]float64, c.numbers)}
		logits := data.Matrix{Rows: c.n, Cols: c.k, Data: make([]float32, c.numbers)}
		if _, err := FromProbs(probs, &data.Set{Labels: labels}); err == nil {
			t.Errorf("FromProbs takes %+v", c)
		}
		if _, err := FromLogits(&data.Set{Logits: logits, Labels: labels}); err == nil {
			t.Errorf("FromLogits takes %+v", c)
		}
		if _, err := CrossFit(t.Context(), probs, labels, 1); err == nil {
			t.Errorf("CrossFit takes %+v", c)
		}
	}
}

func TestCrossFitNamesTheRowAndClassAtFault(t *testing.T) {
	table := func(v float64) data.Probs { return data.Probs{Rows: 2, Cols: 2, Data: []float64{.5, .5, v, .5}} }
	for _, c := range []struct {
		probs  data.Probs
		labels []int32
		want   string
	}{
		{table(math.NaN()), []int32{0, 1}, "cross-validation: row 1, class 0: NaN is no probability"},
		{table(math.Inf(1)), []int32{0, 1}, "cross-validation: row 1, class 0: +Inf is no probability"},
		{table(-1), []int32{0, 1}, "cross-validation: row 1, class 0: -1 is no probability"},
		{table(.5), []int32{0, 2}, "cross-validation: row 1: label 2, but the classes are 0 to 1"},
		{table(.5), []int32{-1, 0}, "cross-validation: row 0: label -1, but the classes are 0 to 1"},
		{table(.5), []int32{0}, "cross-validation: 2 x 2 probabilities with 4 numbers, but 1 labels"},
	} {
		if _, err := CrossFit(t.Context(), c.probs, c.labels, 1); err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}
