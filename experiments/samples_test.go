package experiments

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestSamplesReachTheRows: what the spec states about test samples counts before what the
// manifest states, and digests of row ids are those of the manifest.
func TestSamplesReachTheRows(t *testing.T) {
	ids := strings.Repeat("0a", 32)
	w := newWorld(t)
	w.manifest("sets: [{set: d/a, samples: photos, row-ids: " + ids + "}]\n")
	const text = "name: t\nmethods: [uncal]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n"
	for samples, want := range map[string]string{"": "photos", "samples: {d: cifar10-jpeg}\n": "cifar10"} {
		out, _ := w.run(text+samples, RunOptions{})
		r := out.Rows.Records[0]
		if name, by := r.Samples(); r.Status != results.OK || name != want || by != results.ByStatement || r.RowIDs() != ids {
			t.Errorf("%q: %s by %s, ids %q (%s: %s)", samples, name, by, r.RowIDs(), r.Status, r.Note)
		}
	}
}
