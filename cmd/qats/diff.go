package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/diff"
	"github.com/spf13/cobra"
)

func diffCommand() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Show reproduced numbers beside the published ones",
		Long: `diff sets each published number beside the record of results.csv that
reproduces it: difference, null band, source, and whether the ranking agrees.
Measured and simulated records have separate summaries, and only measured ones
get verdicts. It ends with the claims of the paper's text, judged on the
published numbers and on measured records. Disagreement is no failure: the exit
status is 0.`,
		Example: `  qats diff --out results/out
  qats diff --out results/out --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := readDiff(out)
			if err != nil {
				return err
			}
			if asJSON {
				return d.JSON(cmd.OutOrStdout())
			}
			return d.Text(cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("results", "out"), "folder of results.csv")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each cell, ranking, summary and claim")
	cmd.MarkFlagDirname("out")
	return cmd
}

// readDiff compares the published numbers with the results.csv in out.
func readDiff(out string) (*diff.Diff, error) {
	published, err := results.ReadPublished()
	if err != nil {
		return nil, err
	}
	records, err := results.ReadResults(filepath.Join(out, "results.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no results.csv in %s: qats run writes it", out)
	}
	if err != nil {
		return nil, err
	}
	return diff.Of(published, records), nil
}
