package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// TestUnreadableArrayFailsOneMethod: an array that cannot be hashed fails the method
// that reads it and no other, in any order of the methods.
func TestUnreadableArrayFailsOneMethod(t *testing.T) {
	c := calib.Contract{Cal: data.Logits | data.Features, Test: data.Logits}
	for _, methods := range []string{"reads-features, uncal", "uncal, reads-features"} {
		w := newWorld(t)
		w.known.Methods = append(w.known.Methods, fakeEntry("reads-features", fake{c, nil}))
		features := filepath.Join(w.data, "d/a/cal/features.npy")
		if err := os.Mkdir(features, 0o777); err != nil {
			t.Fatal(err)
		}
		out, _ := w.run("name: t\nmethods: ["+methods+"]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n", RunOptions{})
		got := statuses(out)
		slices.Sort(got)
		if len(got) != 2 || !strings.HasPrefix(got[0], "reads-features: fail d/a/cal/features.npy") || got[1] != "uncal: ok" {
			t.Errorf("[%s]: %q", methods, got)
		}
	}
}

// TestInterruptedRunCountsFinishedCells: settings that a cancelled run did not finish
// do not count.
func TestInterruptedRunCountsFinishedCells(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := w.plan(testSpec, false).Run(ctx, RunOptions{Workers: 1, Progress: func(p Progress) {
		if p.Done == 7 {
			cancel()
		}
	}})
	// The setting without arrays has 7 cells, which are always done.
	if want := "interrupted: 14 of 35 cells are done and kept: context canceled"; err == nil || err.Error() != want {
		t.Fatalf("%v, want %s", err, want)
	}
	if hits := w.plan(testSpec, false).Counts()[Hit]; hits != 7 {
		t.Errorf("%d cells are in the store, want 7", hits)
	}
}

