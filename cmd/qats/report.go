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
	latex := "full"
	cmd := &cobra.Command{
		Use:   "report SPEC...",
		Short: "Render tables and figures from the CSV files",
		Long: `report renders the tables (LaTeX and text) and the figures of the specs into
OUT/tables and OUT/figures. It writes OUT/report.tex, a LaTeX document of all of them,
and OUT/index.html, a page for a browser. Tables and figures are made from the CSV files
in OUT alone. It prints where they are and, of a single spec, the first table if that is
short; with --verbose it prints all tables.`,
		Example:           "  qats report experiments/example.yaml --out results/out",
		Args:              specArgs,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, files []string) error {
			specs, err := experiments.ReadSpecs(files)
			if err != nil {
				return err
			}
			w := unlessQuiet(cmd)
			if err := report.WriteViews(w, specs, out, report.ViewOptions{Formats: figures, Compact: latex == "compact", All: verbose(cmd), Width: widthOf(w)}); err != nil {
				return err
			}
			return makePage(w, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("results", "out"), "folder of results.csv; tables/ and figures/ are written into it")
	cmd.MarkFlagDirname("out")
	figureFormats(cmd, &figures)
	choiceFlag(cmd, &latex, "latex", []string{"full", "compact"}, "LaTeX tables: full, or compact for one column of a paper, without consistency bands and with their notes in files of their own")
	return cmd
}
