package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// packed are the objects of a pack of a plan, by kind and key.
func packed(t *testing.T, p *Plan) (map[string]string, error) {
	t.Helper()
	list := map[string]string{}
	err := p.Pack(func(kind results.Kind, text string, body []byte) error {
		id := string(kind) + "/" + results.Key(text)
		if _, twice := list[id]; twice {
			t.Errorf("%s is there twice", id)
		}
		list[id] = string(body)
		return nil
	})
	return list, err
}

// inStore are the objects of the store of a world.
func inStore(t *testing.T, w *world) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.out, "store", "*", strings.Repeat("?", 64)))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		list = append(list, filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file))
	}
	return list
}

// TestPackHasWhatTheTaskStored: all of it, and of another task nothing.
func TestPackHasWhatTheTaskStored(t *testing.T) {
	w := newWorld(t)
	first := Task{I: 0, N: 2}
	w.task(testSpec, first)
	list, err := packed(t, w.planWith(testSpec, PlanOptions{Task: first}))
	stored := inStore(t, w)
	if err != nil || len(list) != len(stored) || len(list) == 0 {
		t.Errorf("%d objects of %d, %v", len(list), len(stored), err)
	}
	for _, id := range stored {
		if _, ok := list[id]; !ok {
			t.Errorf("%s is not packed", id)
		}
	}
	w.task(testSpec, Task{I: 1, N: 2})
	again, err := packed(t, w.planWith(testSpec, PlanOptions{Task: first}))
	if err != nil || len(again) != len(list) {
		t.Errorf("beside another task: %d objects of %d, %v", len(again), len(list), err)
	}
}

// TestPackOfDamagedObjects: without scores there is no pack, and another damaged object counts as absent.
func TestPackOfDamagedObjects(t *testing.T) {
	for kind, want := range map[results.Kind]string{results.Scores: "is damaged", results.Pairs: "is damaged", results.Fit: "", results.SampleScores: "", results.Times: "", results.Inputs: ""} {
		w := newWorld(t)
		task := Task{I: 0, N: 2}
		w.task(testSpec, task)
		var file string
		for _, id := range inStore(t, w) {
			if strings.HasPrefix(id, string(kind)+"/") {
				file = filepath.Join(w.out, "store", id)
			}
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-2] ^= 1
		if err := os.WriteFile(file, b, 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := packed(t, w.planWith(testSpec, PlanOptions{Task: task}))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "; run the task again")) {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
		if want != "" {
			w.task(testSpec, task)
			if _, err := packed(t, w.planWith(testSpec, PlanOptions{Task: task})); err != nil {
				t.Errorf("%s: the task again does not help: %v", kind, err)
			}
		}
		if n := len(inStore(t, w)); want == "" && len(list) != n-1 {
			t.Errorf("%s: %d objects of %d", kind, len(list), n)
		}
	}
}
