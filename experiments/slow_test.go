package experiments

import (
	"testing"
	"time"

	"github.com/qats-bench/qats/calib/all"
)

// One fit serves three test sets, and a fit that the store has takes no time.
func TestSlowCountsFitsThatAreMade(t *testing.T) {
	w := newWorld(t)
	const text = `name: t
methods: [ts, sms, dirichlet, featclip]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}
`
	e, _ := all.Lookup("sms")
	least := FitTime(e, 300, 5)
	slow, err := w.plan(text, false).Slow(t.Context(), least)
	if err != nil {
		t.Fatal(err)
	}
	if len(slow) != 2 || slow[0].Name != "dirichlet" || slow[1].Name != "sms" || slow[0].Fits != 1 || slow[1].CPU != least {
		t.Errorf("slow methods %+v, want dirichlet and sms, one fit each", slow)
	}
	w.run(text, RunOptions{})
	if slow, err = w.plan(text, false).Slow(t.Context(), 0); err != nil || len(slow) != 0 {
		t.Errorf("after the run: %+v, %v", slow, err)
	}
	if slow, err = w.plan(text, true).Slow(t.Context(), least); err != nil || len(slow) != 2 {
		t.Errorf("a fresh run: %+v, %v", slow, err)
	}
}

// A fit with 100 classes is measured to take much longer than its passes with 10 would say.
func TestFitTimeFollowsTheClasses(t *testing.T) {
	e, _ := all.Lookup("h-calibration")
	few, many := FitTime(e, 5000, 10), FitTime(e, 5000, 100)
	if few > 10*time.Second || many < SlowFit {
		t.Errorf("h-calibration on 5,000 rows: %v with 10 classes, %v with 100", few, many)
	}
}
