package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestFilesThatAreNotReplacedAsASetAreNoticed: a run of other numbers that has replaced only
// results.csv before its machine fails. One that cannot write a file replaces none.
func TestFilesThatAreNotReplacedAsASetAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs several specs; results tests the digests of run.json")
	}
	w := newWorld(t)
	dir := t.TempDir()
	first, _ := w.run(testSpec, RunOptions{})
	if err := results.Folder(dir).Write(&first.Rows); err != nil {
		t.Fatal(err)
	}
	if err := results.Folder(dir).WriteRun(w.plan(testSpec, false).Describe(first)); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Folder(dir).Read(results.BinsFile, results.PairsFile); err != nil {
		t.Fatalf("files of one run: %v", err)
	}
	for i := range first.Rows.Records {
		first.Rows.Records[i].Key = results.Key("other numbers")
	}
	for _, blocked := range []string{"bins.csv", "pairs.csv", "fits.csv"} {
		path := filepath.Join(dir, blocked)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil { // which no file can replace
			t.Fatal(err)
		}
		if err := results.Folder(dir).Write(&first.Rows); err == nil {
			t.Fatalf("%s is a folder, and is written", blocked)
		}
		if err := errors.Join(os.Remove(path), os.WriteFile(path, old, 0o666)); err != nil {
			t.Fatal(err)
		}
		if _, err := results.Folder(dir).Read(results.BinsFile, results.PairsFile); err != nil {
			t.Errorf("%s was a folder: a part of the files is replaced: %v", blocked, err)
		}
	}
	if err := results.WriteResults(filepath.Join(dir, "results.csv"), first.Rows.Records); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Folder(dir).Read(results.BinsFile, results.PairsFile); err == nil || !strings.Contains(err.Error(), "results.csv: does not belong to the run that") {
		t.Errorf("results.csv is of another run: %v", err)
	}
}

// TestRunWritesTheRowsThatItWouldKeep: rows that are written some settings at a time have the
// bytes of rows that are kept, also in results-wide.csv, and so has what run.json says of them.
func TestRunWritesTheRowsThatItWouldKeep(t *testing.T) {
	const text = "name: t\nmethods: [uncal, gc]\nmetrics: [ece, accuracy]\nsettings: [{dataset: nowhere, backbone: a}, {dataset: d, backbone: a, splits: 300}]\n"
	w := newWorld(t)
	kept, written := t.TempDir(), t.TempDir()
	out, _ := w.run(text, RunOptions{Workers: 2})
	if err := results.Folder(kept).Write(&out.Rows); err != nil || len(out.Rows.Records) != 4*301 {
		t.Fatal(len(out.Rows.Records), err)
	}
	p := w.plan(text, false)
	passed, err := p.Run(t.Context(), RunOptions{Out: written})
	if err != nil || len(passed.Rows.Records) != 0 {
		t.Fatalf("%d records are kept, %v", len(passed.Rows.Records), err)
	}
	if a, b := w.plan(text, false).Describe(out), p.Describe(passed); a.Keys != b.Keys || a.Rows != b.Rows {
		t.Errorf("%+v %s, want %+v %s", b.Rows, b.Keys, a.Rows, a.Keys)
	}
	for _, name := range []string{"results.csv", "results-wide.csv", "bins.csv", "pairs.csv", "fits.csv", "times.csv"} {
		want, err := os.ReadFile(filepath.Join(kept, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(written, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s has other bytes, %v", name, err)
		}
	}
}
