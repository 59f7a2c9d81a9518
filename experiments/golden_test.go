package experiments

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// goldenRows is the number of rows of each set: enough for every branch, few enough
// for a fast test.
const goldenRows = 60

// TestResultsOfTheGoldenSpecKeepTheirBytes runs testdata/golden.yaml, whose arrays
// are simulated, and compares results.csv with the committed one byte for byte.
// Kernels, random numbers and sums are portable, so the file is the same on every
// processor.
func TestResultsOfTheGoldenSpecKeepTheirBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 228 cells twice")
	}
	for _, workers := range []int{1, 3} {
		s, err := spec.Read(filepath.Join("testdata", "golden.yaml"), Registry())
		if err != nil {
			t.Fatal(err)
		}
		s.File = "golden.yaml" // the declared networks are those of the project
		store, err := results.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		p, err := MakePlan(context.Background(), []*spec.Spec{s}, PlanOptions{Store: store, Digests: &folder.Digests{}, First: goldenRows})
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(context.Background(), RunOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if out.Failed > 0 {
			t.Error(out.Reasons)
		}
		path := filepath.Join(t.TempDir(), "results.csv")
		if err := results.WriteResults(path, out.Rows.Records); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		compareGolden(t, filepath.Join("testdata", "golden.csv"), string(got))
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// compareGolden compares got with a file, or writes the file.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("%s:%d:\n got %q\nwant %q", file, i+1, append(gotLines, "")[min(i, len(gotLines))], append(wantLines, "")[min(i, len(wantLines))])
		}
	}
}
