package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// TestWorkersAndMemoryDoNotMatter: the CSV files have the same bytes.
func TestWorkersAndMemoryDoNotMatter(t *testing.T) {
	first, want := newWorld(t).run(testSpec, RunOptions{Workers: 1})
	if first.Failed != 0 || first.Skipped != 7 || first.Cells != 35 {
		t.Fatalf("%+v: want 35 cells, 7 skipped (no arrays), none failed", first)
	}
	// Every calibration set is larger than one KiB. Fits that can do so then read it
	// again in every pass.
	for _, o := range []struct{ workers, memory int }{{2, 1 << 20}, {8, 1 << 20}, {2, 1 << 10}} {
		w := newWorld(t)
		w.memory = int64(o.memory)
		if _, got := w.run(testSpec, RunOptions{Workers: o.workers}); got != want {
			t.Errorf("%d workers with %d bytes give other bytes", o.workers, o.memory)
		}
	}
}

// TestOneFitManyScores: shifted sets share the fit of their calibration set, and a
// second run fits and scores nothing.
func TestOneFitManyScores(t *testing.T) {
	w := newWorld(t)
	out, want := w.run(testSpec, RunOptions{Workers: 2})
	// uncal is one fit for all; ts, ir, irova, pw2 and qats have one fit for each
	// of a and b; qats-transductive has one for each of the four test sets.
	if out.Fitted != 1+5*2+4 || out.Scored != 28 {
		t.Errorf("%d fits and %d scored, want 15 and 28", out.Fitted, out.Scored)
	}
	again, got := w.run(testSpec, RunOptions{Workers: 2})
	if again.Fitted != 0 || again.Scored != 0 {
		t.Errorf("the second run fits %d and scores %d", again.Fitted, again.Scored)
	}
	if got != want {
		t.Error("the second run gives other bytes")
	}
	more, _ := w.run(strings.Replace(testSpec, "ir, irova", "ir, ir-top, irova", 1), RunOptions{})
	if more.Fitted != 2 || more.Scored != 4 {
		t.Errorf("one more method: %d fits and %d scored, want 2 and 4", more.Fitted, more.Scored)
	}
	w.fresh = true
	fresh, got := w.run(testSpec, RunOptions{})
	w.fresh = false
	if fresh.Fitted != 15 || fresh.Scored != 28 {
		t.Errorf("with Fresh: %d fits and %d scored, want 15 and 28", fresh.Fitted, fresh.Scored)
	}
	if got != want {
		t.Error("the run with Fresh gives other bytes")
	}
}

// TestOtherMetricsNeedNoFit: they are computed from the stored scores of the rows.
func TestOtherMetricsNeedNoFit(t *testing.T) {
	w := newWorld(t)
	w.run(testSpec, RunOptions{})
	out, got := w.run(testSpec+"metrics: [ece, accuracy]\n", RunOptions{})
	if out.Fitted != 0 || out.Scored != 28 {
		t.Errorf("%d fits and %d scored, want 0 and 28", out.Fitted, out.Scored)
	}
	if strings.Contains(got, ",aece,") && strings.Contains(strings.Split(got, "binning")[0], ",aece,") {
		t.Error("a metric that was not asked for")
	}
}

// TestTasksFillTheStore: a run after them computes nothing and gives the same bytes.
func TestTasksFillTheStore(t *testing.T) {
	_, want := newWorld(t).run(testSpec, RunOptions{})
	w := newWorld(t)
	cells := 0
	for i := range 3 {
		out := w.task(testSpec, Task{I: i, N: 3, Tests: 1})
		cells += out.Cells
		if len(out.Rows.Records) != 0 {
			t.Error("a task assembles results")
		}
	}
	if cells != 35 {
		t.Errorf("the tasks have %d cells, want 35", cells)
	}
	out, got := w.run(testSpec, RunOptions{})
	if out.Fitted != 0 || out.Scored != 0 {
		t.Errorf("after all tasks: %d fits and %d scored", out.Fitted, out.Scored)
	}
	if got != want {
		t.Error("tasks give other bytes")
	}
}

