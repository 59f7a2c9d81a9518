package experiments

import (
	"testing"
)

// TestRescaledSettingsShareTheFit: a factor on the test logits makes another setting
// with the fit of the plain one. At factor 1 the numbers are the same.
func TestRescaledSettingsShareTheFit(t *testing.T) {
	w := newWorld(t)
	const text = `
name: t
methods: [uncal, ts]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d, backbone: a, rescale: [0.5, 1]}
`
	out, _ := w.run(text, RunOptions{})
	if out.Failed+out.Skipped != 0 || out.Fitted != 2 {
		t.Fatalf("%+v", out)
	}
	r := out.Rows.Records
	if r[2].Variant.Rescale != 0.5 || r[2].Corruption != "" || r[2].Severity != 0 || r[4].Variant.Rescale != 1 {
		t.Errorf("settings %v and %v", r[2].Setting, r[4].Setting)
	}
	if r[0].Value == r[2].Value || r[0].Value != r[4].Value || r[1].Value != r[5].Value {
		t.Errorf("ECE plain %v %v, times 0.5 %v %v, times 1 %v %v", r[0].Value, r[1].Value, r[2].Value, r[3].Value, r[4].Value, r[5].Value)
	}
}
