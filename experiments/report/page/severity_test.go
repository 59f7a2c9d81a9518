package page

import (
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestMeansOverCorruptionsAreOfAll: the mean and the quartiles of each severity, and none of a
// method that lacks a corruption there.
func TestMeansOverCorruptionsAreOfAll(t *testing.T) {
	f := &results.Rows{}
	add := func(method, corruption string, severity int, x float64) {
		f.Records = append(f.Records, resultstest.Value(resultstest.Shifted(resultstest.Setting("e", "a-c", "net"), corruption, severity), method, "ece", x))
	}
	for i, c := range []string{"fog", "snow", "blur"} {
		add("ts", c, 1, .1+.1*float64(i))
		add("ts", c, 3, .4)
		if i < 2 {
			add("qats", c, 1, .5)
		}
		add("qats", c, 3, .25*float64(i))
	}
	d := pack(f, func(m string) string { return m })
	if len(d.Corrupted) != 1 || d.Corrupted[0].Name != "e/a-c/net/ce" || len(d.Corrupted[0].Corruptions) != 3 {
		t.Fatalf("%+v", d.Corrupted)
	}
	var got string
	for _, row := range d.Corrupted[0].Means["ece"] {
		got += string(row)
	}
	if want := "[0,1,0.2,0.15,0.25][0,3,0.4,0.4,0.4][1,3,0.25,0.125,0.375]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
