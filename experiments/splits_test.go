package experiments

import (
	"strings"
	"testing"
)

// TestDrawsHaveTheirOwnFits, and their rows do not depend on the number of workers.
func TestDrawsHaveTheirOwnFits(t *testing.T) {
	w := newWorld(t)
	const text = `
name: t
methods: [uncal, ts, qats]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d, backbone: a, splits: 3}
`
	out, bytes := w.run(text, RunOptions{Workers: 2})
	if out.Failed+out.Skipped != 0 || out.Fitted != 1+2*4 { // uncal sees no calibration rows
		t.Fatalf("%d failed, %d skipped, %d fitted", out.Failed, out.Skipped, out.Fitted)
	}
	values := map[float64]bool{}
	for i, r := range out.Rows.Records {
		if i%3 != 0 {
			continue
		}
		values[r.Value] = true
		if draw := i / 3; draw > 0 && (r.Variant.Split != draw || r.Corruption != "" || !strings.Contains(r.Note.String(), "from their union")) {
			t.Errorf("draw %d is %+v", draw, r)
		}
	}
	if len(values) != 4 {
		t.Errorf("the set and its three draws have %d different ECEs of uncal, want 4", len(values))
	}
	again, same := w.run(text, RunOptions{Workers: 1})
	if again.Fitted != 0 || same != bytes {
		t.Errorf("a second run fits %d, same bytes: %v", again.Fitted, same == bytes)
	}
	if _, fresh := newWorld(t).run(text, RunOptions{Workers: 1}); fresh != bytes {
		t.Error("one worker gives other bytes")
	}
}

// TestPrecomputedProbabilitiesSkipDraws: the rows of a file are never the rows of a
// draw, for any name of the file.
func TestPrecomputedProbabilitiesSkipDraws(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(`
name: t
methods: [uncal, {name: mine, method: precomputed, options: {path: "d/{backbone}/test/logits.npy"}}]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d, backbone: a, splits: 1}
`, false)
	if plain, drawn := plan.Units[0].Cells[1], plan.Units[1].Cells[1]; plain.State != Miss || drawn.State != Skip || !strings.Contains(drawn.Why.String(), "not of redrawn ones") {
		t.Errorf("as it is: %s (%s); redrawn: %s (%s)", plain.State, plain.Why, drawn.State, drawn.Why)
	}
}
