package experiments

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// goldenRows of each set are enough for every branch and few enough for a test.
const goldenRows = 60

// TestGolden runs testdata/golden.yaml, whose arrays are simulated, and
// compares results.csv with the committed one byte for byte. Kernels, random
// numbers and sums are ours and portable, so it holds on every processor. Methods
// with gonum's solvers are not among them: their sums depend on the processor.
func TestGolden(t *testing.T) {
	for _, workers := range []int{1, 3} {
		spec, err := ReadSpec(filepath.Join("testdata", "golden.yaml"), known())
		if err != nil {
			t.Fatal(err)
		}
		spec.File = "golden.yaml" // the declared networks are those of the project
		store, err := results.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		p, err := MakePlan(context.Background(), []*Spec{spec}, PlanOptions{Store: store, Digests: &data.Digests{}, First: goldenRows})
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(context.Background(), RunOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for _, failure := range out.Failures {
			t.Error(failure)
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
