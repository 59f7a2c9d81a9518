package calib

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// Log-probabilities serve methods that do not use the offset of a row, and true logits
// those that do.
func TestOnlyMethodsThatNeedTrueLogitsRejectLogProbabilities(t *testing.T) {
	logits := testset.Drawn(40, 3, 2, 1)
	logProbs := testset.Drawn(40, 3, 2, 1)
	for i := range 40 {
		row := logProbs.Logits.Row(i)
		sum := 0.0
		for _, l := range row {
			sum += math.Exp(float64(l))
		}
		for j, l := range row {
			row[j] = float32(float64(l) - math.Log(sum))
		}
	}
	for _, c := range []struct {
		method Method
		set    *data.Set
		good   bool
	}{
		{TemperatureScaling{}, logits, true}, {TemperatureScaling{}, logProbs, true}, {VectorScaling{}, logits, true}, {VectorScaling{}, logProbs, false},
	} {
		if _, err := Fit(t.Context(), c.method, c.set); (err == nil) != c.good {
			t.Errorf("%T, log-probabilities %v: %v", c.method, data.LogProbs(c.set.Logits), err)
		}
	}
}

func TestAliasesAreTheCallersOwn(t *testing.T) {
	first, _ := Lookup("qats")
	first.Aliases[0] = ""
	if again, _ := Lookup("qats"); again.Aliases[0] == "" {
		t.Error("a change to the aliases of one entry changes those of the next")
	}
}

// A stream serves only if there is no calibration set in memory.
func TestRowsInMemoryComeBeforeAStream(t *testing.T) {
	set, other := testset.Drawn(40, 3, 2, 1), testset.StreamOf(testset.Drawn(40, 3, 1, 2))
	got := fitOn(t, "ts", Input{Cal: set, Stream: other}, nil).Map
	if want := fitMethod(t, "ts", set, nil).Map; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if k := (Input{Stream: other}).Classes(); k != 3 {
		t.Errorf("%d classes of a stream, want 3", k)
	}
	if k := (Input{}).Classes(); k != 0 {
		t.Errorf("%d classes without rows", k)
	}
}

// A map without logits in its contract serves sets that have none; others are checked.
func TestMapsOfSomeClassesAcceptSetsWithoutLogits(t *testing.T) {
	m := vsMap{V: []float64{1, 1}, B: []float64{0, 0}}
	for k, good := range map[int]bool{0: true, 2: true, 3: false} {
		if err := CheckSet(m, &data.Set{Logits: data.NewMatrix(1, k)}); (err == nil) != good {
			t.Errorf("%d classes: %v", k, err)
		}
	}
}
