package shares

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics/scoring"
)

// skewed returns n rows of three classes with a mean probability of .5, .3 and .2, and labels with other
// shares, unless right is set.
func skewed(n int, right bool) (data.Probs, []int32) {
	probs, labels := data.NewProbs(n, 3), make([]int32, n)
	for i := range n {
		copy(probs.Row(i), []float64{.5, .3, .2})
		switch at := i % 10; {
		case right && at >= 8, !right && at >= 9:
			labels[i] = 2
		case at >= 5:
			labels[i] = 1
		}
	}
	return probs, labels
}

func TestSharesThatAreOffAreNamed(t *testing.T) {
	for _, right := range []bool{true, false} {
		tally := scoring.NewShareTally(3)
		tally.Add(skewed(1000, right))
		of := Of(tally)
		if of.Tested != 3 {
			t.Errorf("%d of 3 are tested", of.Tested)
		}
		w, off := of.Warning("ir", nil)
		if off == right || (of.P < .05) == right {
			t.Errorf("right %v: %+v", right, of)
		}
		if right {
			continue
		}
		if got := of.Classes(); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("classes %v", got)
		}
		want := "class 1 has a mean probability of 0.3 and a share of 0.4 and class 2 has a mean probability of 0.2 and a share of 0.1"
		if got := w.String(); got != want+": vs and platt-logits can move shares" {
			t.Error(got)
		}
		if w, _ := of.Warning("ts", calib.Temperature{T: 2}); w.String() != want+": one temperature cannot move shares; vs and platt-logits can" {
			t.Error(w)
		}
		if w, _ := of.Warning("vs", nil); w.String() != want {
			t.Error(w)
		}
	}
}

func TestSharesOfNoRowsAreNotTested(t *testing.T) {
	for _, tally := range []*scoring.ShareTally{nil, scoring.NewShareTally(3)} {
		of := Of(tally)
		if _, off := of.Warning("ts", nil); off || of.Tested != 0 || of.P != 1 {
			t.Errorf("%+v", of)
		}
	}
}
