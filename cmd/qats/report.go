package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/plots"
)

func reportCommand() *cobra.Command {
	var out string
	var figures []plots.Format
	var printed report.Form
	cmd := &cobra.Command{
		Use:   "report SPEC... | DIR",
		Short: "Render tables, figures and a page from the CSV files",
		Long: `report renders the tables and figures of the specs, only from the CSV files in OUT, into OUT/tables
and OUT/figures. It also writes OUT/report.tex, a LaTeX document of all of them, and
OUT/index.html, a page for a browser. Of a folder in place of specs it makes only the page.`,
		Example: examples(
			"report experiments/example.yaml --out results/out",
			"report experiments/example.yaml --format latex > tables.tex",
			"report results/out/companion",
		),
		Args:              specArgs,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if dir := slices.IndexFunc(files, isResults); dir >= 0 {
				if len(files) > 1 || slices.ContainsFunc([]string{"out", "format", "figure-format"}, cmd.Flags().Changed) {
					return usage("%s is a folder, and report makes only the page of a folder: give no spec and no flag with it", files[dir])
				}
				return makePage(unlessQuiet(cmd), files[dir])
			}
			specs, err := experiments.ReadSpecs(files)
			if err != nil {
				return err
			}
			w := unlessQuiet(cmd)
			options := report.ViewOptions{Formats: figures, All: verbose(cmd), Tables: printed, Width: widthOf(w),
				Lacking: func(line string) { warn(cmd.ErrOrStderr(), newTextWarning(line)) }}
			if err := report.WriteViews(w, specs, out, options); err != nil {
				return err
			}
			if printed != "" {
				w = io.Discard
			}
			return makePage(w, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("results", "out"), "`DIR` of the results")
	cmd.MarkFlagDirname("out")
	figureFormats(cmd, &figures)
	choiceFlag(cmd, &printed, "format", report.Forms(), "print all tables in this `FORM`")
	return cmd
}

// isResults reports whether an argument of report is a folder of results, and not the name
// of a spec of the project.
func isResults(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() && !slices.Contains(experiments.BuiltinSpecs(), strings.ToLower(name))
}

// pageMemory is enough for the page of 10,000 settings of eight methods.
const pageMemory = 768 << 20

// makePage makes the page of the folder dir, and prints to w what to open.
func makePage(w io.Writer, dir string) error {
	(&memory{bytes: pageMemory}).hold()
	return report.WritePage(w, dir, page.Options{})
}