// TestInterruptedRunResumes to the same bytes.
func TestInterruptedRunResumes(t *testing.T) {
	_, want := newWorld(t).run(testSpec, RunOptions{})
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := w.plan(testSpec, false).Run(ctx, RunOptions{Workers: 1, Progress: func(p Progress) {
		if p.Done >= 7 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "of 35 cells") {
		t.Fatalf("interrupted: %v", err)
	}
	out, got := w.run(testSpec, RunOptions{})
	if out.Scored == 28 || out.Scored == 0 {
		t.Errorf("%d scored after the interruption: want some, not all", out.Scored)
	}
	if got != want {
		t.Error("a resumed run gives other bytes")
	}
}

// TestDamagedObjectIsMadeAgain changes or cuts each object of the store in turn: it
// counts as absent.
func TestDamagedObjectIsMadeAgain(t *testing.T) {
	const small = `
name: t
methods: [uncal, ts]
settings: {dataset: d, backbone: a}
`
	w := newWorld(t)
	_, want := w.run(small, RunOptions{})
	var objects []string
	err := filepath.WalkDir(filepath.Join(w.out, "store"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			objects = append(objects, path)
		}
		return err
	})
	times := 0
	if runtime.GOOS == "linux" { // elsewhere threads have no clock
		times = 2
	}
	if err != nil || len(objects) != 2+2+2+1+1+times {
		t.Fatal(objects, err)
	}
	for _, path := range objects {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		flipped := append([]byte(nil), whole...)
		flipped[len(flipped)-1] ^= 1
		for _, damaged := range [][]byte{flipped, whole[:len(whole)/2], {}} {
			if err := os.WriteFile(path, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, got := w.run(small, RunOptions{}); got != want {
				t.Errorf("%s damaged: other bytes", path)
			}
		}
	}
}

// TestExchangedObjectsAreMadeAgain exchanges each object of the store with each other one:
// a stored number never stands for another one.
func TestExchangedObjectsAreMadeAgain(t *testing.T) {
	const small = `
name: t
methods: [uncal, ts]
settings: {dataset: d, backbone: a}
`
	w := newWorld(t)
	_, want := w.run(small, RunOptions{})
	store := filepath.Join(w.out, "store")
	objects, err := filepath.Glob(filepath.Join(store, "*", "*"))
	if err != nil || len(objects) < 8 {
		t.Fatal(objects, err)
	}
	for i, a := range objects {
		for _, b := range objects[:i] {
			x := filepath.Join(store, "x")
			if err := errors.Join(os.Rename(a, x), os.Rename(b, a), os.Rename(x, b)); err != nil {
				t.Fatal(err)
			}
			if _, got := w.run(small, RunOptions{}); got != want {
				t.Errorf("%s and %s exchanged: other bytes", a, b)
			}
		}
	}
}

// fake is a method that misbehaves.
type fake struct {
	contract calib.Contract
	fit      func(calib.Input) (*calib.Fitted, error)
}

func (f fake) Contract() calib.Contract { return f.contract }
func (f fake) Fit(_ context.Context, in calib.Input) (*calib.Fitted, error) {
	return f.fit(in)
}

// broken is a map that panics.
type broken struct{}

func (broken) Check() error { return nil }

func (broken) Apply(data.Probs, *data.Set) { panic("apply") }

// rejected is a map that its own reader rejects.
type rejected struct{ broken }

func (rejected) Check() error { return errors.New("b[0] = 1e+20: want less") }

func fakeEntry(name string, f fake) calib.Entry {
	return calib.NewEntry[fake, broken](calib.Entry{Name: name, Label: name, Version: 1, Method: f})
}

// TestFailureIsOneRow: a method that fails, panics or lacks arrays leaves a row with
// the reason, and the other methods go on. Failures are not cached.
func TestFailureIsOneRow(t *testing.T) {
	w := newWorld(t)
	c := calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
	w.known.Methods = append(w.known.Methods,
		fakeEntry("fit-panics", fake{c, func(calib.Input) (*calib.Fitted, error) { panic("fit") }}),
		fakeEntry("fit-fails", fake{c, func(calib.Input) (*calib.Fitted, error) { return nil, errors.New("no optimum") }}),
		fakeEntry("apply-panics", fake{c, func(calib.Input) (*calib.Fitted, error) { return &calib.Fitted{Map: broken{}}, nil }}),
		fakeEntry("diverges", fake{c, func(calib.Input) (*calib.Fitted, error) { return &calib.Fitted{Map: rejected{}}, nil }}),
		fakeEntry("sees-too-much", fake{calib.Contract{Cal: data.Logits, Test: data.Logits}, func(in calib.Input) (*calib.Fitted, error) {
			return nil, fmt.Errorf("labels: %v, target: %v", in.Cal.Labels != nil, in.Target != nil)
		}}),
		fakeEntry("needs-features", fake{calib.Contract{Cal: data.Logits | data.Features, Test: data.Logits}, nil}),
	)
	const text = `
name: t
methods: [fit-panics, uncal, fit-fails, apply-panics, diverges, sees-too-much, needs-features, ts]
metrics: [ece]
settings: {dataset: d, backbone: a}
`
	out, _ := w.run(text, RunOptions{})
	want := []struct {
		status results.Status
		note   string
	}{
		{results.Fail, "internal error: fit"},
		{results.OK, ""},
		{results.Fail, "no optimum"},
		{results.Fail, "internal error: apply"},
		{results.Fail, "the fit of diverges cannot be saved: b[0] = 1e+20: want less"},
		{results.Fail, "labels: false, target: false"},
		{results.Skip, "needs features of the calibration set"},
		{results.OK, ""},
	}
	for i, r := range out.Rows.Records {
		if r.Status != want[i].status || r.Note.String() != want[i].note {
			t.Errorf("%s: %s %q, want %s %q", r.Method, r.Status, r.Note, want[i].status, want[i].note)
		}
	}
	if out.Failed != 5 || !slices.ContainsFunc(out.Reasons, func(r Absence) bool { return r.String() == "fit-panics on d/a: internal error: fit" }) {
		t.Errorf("failures: %v", out.Reasons)
	}
	if len(out.Rows.Pairs) != 4 {
		t.Errorf("%d pairs, want 4 (uncal against ts)", len(out.Rows.Pairs))
	}
	again, _ := w.run(text, RunOptions{})
	if again.Failed != 5 || again.Scored != 0 {
		t.Errorf("failures are cached, or what succeeded is not: %+v", again)
	}
}

// TestBadArrayFailsItsMethods damages one array at a time: the methods that need it
// fail with its place, and the others go on.
func TestBadArrayFailsItsMethods(t *testing.T) {
	set := func(n, k int) *data.Set {
		return draw(t, simulate.Network{Name: "x", Classes: k, Width: 8, CalRows: n, Accuracy: 0.7}, data.Cal)
	}
	const text = `
name: t
methods: [uncal, ts]
metrics: [ece]
settings: {dataset: d, backbone: a}
`
	for name, c := range map[string]struct {
		damage    func(w *world)
		uncal, ts string // notes of failures, empty for ok; without a folder of this machine
	}{
		"NaN in cal": {func(w *world) {
			s := set(30, 5)
			s.Logits.Row(12)[3] = float32(math.NaN())
			w.write("d/a/cal", s)
		}, "", "d/a/cal/logits.npy: row 12, class 3: NaN"},
		"label out of range in test": {func(w *world) {
			s := set(30, 5)
			s.Labels[7] = 5
			w.write("d/a/test", s)
		}, "d/a/test/labels.npy: row 7: label 5 is outside 0..4", "d/a/test/labels.npy: row 7: label 5 is outside 0..4"},
		"classes differ": {func(w *world) { w.write("d/a/test", set(30, 6)) },
			"", "the test set has 6 classes, its calibration set d/a has 5"},
		"truncated": {func(w *world) {
			path := filepath.Join(w.data, "d/a/cal/logits.npy")
			if err := os.Truncate(path, 1000); err != nil {
				w.t.Fatal(err)
			}
		}, "", "d/a/cal/logits.npy: "},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.damage(w)
			out, _ := w.run(text, RunOptions{})
			for i, want := range []string{c.uncal, c.ts} {
				r := out.Rows.Records[i]
				if want == "" && r.Status != results.OK {
					t.Errorf("%s: %s %q", r.Method, r.Status, r.Note)
				}
				if want != "" && (r.Status != results.Fail || !strings.HasPrefix(r.Note.String(), want)) {
					t.Errorf("%s: %s %q, want %q", r.Method, r.Status, r.Note, want)
				}
			}
		})
	}
}

