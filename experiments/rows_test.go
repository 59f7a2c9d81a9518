package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestFilesThatAreNotReplacedAsASetAreNoticed: a run of other numbers that writes
// only results.csv, or results.csv and bins.csv, before it ends.
func TestFilesThatAreNotReplacedAsASetAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs several specs; results tests the digests of run.json")
	}
	for _, blocked := range []string{"bins.csv", "pairs.csv", "fits.csv"} {
		w := newWorld(t)
		dir := t.TempDir()
		first, _ := w.run(testSpec, RunOptions{})
		if err := first.Rows.Write(dir); err != nil {
			t.Fatal(err)
		}
		if err := results.WriteRun(filepath.Join(dir, "run.json"), w.plan(testSpec, false).Describe(first)); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRows(dir); err != nil {
			t.Fatalf("files of one run: %v", err)
		}

		path := filepath.Join(dir, blocked)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(path, 0o777); err != nil { // which no file can replace
			t.Fatal(err)
		}
		for i := range first.Rows.Records {
			first.Rows.Records[i].Key = results.Key("other numbers")
		}
		if err := first.Rows.Write(dir); err == nil {
			t.Fatalf("%s is a folder, and is written", blocked)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, old, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRows(dir); err == nil || !strings.Contains(err.Error(), "results.csv: does not belong to the run that") {
			t.Errorf("%s is of the run before: %v", blocked, err)
		}
	}
}