// TestCancelledPlanIsAnError: it does not mark cells as failed.
func TestCancelledPlanIsAnError(t *testing.T) {
	w := newWorld(t)
	s, err := spec.Parse(filepath.Join(w.data, "t.yaml"), []byte("name: t\nmethods: [uncal]\nsettings: {dataset: d, backbone: a}\n"), w.known)
	if err != nil {
		t.Fatal(err)
	}
	store, err := results.Open(filepath.Join(w.out, "store"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	// The context ends between the check before the setting and its digests.
	_, err = MakePlan(&cancelledAfter{ctx, cancel, 1}, []*spec.Spec{s}, PlanOptions{Data: []string{w.data}, Store: store, Digests: &folder.Digests{}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// cancelledAfter is a context that ends after n calls of Err.
type cancelledAfter struct {
	context.Context
	cancel context.CancelFunc
	n      int
}

func (c *cancelledAfter) Err() error {
	if c.n--; c.n < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestMetricThatIsNaNFailsItsCell: no file can hold the value.
func TestMetricThatIsNaNFailsItsCell(t *testing.T) {
	w := newWorld(t)
	w.known.Metrics = append(w.known.Metrics, metrics.Entry{Name: "odd", Outputs: []metrics.Output{{Name: "odd"}}, Version: 1,
		Compute: func(s *metrics.Samples, _ uint64) ([]float64, error) {
			if s.Len() == 200 {
				return []float64{math.NaN()}, nil
			}
			return []float64{1}, nil
		}})
	out, _ := w.run(`
name: t
methods: ts
metrics: [odd]
settings: [{dataset: d-c, backbone: a, corruption: fog, severity: 1, calibrate_on: d}, {dataset: d, backbone: a}]
`, RunOptions{})
	if got, want := statuses(out), []string{"ts: fail metric odd comes out as NaN", "ts: ok"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// faulty is a source whose sets panic when they are read.
type faulty struct{ data.Source }

func (faulty) Open(context.Context, data.Ref, data.Parts) (data.Reader, error) { panic("door") }

// TestPanicOfASourceFailsItsSetting and no other.
func TestPanicOfASourceFailsItsSetting(t *testing.T) {
	w := newWorld(t)
	p := w.plan("name: t\nmethods: [uncal, ts]\nmetrics: [ece]\nsettings: {dataset: d, backbone: [a, b]}\n", false)
	p.Units[0].test = faulty{p.Units[0].test}
	out, err := p.Run(t.Context(), RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"uncal: fail internal error: door", "ts: fail internal error: door", "uncal: ok", "ts: ok"}
	if got := statuses(out); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}

	p = w.plan("name: t\nmethods: [uncal, ts, qats]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n", true)
	p.Units[0].source = faulty{p.Units[0].source} // the panic is within a shared fit
	out, err = p.Run(t.Context(), RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want = []string{"uncal: fail internal error: door", "ts: fail internal error: door", "qats: fail internal error: door"}
	if got := statuses(out); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestLogProbsInTheTestSetSkip a method that needs true logits, also if only their
// values show that they are log-probabilities.
func TestLogProbsInTheTestSetSkip(t *testing.T) {
	w := newWorld(t)
	test := draw(t, simulate.Network{Name: "x", Classes: 5, Width: 8, TestRows: 60, Accuracy: 0.7}, data.Test)
	for i := range test.Logits.Rows {
		row := test.Logits.Row(i)
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(float64(v))
		}
		for j := range row {
			row[j] -= float32(math.Log(sum))
		}
	}
	w.write("d/a/test", test)
	out, _ := w.run("name: t\nmethods: [ts, hfe-noood, hfe-target]\nmetrics: [ece]\nsettings: {dataset: d, backbone: [a, b]}\n", RunOptions{})
	want := []string{"ts: ok", "hfe-noood: skip " + engine.NeedsTrueLogits, "hfe-target: skip " + engine.NeedsTrueLogits,
		"ts: ok", "hfe-noood: ok", "hfe-target: ok"}
	got := statuses(out)
	for i := range got {
		if i >= len(want) || !strings.HasPrefix(got[i], want[i]) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}

// TestMeasuredMeansBothSets: a simulated calibration set makes the numbers simulated.
func TestMeasuredMeansBothSets(t *testing.T) {
	const spec = "name: t\nmethods: [uncal, ts, hfe-noood]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n"
	for manifest, want := range map[string]string{
		"sets: [{set: d/a/cal, source: simulated, note: drawn}, {set: d/a/test, note: real}]\n": "simulated real; the calibration set is simulated; drawn",
		"sets: [{set: d/a/test, source: simulated, note: drawn}]\n":                             "simulated drawn",
		"sets: [{set: d/a, note: real}]\n":                                                      "measured real",
	} {
		w := newWorld(t)
		w.manifest(manifest)
		out, _ := w.run(spec, RunOptions{})
		if r := out.Rows.Records[1]; r.Source+" "+r.Note.String() != want {
			t.Errorf("%s %q, want %s", r.Source, r.Note, want)
		}
	}
	w := newWorld(t)
	w.manifest("sets: [{set: d/a/cal, kind: log-probs}]\n")
	out, _ := w.run(spec, RunOptions{})
	if r := out.Rows.Records[2]; r.Status != results.Skip || r.Note.String() != engine.NeedsTrueLogits {
		t.Errorf("log-probabilities in the calibration set: %s %q", r.Status, r.Note)
	}
}

// TestFitThatDoesNotLoadIsMadeAgain: a store may hold a fit that its method rejects. A run
// that scores it by one more metric makes it again, with the bytes of a new store.
func TestFitThatDoesNotLoadIsMadeAgain(t *testing.T) {
	const text = "name: t\nmethods: [uncal, ts, qats]\nmetrics: [%s]\nsettings: {dataset: d, backbone: a}\n"
	_, want := newWorld(t).run(fmt.Sprintf(text, "ece, nll"), RunOptions{})
	for _, body := range []string{"{}", "", `{"qats": 1, "method": "ts", "version": 1, "options": {}, "classes": 5, "params": {"T": -1}, "report": {}}`} {
		w := newWorld(t)
		w.run(fmt.Sprintf(text, "ece"), RunOptions{})
		p := w.plan(fmt.Sprintf(text, "ece"), false)
		for _, c := range p.Units[0].Cells {
			if err := p.options.Store.Put(results.Fit, c.fit, []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		if out, got := w.run(fmt.Sprintf(text, "ece, nll"), RunOptions{}); got != want || out.Fitted != 3 {
			t.Errorf("%q in the store: %d fits, %q", body, out.Fitted, statuses(out))
		}
	}
}

// TestFitWithWarningsAsTextIsMadeAgain: it loads, but its warnings are text, not values.
func TestFitWithWarningsAsTextIsMadeAgain(t *testing.T) {
	const text = "name: t\nmethods: [ts]\nmetrics: [%s]\nsettings: {dataset: d, backbone: a}\n"
	_, want := newWorld(t).run(fmt.Sprintf(text, "ece, nll"), RunOptions{})
	for _, c := range []struct {
		more string // keys of the report
		made int
	}{{"", 0}, {`, "warnings": ["T = 1000: no minimum"]`, 1}, {`, "at_bound": ["T <= 1000"]`, 1}} {
		w := newWorld(t)
		w.run(fmt.Sprintf(text, "ece"), RunOptions{})
		p := w.plan(fmt.Sprintf(text, "ece"), false)
		cell := &p.Units[0].Cells[0]
		body, err := p.options.Store.Get(results.Fit, results.Key(cell.fit))
		if err != nil {
			t.Fatal(err)
		}
		report, _, found := bytes.Cut(body, []byte("}\n}\n"))
		if !found {
			t.Fatalf("%q", body)
		}
		if err := p.options.Store.Put(results.Fit, cell.fit, append(report, c.more+"}\n}\n"...)); err != nil {
			t.Fatal(err)
		}
		if out, got := w.run(fmt.Sprintf(text, "ece, nll"), RunOptions{}); got != want || out.Fitted != c.made {
			t.Errorf("report with %q in the store: %d fits, want %d: %q", c.more, out.Fitted, c.made, statuses(out))
		}
	}
}

// TestFitOfExtremeLogitsLeavesTheOtherCells: finite logits of any size make a value or a
// fail row, now and in a later run by one more metric, and no network takes another along.
func TestFitOfExtremeLogitsLeavesTheOtherCells(t *testing.T) {
	w := newWorld(t)
	rng := rand.New(rand.NewPCG(1, 1))
	set := &data.Set{Logits: data.NewMatrix(20, 2), Labels: make([]int32, 20)}
	for i := range set.Logits.Data {
		set.Logits.Data[i] = float32(3 * rng.NormFloat64())
		if rng.IntN(2) == 0 {
			set.Logits.Data[i] = float32(math.Copysign(math.MaxFloat32, rng.NormFloat64()))
		}
		set.Labels[i/2] = int32(rng.IntN(2))
	}
	w.write("d/extreme/cal", set)
	w.write("d/extreme/test", set)
	const text = "name: t\nmethods: [uncal, ts, vs, ms-odir]\nmetrics: [%s]\nsettings: {dataset: d, backbone: [a, extreme]}\n"
	failed := 0
	for i, metrics := range []string{"ece", "ece, accuracy"} {
		out, _ := w.run(fmt.Sprintf(text, metrics), RunOptions{})
		rows := statuses(out)
		for _, row := range rows[:len(rows)/2] {
			if !strings.HasSuffix(row, ": ok") {
				t.Errorf("the healthy network: %s", row)
			}
		}
		if i > 0 && out.Failed != failed {
			t.Errorf("%d cells failed, %d before: %q", out.Failed, failed, rows)
		}
		failed = out.Failed
	}
}
