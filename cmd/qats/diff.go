package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper/claims"
)

func diffCommand() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff [SPEC...]",
		Short: "Compare reproduced numbers with the published ones, and judge the paper's claims",
		Long: `diff prints each published number beside the record that reproduces it, and judges the claims of the
paper. With SPECs it judges the claims on the data sets that the specs declare similar to the
paper's. The status is 0, also if numbers disagree.`,
		Example: examples(
			"paper diff --out results/out",
			"paper diff --out results/out --json",
			"paper diff experiments/companion.yaml --out results/out/companion",
		),
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, files []string) error {
			var verdicts interface {
				Text(w io.Writer, width int) error
				JSON(io.Writer) error
			}
			var err error
			if len(files) > 0 {
				verdicts, err = judgeSimilar(files, out)
			} else {
				verdicts, err = compareWithPaper(out)
			}
			switch {
			case err != nil:
				return err
			case asJSON:
				return verdicts.JSON(cmd.OutOrStdout())
			}
			return verdicts.Text(cmd.OutOrStdout(), widthOf(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("results", "out"), "`DIR` of results.csv")
	cmd.Flags().BoolVar(&asJSON, "json", false, objects)
	cmd.MarkFlagDirname("out")
	return cmd
}

// compareWithPaper compares the published numbers with the results.csv in out.
func compareWithPaper(out string) (*claims.Comparison, error) {
	folder, err := results.Folder(out).Read()
	if err != nil {
		return nil, err
	}
	return claims.Compare(folder)
}

// judgeSimilar judges the claims on the data sets that the specs declare similar to
// the paper's, by the results.csv in out.
func judgeSimilar(files []string, out string) (*claims.Similar, error) {
	specs, err := experiments.ReadSpecs(files)
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
	folder, err := results.Folder(out).Read()
	if err != nil {
		return nil, err
	}
	similar, err := claims.JudgeSimilar(folder, like)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", results.Folder(out).Path(results.ResultsFile), err)
	}
	return similar, nil
}
