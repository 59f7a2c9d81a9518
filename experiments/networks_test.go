package experiments

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// declared returns the networks of the project.
func declared(t *testing.T) *networks {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(NetworksFile)))
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseNetworks("networks.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNetworksHaveThePublishedECE: what is not declared comes from the paper.
func TestNetworksHaveThePublishedECE(t *testing.T) {
	all := declared(t)
	for _, c := range []struct {
		ref  data.Ref
		ece  float64
		name string
	}{
		{data.Ref{Dataset: "cifar10", Backbone: "resnet50", Loss: "ce"}, 0.0171, "cifar10/resnet50"},
		{data.Ref{Dataset: "ham10000", Backbone: "vit-s16", Loss: "ce"}, 0.0977, "ham10000/vit-s16"},
		{data.Ref{Dataset: "cifar100", Backbone: "resnet50", Loss: "brier"}, 0.0554, "cifar100/resnet50/brier"},
		{data.Ref{Dataset: "cifar100-lt-r100-balanced", Backbone: "vit-b16", Loss: "ce"}, 0.5251, "cifar100-lt-r100/vit-b16"},
	} {
		w, ok := all.lookup(c.ref)
		if !ok || w.ECE != c.ece || w.Name != c.name {
			t.Errorf("%v: %q with ECE %v, want %q with %v", c.ref, w.Name, w.ECE, c.name, c.ece)
		}
	}
	clean, _ := all.lookup(data.Ref{Dataset: "cifar100", Backbone: "vit-b16", Loss: "ce"})
	last := clean.Accuracy
	for severity := 1; severity <= 5; severity++ {
		w, ok := all.lookup(data.Ref{Dataset: "cifar100-c", Backbone: "vit-b16", Loss: "ce", Corruption: "gaussian_noise", Severity: severity})
		if !ok || w.Name != clean.Name || w.ECE != clean.ECE || !(w.Shift.Accuracy < last) {
			t.Errorf("severity %d: %+v", severity, w)
		}
		last = w.Shift.Accuracy
	}
	for _, ref := range []data.Ref{
		{Dataset: "cifar100-c", Backbone: "vit-b16", Loss: "ce", Corruption: "rain", Severity: 1},
		{Dataset: "cifar100", Backbone: "resnet99", Loss: "ce"},
		{Dataset: "cifar10", Backbone: "resnet50", Loss: "focal"},
	} {
		if w, ok := all.lookup(ref); ok {
			t.Errorf("%v is %+v", ref, w)
		}
	}
}

func TestBadNetworks(t *testing.T) {
	for src, want := range map[string]string{
		"width: 8\n": "n.yaml:1:1: no networks are declared",
		"networks:\n  - {dataset: a, klasses: 3}\n":          `n.yaml:2:18: unknown key "klasses" in a network (did you mean classes?)`,
		"networks:\n  - {classes: 3}\n":                      "n.yaml:2:5: a network needs its dataset",
		"networks:\n  - {dataset: a, classes: few}\n":        `n.yaml:2:27: classes "few": must be a whole number of at least 0`,
		"networks:\n  - {dataset: a, like: b}\n":             `n.yaml:2:5: like "b": it is not declared above`,
		"networks:\n  - {dataset: a, accuracy: {r: high}}\n": `n.yaml:2:32: accuracy of r "high": must be a number`,
		"width: 4\nnetworks:\n  - {dataset: a, classes: 2, accuracy: {r: 0.9}, ece: 3}\n  - {dataset: b, like: a, cal: 7}": "n.yaml:4:5: a network like another one states only dataset, loss, ece and balanced_cal",
		"width: 4\nnetworks:\n  - {dataset: a, classes: 1, accuracy: {r: 0.5}, ece: 3}\n":                                  "n.yaml:3:5: simulated network a/r: 1 classes: must be at least 2",
		"width: 4\nnetworks:\n  - {dataset: a, classes: 2, accuracy: {r: 0.9}, ece: {r: 15}}":                              "n.yaml:3:5: simulated network a/r: ece 0.15: must be a fraction, and below 1 with the accuracy 0.9",
	} {
		_, err := parseNetworks("n.yaml", []byte(src))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", src, err, want)
		}
	}
}

// TestRescale: a factor on the test logits is a setting of its own; the fit is
// that of the plain setting, and uncal at factor 1 is uncal.
func TestRescale(t *testing.T) {
	w := newWorld(t)
	const spec = `
name: t
methods: [uncal, ts]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d, backbone: a, rescale: [0.5, 1]}
`
	out, _ := w.run(spec, RunOptions{})
	if out.Failed+out.Skipped != 0 || out.Fitted != 2 {
		t.Fatalf("%+v", out)
	}
	r := out.Rows.Records
	if r[2].Corruption != "rescale-0.5" || r[2].Severity != 1 || r[4].Corruption != "rescale-1" {
		t.Errorf("settings %v and %v", r[2].Cell, r[4].Cell)
	}
	if r[0].Value == r[2].Value || r[0].Value != r[4].Value || r[1].Value != r[5].Value {
		t.Errorf("ECE plain %v %v, times 0.5 %v %v, times 1 %v %v", r[0].Value, r[1].Value, r[2].Value, r[3].Value, r[4].Value, r[5].Value)
	}
}

// TestExport writes simulated arrays and runs them as a folder: the numbers are
// those of the source that streams, but for rounding to float32, of which the
// streamed rows are already made. (A method with a seed would differ: its seed
// is the identity of its arrays, here a digest of parameters, there of files.)
func TestExport(t *testing.T) {
	const spec = `
name: t
data: [simulate]
methods: [uncal, ts, ir, tta-ts, hfe]
metrics: [ece, nll]
settings:
  - {dataset: breastmnist, backbone: vit-s16}
`
	ctx := context.Background()
	plan := func(front ...string) *Plan {
		t.Helper()
		s, err := ParseSpec("export.yaml", []byte(spec), known())
		if err != nil {
			t.Fatal(err)
		}
		store, err := results.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		p, err := MakePlan(ctx, []*Spec{s}, PlanOptions{Data: front, Store: store, Digests: &data.Digests{}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	streamed := plan()
	dir := t.TempDir()
	n, err := streamed.Export(ctx, dir)
	if err != nil || n != 2 {
		t.Fatalf("%d sets, %v", n, err)
	}
	want, err := streamed.Run(ctx, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := plan(dir).Run(ctx, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got.Rows.Records {
		if w := want.Rows.Records[i]; r.Status != results.OK || r.Source != "simulated" || r.Value != w.Value {
			t.Errorf("%s %s: %s %v (%s), streamed %v", r.Method, r.Metric, r.Status, r.Value, r.Note, w.Value)
		}
	}
	if _, err := plan(dir).Export(ctx, t.TempDir()); err != nil {
		t.Errorf("a simulated folder is simulated: %v", err)
	}
}
