package all

import (
	"fmt"
	"math"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/linear"
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
		method calib.Method
		set    *data.Set
		good   bool
	}{
		{calib.TemperatureScaling{}, logits, true}, {calib.TemperatureScaling{}, logProbs, true}, {linear.Vector{}, logits, true}, {linear.Vector{}, logProbs, false},
	} {
		if _, err := calib.Fit(t.Context(), c.method, c.set); (err == nil) != c.good {
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

// A method prints its name, in %v and in messages.
func TestMethodsPrintTheirNames(t *testing.T) {
	for _, e := range Registry() {
		if got := fmt.Sprint(e.Method); got != e.Name {
			t.Errorf("%s prints %s", e.Name, got)
		}
	}
}
