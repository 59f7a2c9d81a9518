package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/plots"
)

// paperSpecs are the specs that have the paper's tables and figures, in its order.
var paperSpecs = []string{
	"experiments/paper/standard.yaml", "experiments/paper/longtail.yaml", "experiments/paper/shift.yaml", "experiments/paper/medical.yaml",
	"experiments/paper/tasks.yaml", "experiments/paper/losses.yaml", "experiments/paper/ablation.yaml", "experiments/paper/rescale.yaml",
}

// quickRows is the number of rows of each set under --quick: enough to run all the
// code, too few for the numbers to mean much.
const quickRows = 500

func reproduceCommand() *cobra.Command {
	var at places
	var workers int
	var figures []plots.Format
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Reproduce the paper: run its specs, render its tables and figures, compare with its numbers",
		Long: `reproduce runs the specs of the paper in experiments/paper, renders their tables
and figures, compares the numbers with the published ones (diff.txt), and makes
index.html, a page of all of it for a browser. A setting is measured if its arrays
are in data/arrays or in a folder given by --data, and simulated otherwise; the two
are never mixed. In the root of the project the specs are read from its files,
elsewhere from the program.`,
		Example: `  qats reproduce --out results/out
  qats reproduce --out /tmp/quick --quick`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if at.quick {
				fmt.Fprintf(unlessQuiet(cmd), "--quick: only the first %d rows of each set; this checks that everything runs and is no result\n", quickRows)
			}
			specs, err := experiments.ReadSpecs(paperSpecs)
			if err != nil {
				return err
			}
			failed := execute(cmd, &at, specs, at.out, experiments.RunOptions{Workers: workers}, unlessQuiet(cmd))
			if failed != nil && failed != errFailed {
				return failed
			}
			if err := report.WriteViews(unlessQuiet(cmd), specs, at.out, "paper.tex", figures...); err != nil {
				return err
			}
			if err := writeDiff(cmd, at.out); err != nil {
				return err
			}
			if err := makePage(unlessQuiet(cmd), at.out); err != nil {
				return err
			}
			return failed
		},
	}
	at.flags(cmd)
	at.quickFlag(cmd)
	at.memory.flag(cmd, "memory for arrays")
	workersFlag(cmd, &workers)
	figureFormats(cmd, &figures)
	return cmd
}

// writeDiff writes diff.txt and prints its first part, the summary and the claims.
func writeDiff(cmd *cobra.Command, out string) error {
	comparison, err := compareWithPaper(out)
	if err != nil {
		return err
	}
	path := filepath.Join(out, "diff.txt")
	if err := atomicfile.Write(path, comparison.Text); err != nil {
		return err
	}
	if err := comparison.Summary(unlessQuiet(cmd)); err != nil {
		return err
	}
	_, err = terminal.Fprintf(unlessQuiet(cmd), "(row by row: %s)\n", path)
	return err
}
