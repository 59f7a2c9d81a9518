package resultstest

import (
	"errors"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// TestRowsAreThoseThatFilesTake: every row passes the checks of its file, by each metric that decides.
func TestRowsAreThoseThatFilesTake(t *testing.T) {
	at := Varied(Setting("e", "d", "b"), results.Variant{Split: 1})
	errs := []error{Skip(at, "ts", "ece", "no logits").Check(), Bin(at, "ts", "width15", 14, 14./15, 1, 9, .95, .9).Check()}
	for _, e := range metrics.Registry() {
		for _, name := range e.Names() {
			if _, output, _ := metrics.LookupOutput(name); output.Lo > .1 || output.Hi < .1 {
				continue
			}
			r := Value(Shifted(at, "fog", 3), "ts", name, .1)
			errs = append(errs, r.Check(), From("simulated", By("mine", r)...)[0].Check(), Pair(at, "ts", "qats", name, .05, -.01, .1).Check())
		}
	}
	if err := errors.Join(errs...); err != nil || len(errs) < 60 {
		t.Errorf("%d rows: %v", len(errs), err)
	}
}

// TestCopiesAreChangedAlone.
func TestCopiesAreChangedAlone(t *testing.T) {
	r := []results.Record{Value(Setting("e", "d", "b"), "ts", "ece", .1)}
	if got := Noted(results.Because("x"), r...); len(got[0].Note) != 1 || r[0].Note != nil {
		t.Errorf("%+v of %+v", got, r)
	}
}
