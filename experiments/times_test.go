package experiments

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestTimesAreKeptWithTheFits: parts and later runs restore the times of the fits
// instead of measuring again, and every cell with values has one.
func TestTimesAreKeptWithTheFits(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a clock of threads")
	}
	w := newWorld(t)
	for i := range 3 {
		w.task(testSpec, Task{I: i, N: 3})
	}
	first, _ := w.run(testSpec, RunOptions{})
	if first.Fitted != 0 || len(first.Rows.Times) != 28 {
		t.Fatalf("%d fits, %d times; want none and 28", first.Fitted, len(first.Rows.Times))
	}
	for _, x := range first.Rows.Times {
		// uncal reads no array
		if !x.Known || x.Seconds <= 0 || x.Seconds > 600 || (x.Rows == 0) != (x.Method == "uncal") || x.Instructions == "" {
			t.Errorf("%+v", x)
		}
	}
	second, _ := w.run(testSpec, RunOptions{Workers: 2})
	if !slices.Equal(first.Rows.Times, second.Rows.Times) {
		t.Error("the second run has other times")
	}
	w.fresh = true
	fresh, _ := w.run(testSpec, RunOptions{})
	w.fresh = false
	if slices.Equal(first.Rows.Times, fresh.Rows.Times) {
		t.Error("the run with Fresh has the old times")
	}
}

// TestAMissingTimeIsEmpty: nothing is fitted again for it, and no other file changes.
func TestAMissingTimeIsEmpty(t *testing.T) {
	w := newWorld(t)
	_, want := w.run(testSpec, RunOptions{})
	if err := os.RemoveAll(filepath.Join(w.out, "store", string(results.Times))); err != nil {
		t.Fatal(err)
	}
	out, got := w.run(testSpec, RunOptions{})
	if out.Fitted != 0 || out.Scored != 0 || got != want {
		t.Errorf("%d fits and %d scored, same bytes: %t", out.Fitted, out.Scored, got == want)
	}
	for _, x := range out.Rows.Times {
		if x.Known || x.Seconds != 0 || x.Rows != 0 {
			t.Errorf("%+v", x)
		}
	}
}
