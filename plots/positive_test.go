package plots

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
)

// The diagrams of a positive class are of its bins, and say so.
func TestReliabilityOfThePositiveClass(t *testing.T) {
	in := Input{Bins: testBins("ts"), Positive: "class 1"}
	if _, err := Reliability(in); err == nil {
		t.Error("drawn from the bins of the prediction")
	}
	for _, b := range testBins("ts") {
		if b.Binning == metrics.Width15 {
			b.Binning = metrics.Positive15
			in.Bins = append(in.Bins, b)
		}
	}
	f, err := Reliability(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Share of class 1 against probability of class 1 in 15 bins"; !strings.HasPrefix(f.Caption, want) {
		t.Errorf("%s, want %s", f.Caption, want)
	}
	text, err := ReliabilityText(in, 80)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "0 probability of class 1     1") {
		t.Error(text)
	}
}
