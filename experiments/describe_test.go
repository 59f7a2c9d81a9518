package experiments

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// described returns the text of run.json for a run of testSpec.
func described(t *testing.T, w *world, o RunOptions) string {
	t.Helper()
	plan := w.plan(testSpec, w.fresh)
	out, err := plan.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plan.Describe(out))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRunIsDescribedAlike: run.json does not depend on the number of workers, on
// what the store has already, or on where the folders are.
func TestRunIsDescribedAlike(t *testing.T) {
	w := newWorld(t)
	first := described(t, w, RunOptions{Workers: 1})
	again := described(t, w, RunOptions{Workers: 3})
	w.fresh = true
	if again != first || described(t, w, RunOptions{Workers: 3}) != first {
		t.Error("run.json depends on the workers or on the store")
	}
	elsewhere := newWorld(t)
	if described(t, elsewhere, RunOptions{Workers: 2}) != first {
		t.Error("run.json depends on the folders")
	}
	for _, dir := range []string{w.data, w.out} {
		if strings.Contains(first, dir) {
			t.Errorf("run.json names the folder %s", dir)
		}
	}
}

func TestDescribeCountsAndNamesTheArrays(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(testSpec, false)
	out, err := plan.Run(context.Background(), RunOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Describe(out)
	if r.Counts.Settings != 5 || r.Counts.Absent != 1 || r.Counts.Cells != out.Cells || r.Counts.Skipped != out.Skipped {
		t.Errorf("counts %+v", r.Counts)
	}
	if r.Keys != results.KeysDigest(out.Rows.Records) {
		t.Error("the digest is not of the keys of results.csv")
	}
	if s := r.Specs; len(s) != 1 || s[0].Text != testSpec || s[0].File != "t.yaml" {
		t.Errorf("specs %+v", s)
	}
	e := programEntry()
	if got := (&spec.Method{Name: "v", Label: "m = 25", Entry: e, Method: e.Method}).Info("e"); got.Label != "m = 25" || got.Source != results.OfProgram {
		t.Errorf("a program: %+v", got)
	}
	if m := out.Rows.Methods; len(m) < 5 || m[4].Options != `{"segments":2}` || m[4].Experiment != "t" {
		t.Errorf("methods %+v", m)
	}
	for _, s := range out.Rows.Settings {
		if has := strings.Contains(s.Test, "logits sha256:") && strings.Contains(s.Cal, "labels sha256:"); has != (s.Dataset != "nowhere") {
			t.Errorf("%s/%s: test %q, cal %q", s.Dataset, s.Backbone, s.Test, s.Cal)
		}
	}
	if out.Rows.Settings[2].CalibrateOn != "d" {
		t.Errorf("calibrate_on %q", out.Rows.Settings[2].CalibrateOn)
	}
}

// TestParametersOfAllFitsAreWritten: fits.csv has the temperature of ts, and the
// line and the active bounds of qats, for every setting with arrays.
func TestParametersOfAllFitsAreWritten(t *testing.T) {
	out, _ := newWorld(t).run(testSpec, RunOptions{Workers: 2})
	found := map[string]int{}
	for _, p := range out.Rows.Parameters {
		if p.Name != "" {
			found[p.Method+" "+p.Name]++
		}
		if p.Dataset == "nowhere" {
			t.Errorf("a parameter without arrays: %+v", p)
		}
	}
	for _, want := range []string{"ts T", "qats a", "qats b", "pw2 t_1", "pw2 t_2", "pw2 t_3"} {
		if found[want] != 4 {
			t.Errorf("%s in %d settings, want 4", want, found[want])
		}
	}
}
