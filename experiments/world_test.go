package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// testSpec has settings that share a fit (the severities), a setting without
// arrays, and methods that see the target, have options or change predictions.
const testSpec = `
name: t
methods: [uncal, ts, ir, irova, {name: pw2, method: qats-pw, options: {segments: 2}}, qats, qats-transductive]
settings:
  - {dataset: d, backbone: [a, b]}
  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}
  - {dataset: nowhere, backbone: a}
`

// world has a folder of arrays and an output folder with a store for one test.
type world struct {
	fresh     bool  // run computes everything again
	memory    int64 // of a plan
	t         *testing.T
	data, out string
	known     spec.Registry
}

// worldSets are the simulated sets of every world, by folder.
var worldSets = sync.OnceValues(func() (map[string]*data.Set, error) {
	sets := map[string]*data.Set{}
	var errs []error
	add := func(net simulate.Network, split data.Split, folder ...string) {
		set, err := logitsOf(net, split)
		sets[filepath.Join(folder...)] = set
		errs = append(errs, err)
	}
	for _, backbone := range []string{"a", "b"} {
		net := simulate.Network{Name: backbone, Classes: 5, Width: 8, CalRows: 300, TestRows: 300, Accuracy: 0.7, ECE: 0.15, Tilt: 0.8}
		add(net, data.Cal, "d", backbone, "cal")
		add(net, data.Test, "d", backbone, "test")
		for _, severity := range []int{1, 3} {
			net.TestRows = 200
			net.Shift = simulate.Shift{Corruption: "fog", Severity: severity, Accuracy: 0.7 - 0.08*float64(severity), ECE: 0.15 + 0.06*float64(severity)}
			add(net, data.Test, "d-c", backbone, "fog", fmt.Sprint(severity))
		}
	}
	return sets, errors.Join(errs...)
})

func newWorld(t *testing.T) *world {
	w := &world{t: t, data: t.TempDir(), out: t.TempDir(), known: Registry()}
	sets, err := worldSets()
	if err != nil {
		t.Fatal(err)
	}
	for folder, set := range sets {
		w.write(folder, set)
	}
	return w
}

// logitsOf returns the logits and labels of a simulated set.
func logitsOf(net simulate.Network, split data.Split) (*data.Set, error) {
	src := simulate.New(func(data.Ref) (simulate.Network, bool) { return net, true }, func() ([]simulate.Solved, error) {
		f, err := os.Open("testdata/networks.jsonl")
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return simulate.ReadSolved(f)
	})
	return data.Load(context.Background(), src, data.Ref{Split: split}, data.Logits|data.Labels)
}

// draw returns the logits and labels of a simulated set.
func draw(t *testing.T, net simulate.Network, split data.Split) *data.Set {
	t.Helper()
	set, err := logitsOf(net, split)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// write writes logits and labels to a folder below the arrays of the world.
func (w *world) write(dir string, set *data.Set) {
	dir = filepath.Join(w.data, dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := errors.Join(
		npy.WriteFloat32(filepath.Join(dir, "logits.npy"), set.Logits.Data, set.Logits.Rows, set.Logits.Cols),
		npy.WriteInt32(filepath.Join(dir, "labels.npy"), set.Labels, len(set.Labels)),
	); err != nil {
		w.t.Fatal(err)
	}
}

// plan reads a spec and looks it up in the store of the world.
func (w *world) plan(text string, fresh bool) *Plan {
	w.t.Helper()
	return w.planWith(text, PlanOptions{Fresh: fresh})
}

// planWith is plan with any options.
func (w *world) planWith(text string, o PlanOptions) *Plan {
	w.t.Helper()
	s, err := spec.Parse(filepath.Join(w.data, "t.yaml"), []byte(text), w.known)
	if err != nil {
		w.t.Fatal(err)
	}
	store, err := results.Open(filepath.Join(w.out, "store"))
	if err != nil {
		w.t.Fatal(err)
	}
	o.Data, o.Store, o.Digests, o.Memory = []string{w.data}, store, &folder.Digests{}, w.memory
	p, err := MakePlan(context.Background(), []*spec.Spec{s}, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// run runs a spec and returns the outcome and the bytes of the files.
func (w *world) run(text string, o RunOptions) (*Outcome, string) {
	w.t.Helper()
	out, err := w.plan(text, w.fresh).Run(context.Background(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return out, w.bytes(out)
}

// task does a task of a spec.
func (w *world) task(text string, task Task) *Outcome {
	w.t.Helper()
	out, err := w.planWith(text, PlanOptions{Task: task}).Run(context.Background(), RunOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// allowed is run with programs allowed.
func (w *world) allowed(text string, o RunOptions) (*Outcome, string) {
	w.t.Helper()
	out, err := w.planWith(text, PlanOptions{AllowExec: true}).Run(context.Background(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return out, w.bytes(out)
}

// bytes returns the bytes of the CSV files.
func (w *world) bytes(out *Outcome) string {
	w.t.Helper()
	dir := w.t.TempDir()
	if err := results.Folder(dir).Write(&out.Rows); err != nil {
		w.t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range []string{"results.csv", "bins.csv", "pairs.csv", "fits.csv"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			w.t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// statuses returns "method: status note" for each record.
func statuses(out *Outcome) []string {
	var list []string
	for _, r := range out.Rows.Records {
		list = append(list, strings.TrimSuffix(fmt.Sprintf("%s: %s %s", r.Method, r.Status, r.Note), " "))
	}
	return list
}

// manifest writes the manifest of the arrays.
func (w *world) manifest(text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.data, data.ManifestName), []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}
