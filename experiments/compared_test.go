package experiments

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestSplits: a draw is a setting of its own with a fit of its own, and its rows
// do not depend on the number of workers.
func TestSplits(t *testing.T) {
	w := newWorld(t)
	const spec = `
name: t
methods: [uncal, ts, qats]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d, backbone: a, splits: 3}
`
	out, bytes := w.run(spec, RunOptions{Workers: 2})
	if out.Failed+out.Skipped != 0 || out.Fitted != 1+2*4 { // uncal sees no calibration rows
		t.Fatalf("%d failed, %d skipped, %d fitted", out.Failed, out.Skipped, out.Fitted)
	}
	values := map[float64]bool{}
	for i, r := range out.Rows.Records {
		if i%3 != 0 {
			continue
		}
		values[r.Value] = true
		if draw := i / 3; draw > 0 && (r.Corruption != results.Split || r.Severity != draw || !strings.Contains(r.Note, "from their union")) {
			t.Errorf("draw %d is %+v", draw, r)
		}
	}
	if len(values) != 4 {
		t.Errorf("the set and three draws of it have %d ECEs of uncal", len(values))
	}
	again, same := w.run(spec, RunOptions{Workers: 1})
	if again.Fitted != 0 || same != bytes {
		t.Errorf("a second run fits %d, same bytes: %v", again.Fitted, same == bytes)
	}
	if _, fresh := newWorld(t).run(spec, RunOptions{Workers: 1}); fresh != bytes {
		t.Error("one worker gives other bytes")
	}
}

// TestSplitsOfPrecomputed: the rows of a file are not those of a draw, whatever
// the file is called.
func TestSplitsOfPrecomputed(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(`
name: t
methods: [uncal, {name: mine, method: precomputed, options: {path: "d/{backbone}/test/logits.npy"}}]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d, backbone: a, splits: 1}
`, false)
	if plain, drawn := plan.Units[0].Cells[1], plan.Units[1].Cells[1]; plain.State != Miss || drawn.State != Skip || !strings.Contains(drawn.Why, "not of redrawn ones") {
		t.Errorf("as it is: %s (%s); redrawn: %s (%s)", plain.State, plain.Why, drawn.State, drawn.Why)
	}
}

// TestCompared: what a comparison asks of a spec, and no more.
func TestCompared(t *testing.T) {
	w := newWorld(t)
	specs := w.plan(`
name: t
methods: [uncal, ts, {name: other, method: qats-pw, options: {segments: 2}}]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d-c, backbone: a, corruption: fog, severity: 1, calibrate_on: d}
tables: []
`, false)
	spec := specs.Units[0].Spec
	c, err := spec.Compared(Comparing{Methods: []string{"ir", "other"}, Against: "qats", Metrics: []string{"ece", "nll"}, Splits: 2}, known())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range c.Methods {
		got = append(got, m.Name)
	}
	if strings.Join(got, " ") != "ir other qats" || c.Baseline != "qats" || c.Methods[1].Options != spec.Methods[2].Options {
		t.Errorf("methods %v against %s, options %q", got, c.Baseline, c.Methods[1].Options)
	}
	if len(c.Metrics) != 2 || c.Metrics[1].Name != "nll" || len(spec.Metrics) != 1 {
		t.Errorf("metrics %v; those of the spec %v", c.outputs(), spec.outputs())
	}
	if len(c.Settings) != 4 || len(spec.Settings) != 2 || c.Settings[3].Draw != 2 || c.Settings[3].Corruption != results.Split || c.Settings[2].Test() != spec.Settings[0].Test() {
		t.Errorf("settings %v", c.Settings)
	}
	all, err := spec.Compared(Comparing{Against: "ts"}, known())
	if err != nil || len(all.Methods) != 3 || len(all.Settings) != 2 {
		t.Errorf("all: %+v, %v", all, err)
	}
	for _, bad := range []Comparing{{Methods: []string{"tss"}, Against: "ts"}, {Against: "nobody"}, {Against: "ts", Metrics: []string{"none"}}} {
		if _, err := spec.Compared(bad, known()); err == nil {
			t.Errorf("%+v has no error", bad)
		}
	}
	// What a registered method gets is what a spec that names it gets.
	direct := w.plan("name: t\nmethods: [ir]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n", false).Units[0].Spec.Methods[0]
	if c.Methods[0].Options != direct.Options || c.Methods[0].Label != direct.Label {
		t.Errorf("%+v, in a spec %+v", c.Methods[0], direct)
	}
}
