package experiments

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// exportPlan plans the simulated settings of some datasets.
func exportPlan(t *testing.T, datasets string) *Plan {
	t.Helper()
	s, err := spec.Parse("export.yaml", []byte("name: t\ndata: [simulate]\nmethods: [uncal]\nsettings: {dataset: "+datasets+", backbone: vit-s16}\n"), Registry())
	if err != nil {
		t.Fatal(err)
	}
	p, err := MakePlan(t.Context(), []*spec.Spec{s}, PlanOptions{Fresh: true, Digests: &folder.Digests{}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// origins returns the origins of the test sets of datasets, by the manifest of dir.
func origins(t *testing.T, dir string, datasets ...string) string {
	t.Helper()
	f, err := folder.Open(dir, folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, d := range datasets {
		list = append(list, string(f.Describe(data.Ref{Dataset: d, Backbone: "vit-s16", Loss: "ce", Split: data.Test}).Origin))
	}
	return strings.Join(list, " ")
}

// TestExportKeepsTheManifest: a second export into a folder, a repeated one and an
// interrupted one leave no simulated set that looks measured.
func TestExportKeepsTheManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, dataset := range []string{"breastmnist", "retinamnist", "breastmnist"} {
		if n, err := exportPlan(t, dataset).Export(t.Context(), dir); err != nil || n != 2 {
			t.Fatalf("%s: %d sets, %v", dataset, n, err)
		}
	}
	if got := origins(t, dir, "breastmnist", "retinamnist"); got != "simulated simulated" {
		t.Errorf("after two exports: %s", got)
	}
	m, err := folder.ReadManifest(dir)
	if err != nil || len(m.Sets) != 4 {
		t.Errorf("%d entries, %v; want 4", len(m.Sets), err)
	}

	dir = filepath.Join(t.TempDir(), "stopped")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := exportPlan(t, "breastmnist").Export(ctx, dir); err == nil {
		t.Fatal("exported under a cancelled context")
	}
	if got := origins(t, dir, "breastmnist"); got != "simulated" {
		t.Errorf("after a stopped export: %s", got)
	}
}

// TestExportKeepsMeasuredArrays: it does not overwrite them.
func TestExportKeepsMeasuredArrays(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "breastmnist/vit-s16/test/logits.npy")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := exportPlan(t, "[retinamnist, breastmnist]").Export(t.Context(), dir)
	if err == nil || err.Error() != dir+" holds breastmnist/vit-s16/test as a measured set; write into another folder" {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(file); string(b) != "mine" {
		t.Error("written over")
	}
	if _, err := os.Stat(filepath.Join(dir, "retinamnist")); err == nil {
		t.Error("something was written")
	}
}

// TestExportedArraysGiveTheSameNumbers: simulated arrays run as a folder give the
// numbers of the simulated source, whose rows are float32 too. (A method with a seed
// would differ. Its seed comes from the digest of the arrays, which for a simulated
// source is a digest of parameters and for a folder a digest of files.)
func TestExportedArraysGiveTheSameNumbers(t *testing.T) {
	const text = `
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
		s, err := spec.Parse("export.yaml", []byte(text), Registry())
		if err != nil {
			t.Fatal(err)
		}
		store, err := results.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		p, err := MakePlan(ctx, []*spec.Spec{s}, PlanOptions{Data: front, Store: store, Digests: &folder.Digests{}})
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
