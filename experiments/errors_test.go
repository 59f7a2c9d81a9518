package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestErrorOfTheStoreEndsTheRun: it is no row of the results, whatever the cells are
// about to do with the store.
func TestErrorOfTheStoreEndsTheRun(t *testing.T) {
	for _, kind := range []results.Kind{results.Fit, results.SampleScores, results.Scores, results.Pairs, results.Times, results.Inputs} {
		for _, workers := range []int{4, 1} {
			if testing.Short() && workers == 1 {
				continue
			}
			w := newWorld(t)
			path := filepath.Join(w.out, "store", string(kind))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o666); err != nil { // a file in place of the folder
				t.Fatal(err)
			}
			out, err := w.plan(testSpec, false).Run(t.Context(), RunOptions{Workers: workers})
			if err == nil || !isFatal(err) && !strings.Contains(err.Error(), "store: ") || !strings.Contains(err.Error(), "no file was written") {
				t.Errorf("%s, %d workers: %+v, %v", kind, workers, out, err)
			}
		}
	}
}

// TestErrorOfTheStoreStopsOtherUnits: nothing more is computed for a disk that is
// full.
func TestErrorOfTheStoreStopsOtherUnits(t *testing.T) {
	w := newWorld(t)
	p := w.plan(testSpec, false)
	store := filepath.Join(w.out, "store")
	done := 0
	_, err := p.Run(t.Context(), RunOptions{Workers: 1, Progress: func(at Progress) {
		if at.Setting != "" && done == 0 {
			if err := os.RemoveAll(store); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(store, nil, 0o666); err != nil {
				t.Error(err)
			}
		}
		done = at.Done
	}})
	if err == nil || done != 14 { // the first setting, and the one without arrays
		t.Errorf("%v, after %d cells", err, done)
	}
}
