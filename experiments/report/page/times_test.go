package page

import (
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestASharedFitCountsOnce: the corrupted sets of a network share its fit. Two networks
// with the same time have two fits.
func TestASharedFitCountsOnce(t *testing.T) {
	row := func(backbone, corruption string, seconds float64) results.Time {
		return results.Time{Setting: resultstest.Shifted(resultstest.Setting("e", "cifar10", backbone), corruption, 0), Method: "ts", Source: "measured", Seconds: seconds, Known: true, Rows: 500}
	}
	f := &results.Rows{Times: []results.Time{
		row("a", "", .001), row("a", "fog", .001), row("b", "", .001), row("c", "", .008),
		{Setting: results.Setting{Backbone: "d"}, Method: "ts", Source: "measured"},
	}}
	list := timesOf(f, Options{labels: map[string]string{"ts": "TS"}})
	want := timeRow{Method: "TS", Mean: "2.00", Median: "1.00", Least: "1.00", Top: "8.00", Fits: 3, Samples: "500"}
	if len(list) != 1 || len(list[0].Rows) != 1 || list[0].Rows[0] != want || list[0].Note != "1 cell without a time." {
		t.Errorf("%+v, want %+v", list, want)
	}
}

// TestSimulatedTimesAloneAreShown.
func TestSimulatedTimesAloneAreShown(t *testing.T) {
	f := &results.Rows{Times: []results.Time{{Method: "ts", Source: "measured"}, {Method: "ts", Source: "simulated", Seconds: .001, Known: true}}}
	if list := timesOf(f, Options{labels: map[string]string{"ts": "TS"}}); len(list) != 1 || list[0].Source != "simulated" || list[0].Rows[0].Samples != "none" {
		t.Errorf("%+v", list)
	}
}
