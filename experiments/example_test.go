package experiments_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// Plan, run, write the CSV files, render the views.
func Example() {
	out, err := os.MkdirTemp("", "qats")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(out)
	if err := example(out); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 settings: 0 measured, 2 simulated, 0 without arrays
	// 6 cells, 0 failed, 5 fits
	// mine-ece.txt
}

func example(out string) error {
	ctx := context.Background()
	s, err := spec.Parse("mine.yaml", []byte(`
name: mine
data: [data/example]
methods: [uncal, ts, qats]
metrics: [accuracy, ece]
settings: {dataset: example, backbone: [unsure-overscaled, sure-overscaled]}
`), experiments.Registry())
	if err != nil {
		return err
	}
	store, err := results.Open(filepath.Join(out, "store"))
	if err != nil {
		return err
	}
	plan, err := experiments.MakePlan(ctx, []*spec.Spec{s}, experiments.PlanOptions{Store: store, Digests: &folder.Digests{}})
	if err != nil {
		return err
	}
	n := plan.CountSettings()
	fmt.Printf("%d settings: %d measured, %d simulated, %d without arrays\n", n.Settings, n.Measured, n.Simulated, n.Absent)

	outcome, err := plan.Run(ctx, experiments.RunOptions{Workers: 2})
	if err != nil {
		return err
	}
	fmt.Printf("%d cells, %d failed, %d fits\n", outcome.Cells, outcome.Failed, outcome.Fitted)
	if err := results.Folder(out).Write(&outcome.Rows); err != nil {
		return err
	}
	if err := report.WriteViews(io.Discard, []*spec.Spec{s}, out, report.ViewOptions{}); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(out, "tables", "*.txt"))
	for _, file := range files {
		fmt.Println(filepath.Base(file))
	}
	return err
}
