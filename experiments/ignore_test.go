package experiments

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/results"
)

// voidSpec has a method that sees the logits of the test set alone, and one whose probabilities
// stand in files.
const voidSpec = `
name: t
methods: [uncal, ts, ir, irova, qats, qats-transductive, {name: mine, method: precomputed, options: {path: "mine/{dataset}/{backbone}/{corruption}/{severity}/probs.npy"}}]
metrics: [accuracy, ece, aece, nll, brier, ece_classwise]
settings:
  - {dataset: d, backbone: [a, b]}
  - {dataset: d-c, backbone: a, corruption: fog, severity: 3, calibrate_on: d}
`

// writeVoid writes the sets of the world again, with probabilities of the softmax for the
// method mine. With a label, rows of this label and of logits that are NaN stand among theirs.
func (w *world) writeVoid(label int32) {
	w.t.Helper()
	sets, err := worldSets()
	if err != nil {
		w.t.Fatal(err)
	}
	for folder, set := range sets {
		var all data.Set
		k := set.Logits.Cols
		var probs []float64
		add := func(row []float32, y int32, p []float64) {
			all.Logits.Data, all.Labels, probs = append(all.Logits.Data, row...), append(all.Labels, y), append(probs, p...)
		}
		void, none := slices.Repeat([]float32{float32(math.NaN())}, k), slices.Repeat([]float64{math.NaN()}, k)
		for i, y := range set.Labels {
			if label != 0 && i*i%7 < 3 {
				add(void, label, none)
			}
			add(set.Logits.Row(i), y, softmax.Probs(make([]float64, k), set.Logits.Row(i), 1))
		}
		all.Logits.Rows, all.Logits.Cols = len(all.Labels), k
		w.write(folder, &all)
		dir := filepath.Join(w.data, "mine", strings.TrimSuffix(folder, "test"))
		if err := errors.Join(os.MkdirAll(dir, 0o777), npy.WriteFloat64(filepath.Join(dir, "probs.npy"), probs, len(all.Labels), k)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// numbers returns the values, bins, parameters and differences of a run, which do not depend on
// the digests of the arrays.
func numbers(out *Outcome) (list []string) {
	for _, r := range out.Rows.Records {
		list = append(list, fmt.Sprint(r.Setting, r.Method, r.Metric, r.Status, r.Value, r.N))
	}
	for _, b := range out.Rows.Bins {
		list = append(list, fmt.Sprint(b))
	}
	for _, p := range out.Rows.Parameters {
		list = append(list, fmt.Sprint(p))
	}
	for _, p := range out.Rows.Pairs {
		list = append(list, fmt.Sprint(p.Setting, p.Method, p.Metric, p.Difference))
	}
	return list
}

// TestVoidRowsChangeNoNumber: a run on arrays with void rows has the numbers of a run on the
// other rows alone, to the bit, in memory and as streams; for rows of 255, for those that the
// manifest states and for those that the spec does.
func TestVoidRowsChangeNoNumber(t *testing.T) {
	plain := newWorld(t)
	plain.writeVoid(0)
	out, _ := plain.run(voidSpec, RunOptions{Workers: 2})
	want := numbers(out)
	for _, r := range out.Rows.Records {
		if r.Status != results.OK {
			t.Fatalf("%s %s: %s", r.Method, r.Metric, r.Note)
		}
	}
	for _, c := range []struct {
		label          int32
		manifest, spec string
		memory         int64
		note           bool
	}{
		{255, "", "", 0, true},
		{255, "", "", 1 << 10, true},
		{-1, "sets:\n  - {set: \"*\", ignore: -1}\n", "", 0, false},
		{2000, "sets:\n  - {set: \"*\", ignore: 1}\n", "ignore: [-7, 2000]\n", 0, false},
	} {
		w := newWorld(t)
		w.memory = c.memory
		w.writeVoid(c.label)
		if c.manifest != "" {
			w.manifest(c.manifest)
		}
		got, _ := w.run(c.spec+voidSpec, RunOptions{Workers: 2})
		if numbers := numbers(got); !slices.Equal(numbers, want) {
			for i := range min(len(numbers), len(want)) {
				if numbers[i] != want[i] {
					t.Errorf("label %d: got %s, want %s; %s", c.label, numbers[i], want[i], got.Rows.Records[min(i, len(got.Rows.Records)-1)].Note)
					break
				}
			}
		}
		counted := 0
		for _, r := range got.Rows.Records {
			for _, f := range r.Note {
				if strings.Contains(f.String(), "rows have the label 255 and are left out") {
					counted++
				}
			}
		}
		if (counted > 0) != c.note {
			t.Errorf("label %d: %d warnings", c.label, counted)
		}
		again, _ := w.run(c.spec+voidSpec, RunOptions{Workers: 2})
		if again.Fitted != 0 || again.Scored != 0 {
			t.Errorf("label %d: run again, %d fits and %d scores", c.label, again.Fitted, again.Scored)
		}
	}
}

// TestIgnoringOtherRowsMakesNewFits, and only then: stating what is left out anyway does not. uncal
// reads no calibration set.
func TestIgnoringOtherRowsMakesNewFits(t *testing.T) {
	w := newWorld(t)
	w.writeVoid(255)
	const spec = "name: t\nmethods: [uncal, ts]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n"
	first, _ := w.run(spec, RunOptions{Workers: 1})
	if first.Fitted != 2 {
		t.Fatalf("%d fits", first.Fitted)
	}
	for _, c := range []struct {
		ignore string
		fits   int64
	}{{"255", 0}, {"[0, 255]", 1}, {"[0, 255]", 0}} {
		out, _ := w.run("ignore: "+c.ignore+"\n"+spec, RunOptions{Workers: 1})
		if int64(out.Fitted) != c.fits {
			t.Errorf("ignore: %s: %d fits, want %d", c.ignore, out.Fitted, c.fits)
		}
	}
}

// TestIgnoringAllRowsIsAnErrorOfTheCells that names the labels and what is stated.
func TestIgnoringAllRowsIsAnErrorOfTheCells(t *testing.T) {
	w := newWorld(t)
	w.manifest("sets:\n  - {set: d/a, ignore: [0, 1, 2, 3, 4]}\n")
	out, _ := w.run("name: t\nmethods: [ts]\nmetrics: [ece]\nsettings: {dataset: d, backbone: a}\n", RunOptions{Workers: 1})
	got := statuses(out)
	want := "labels.npy: all 300 rows have one of the labels 0, 1, 2, 3, 4, which is ignored: no row is left; correct ignore, or the labels"
	if len(got) != 1 || !strings.HasPrefix(got[0], "ts: fail") || !strings.Contains(got[0], want) {
		t.Errorf("%q", got)
	}
}
