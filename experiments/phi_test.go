package experiments

import (
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// TestPHIComparesWithTheUncalibratedCell, whatever its name, also where its scores are
// in the store already.
func TestPHIComparesWithTheUncalibratedCell(t *testing.T) {
	w := newWorld(t)
	const settings = "name: t\nsettings: [{dataset: d, backbone: a}]\n"
	w.run(settings+"methods: [{name: raw, method: uncal}]\nmetrics: [ece]\n", RunOptions{Workers: 1})
	spec := settings + "methods: [ts, {name: raw, method: uncal}, qats]\nbaseline: raw\nmetrics: [nll, brier, accuracy, phi]\nintervals: [accuracy, phi]\n"
	out, _ := w.run(spec, RunOptions{Workers: 1})
	value := map[[2]string]float64{}
	for _, r := range out.Rows.Records {
		if r.Status != results.OK {
			t.Errorf("%s %s: %s", r.Method, r.Metric, r.Note)
		}
		value[[2]string{r.Method, r.Metric}] = r.Value
	}
	for _, method := range []string{"ts", "raw", "qats"} {
		for _, score := range []string{"nll", "brier"} {
			got, want := value[[2]string{method, "phi_" + score}], value[[2]string{"raw", score}]-value[[2]string{method, score}]
			if !(math.Abs(got-want) <= 1e-14) {
				t.Errorf("%s: PHI of %s %g, want %g", method, score, got, want)
			}
		}
	}
	var names []string
	for _, p := range out.Rows.Pairs {
		if p.Method != "ts" {
			continue
		}
		names = append(names, p.Metric)
		if p.Metric == "phi_nll" && !(math.Abs(p.Difference-value[[2]string{"ts", "phi_nll"}]) <= 1e-12) {
			t.Errorf("difference %g", p.Difference)
		}
		if p.Interval == metrics.Normal && !(p.Lo <= p.Difference && p.Difference <= p.Hi) {
			t.Errorf("%+v", p)
		}
	}
	if want := []string{"ece", "aece", "nll", "brier", "accuracy", "phi_nll", "phi_brier"}; !slices.Equal(names, want) {
		t.Errorf("pairs of %v, want %v", names, want)
	}
	again, _ := w.run(spec, RunOptions{Workers: 1})
	if again.Fitted != 0 || again.Scored != 0 {
		t.Errorf("again: %d fits, %d scored", again.Fitted, again.Scored)
	}
}

// The order of the intervals' key texts: a spec without intervals has the texts that it
// had before there were any.
func TestIntervalsBelongToTheKeyOfPairs(t *testing.T) {
	w := newWorld(t)
	const spec = "name: t\nsettings: [{dataset: d, backbone: a}]\nmethods: [uncal, ts]\nmetrics: [ece, accuracy, phi]\n"
	plain := w.plan(spec, false).Units[0].Cells[0]
	more := w.plan(spec+"intervals: [accuracy]\n", false).Units[0].Cells[0]
	if plain.pair == more.pair || plain.scores != more.scores {
		t.Error("intervals change the wrong key")
	}
}