// TestSharedSettingIsDoneOnce: two specs of one run have the same setting.
func TestSharedSettingIsDoneOnce(t *testing.T) {
	w := newWorld(t)
	p := w.plan("name: one\nmethods: [uncal, ts]\nsettings: {dataset: d, backbone: a}\n", false)
	p.Units = append(p.Units, w.plan("name: two\nmethods: [uncal, ts]\nsettings: {dataset: d, backbone: [a, b]}\n", false).Units...)
	p.Part = p.all()
	out, err := p.Run(context.Background(), RunOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if out.Cells != 6 || out.Scored != 4 || out.Fitted != 3 {
		t.Errorf("%d cells, %d scored, %d fitted; want 6, 4 and 3", out.Cells, out.Scored, out.Fitted)
	}
	records := out.Rows.Records
	per := len(records) / 6
	for i := range 2 * per {
		if records[i].Key != records[2*per+i].Key || records[i].Value != records[2*per+i].Value {
			t.Errorf("%+v and %+v", records[i], records[2*per+i])
		}
	}
}

// TestMisspeltSourceIsAnError, and not a source without arrays.
func TestMisspeltSourceIsAnError(t *testing.T) {
	s, err := spec.Parse("x.yaml", []byte("name: x\ndata: simulat\nmethods: [ts]\nsettings: {dataset: d, backbone: a}\n"), Registry())
	if err != nil {
		t.Fatal(err)
	}
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, err = MakePlan(context.Background(), []*spec.Spec{s}, PlanOptions{Store: store, Digests: &folder.Digests{}})
	if err == nil || !strings.Contains(err.Error(), `x.yaml: data "simulat": there is no folder`) || !strings.Contains(err.Error(), "did you mean simulate?") {
		t.Errorf("%v", err)
	}
}
