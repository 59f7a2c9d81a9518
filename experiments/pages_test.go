package experiments

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results/compare"
)

// TestPageFilesAreInOrder: a file that cannot be written leaves those before it and none
// after it, the same in each run.
func TestPageFilesAreInOrder(t *testing.T) {
	w := newWorld(t)
	out, _ := w.run("name: t\nmethods: [uncal, ts, ir]\nmetrics: [ece]\nsettings:\n  - {dataset: d, backbone: [a, b]}\n  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}\n", RunOptions{})
	pages, err := Compare{Metrics: []string{"ece"}, Against: "ts", Block: compare.BySetting, Compact: true, Formats: []plots.Format{plots.SVG}}.Pages(&out.Rows)
	if err != nil || len(pages) != 1 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	base := "ece-" + pages[0].Source
	for range 8 {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, base+"-notes.tex", "in the way"), 0o777); err != nil {
			t.Fatal(err)
		}
		if pages[0].Write(io.Discard, dir, "") == nil {
			t.Fatal("a folder was written over")
		}
		for name, want := range map[string]bool{".txt": true, ".tex": true, "-strengths.tex": false} {
			if _, err := os.Stat(filepath.Join(dir, base+name)); (err == nil) != want {
				t.Errorf("%s%s: %v", base, name, err)
			}
		}
	}
	if len(pages[0].Ranking.Methods) == 0 {
		t.Error("no file comes after the notes")
	}
}

// TestPagesShareTheirRows: pages by many metrics keep one copy of the rows.
func TestPagesShareTheirRows(t *testing.T) {
	w := newWorld(t)
	out, _ := w.run("name: t\nmethods: [uncal, ts]\nmetrics: [ece, nll]\nsettings: {dataset: d, backbone: [a, b]}\n", RunOptions{})
	pages, err := Compare{Metrics: []string{"ece", "nll"}, Against: "ts"}.Pages(&out.Rows)
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	if pages[0].rows != pages[1].rows {
		t.Error("each page has a copy of the rows")
	}
}
