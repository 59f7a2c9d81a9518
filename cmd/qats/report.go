package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/plots"
)

func reportCommand() *cobra.Command {
	var out string
	var figures []plots.Format
	cmd := &cobra.Command{
		Use:   "report SPEC...",
		Short: "Render tables and figures from the CSV files",
		Long: `report renders the tables (LaTeX and text) and the figures of the specs into
OUT/tables and OUT/figures, and prints the tables. It writes OUT/report.tex, a LaTeX
document of all of them, and OUT/index.html, a page for a browser. Tables and figures
are made from the CSV files in OUT alone.`,
		Example:           "  qats report experiments/example.yaml --out results/out",
		Args:              specArgs,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, files []string) error {
			specs, err := experiments.ReadSpecs(files)
			if err != nil {
				return err
			}
			if err := report.WriteViews(unlessQuiet(cmd), specs, out, "report.tex", figures...); err != nil {
				return err
			}
			if err := makePage(unlessQuiet(cmd), out); err != nil {
				return err
			}
			nextCompare(cmd, specs)
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("results", "out"), "folder of results.csv; tables/ and figures/ are written into it")
	cmd.MarkFlagDirname("out")
	figureFormats(cmd, &figures)
	return cmd
}
