package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/diff"
	"github.com/spf13/cobra"
)

func diffCommand() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff [SPEC...]",
		Short: "Show reproduced numbers beside the published ones",
		Long: `diff sets each published number beside the record of results.csv that
reproduces it: difference, null band, source, and whether the ranking agrees.
Measured and simulated records have separate summaries, and only measured ones
get verdicts. It ends with the claims of the paper's text, judged on the
published numbers and on measured records. Disagreement is no failure: the exit
status is 0.

With SPECs it asks the claims of the data sets that a spec declares to be like
one of the paper's (like: {mine: cifar10}), and of nothing else.`,
		Example: `  qats diff --out results/out
  qats diff --out results/out --json
  qats diff experiments/companion.yaml --out results/out/companion`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) > 0 {
				l, err := readLikeness(files, out)
				if err != nil {
					return err
				}
				if asJSON {
					return l.JSON(cmd.OutOrStdout())
				}
				return l.Text(cmd.OutOrStdout())
			}
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
	published, records, err := readNumbers(out)
	if err != nil {
		return nil, err
	}
	return diff.Of(published, records), nil
}

// readLikeness asks the claims of the data sets that the specs say are like the
// paper's, by the results.csv in out.
func readLikeness(files []string, out string) (*diff.Likeness, error) {
	specs, err := spec.ReadAll(files, experiments.Registry())
	if err != nil {
		return nil, err
	}
	like := map[string]string{}
	for _, s := range specs {
		for dataset, of := range s.Like {
			if other := like[dataset]; other != "" && other != of {
				return nil, fmt.Errorf("%s: %s is like %s here and like %s in another spec", s.File, dataset, of, other)
			}
			like[dataset] = of
		}
	}
	if len(like) == 0 {
		return nil, fmt.Errorf("%s: no dataset is declared to be like one of the paper's (like: {mine: cifar10})", files[0])
	}
	published, records, err := readNumbers(out)
	if err != nil {
		return nil, err
	}
	l, err := diff.Akin(published, records, like)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(out, "results.csv"), err)
	}
	return l, nil
}

// readNumbers returns the published numbers and the records of results.csv in
// out.
func readNumbers(out string) ([]results.Published, []results.Record, error) {
	published, err := results.ReadPublished()
	if err != nil {
		return nil, nil, err
	}
	records, err := results.ReadResults(filepath.Join(out, "results.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("no results.csv in %s: qats run writes it", out)
	}
	return published, records, err
}
