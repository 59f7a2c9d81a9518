package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/paper/claims"
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
		Short: "Run the specs of the paper, render its tables and figures, compare with its numbers",
		Long: `reproduce runs the specs of the paper, renders their tables and figures, and compares the numbers
with the published ones. A setting is measured if its arrays are in data/arrays or in --data, and
simulated otherwise; the two are never mixed. Its last lines say which claims of the paper hold.`,
		Example: examples(
			"paper reproduce --out results/out",
			"paper reproduce --out /tmp/quick --quick",
		),
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			specs, err := experiments.ReadSpecs(paperSpecs)
			if err != nil {
				return err
			}
			if at.are, err = settingsAre(specs); err != nil {
				return err
			}
			if at.are != "" {
				fmt.Fprintln(unlessQuiet(cmd), at.are)
			}
			if at.quick {
				fmt.Fprintf(unlessQuiet(cmd), "--quick: only the first %d rows of each set; this checks that everything runs and is no result\n", quickRows)
			}
			failed := execute(cmd, &at, specs, at.out, experiments.RunOptions{Workers: workers}, unlessQuiet(cmd))
			if failed != nil && failed != errFailed {
				return failed
			}
			w := unlessQuiet(cmd)
			if err := report.WriteViews(w, specs, at.out, report.ViewOptions{Document: "paper.tex", Formats: figures, All: verbose(cmd), Width: widthOf(w)}); err != nil {
				return err
			}
			comparison, err := writeDiff(at.out)
			if err != nil {
				return err
			}
			if err := makePage(io.Discard, at.out); err != nil {
				return err
			}
			fmt.Fprintln(w)
			if err := printVerdicts(w, comparison, at.out); err != nil {
				return err
			}
			return failed
		},
	}
	at.flags(cmd)
	at.quickFlag(cmd)
	at.memory.flag(cmd)
	workersFlag(cmd, &workers)
	figureFormats(cmd, &figures)
	ofRun(cmd, "Flags of the run")
	return cmd
}

// settingsAre says what the settings of specs are.
func settingsAre(specs []*spec.Spec) (string, error) {
	var list []results.Setting
	for _, s := range specs {
		list = append(list, lists.Values(s.Settings, func(at spec.Setting) results.Setting { return at.Setting })...)
	}
	extent, err := paper.ExtentOf(list)
	return extent.String(), err
}

// diffFile has the claims and the numbers of the paper with their verdicts.
const diffFile = "diff.txt"

// writeDiff compares the results in out with the paper, and writes the comparison.
func writeDiff(out string) (*claims.Comparison, error) {
	comparison, err := compareWithPaper(out)
	if err != nil {
		return nil, err
	}
	return comparison, atomicfile.Write(filepath.Join(out, diffFile), func(w io.Writer) error { return comparison.Text(w, lineWidth) })
}
