package spec_test

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
)

// parse reads a spec that must have no mistake.
func parse(t *testing.T, text string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse("t.yaml", []byte(text), known)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestComparedHasOnlyTheNamedParts: a comparison gets the named methods and
// metrics, the redrawn splits, and nothing else; the spec does not change.
func TestComparedHasOnlyTheNamedParts(t *testing.T) {
	s := parse(t, `
name: t
methods: [uncal, ts, {name: other, method: qats-pw, options: {segments: 2}}]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d-c, backbone: a, corruption: fog, severity: 1, calibrate_on: d}
tables: []
`)
	c, err := s.Compared(spec.Comparing{Methods: []string{"ir", "other"}, Against: "qats", Metrics: []string{"ece", "nll"}, Splits: 2}, known)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range c.Methods {
		got = append(got, m.Name)
	}
	if strings.Join(got, " ") != "ir other qats" || c.Baseline != "qats" || c.Methods[1].Options != s.Methods[2].Options {
		t.Errorf("methods %v against %s, options %q", got, c.Baseline, c.Methods[1].Options)
	}
	if len(c.Metrics) != 2 || c.Metrics[1].Name != "nll" || len(s.Metrics) != 1 {
		t.Errorf("%d metrics, and %d in the spec", len(c.Metrics), len(s.Metrics))
	}
	if len(c.Settings) != 4 || len(s.Settings) != 2 || c.Settings[3].Variant.Split != 2 || c.Settings[3].Corruption != "" || c.Settings[2].Test() != s.Settings[0].Test() {
		t.Errorf("settings %v", c.Settings)
	}
	all, err := s.Compared(spec.Comparing{Against: "ts"}, known)
	if err != nil || len(all.Methods) != 3 || len(all.Settings) != 2 {
		t.Errorf("all: %+v, %v", all, err)
	}
	for _, bad := range []spec.Comparing{{Methods: []string{"tss"}, Against: "ts"}, {Against: "nobody"}, {Against: "ts", Metrics: []string{"none"}}} {
		if _, err := s.Compared(bad, known); err == nil {
			t.Errorf("%+v has no error", bad)
		}
	}
	// A registered method is the same as in a spec that names it.
	direct := parse(t, "name: t\nmethods: [ir]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n").Methods[0]
	if c.Methods[0].Options != direct.Options || c.Methods[0].Label != direct.Label {
		t.Errorf("%+v, in a spec %+v", c.Methods[0], direct)
	}
}
