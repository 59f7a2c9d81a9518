package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/report/page"
)

func pageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "page DIR",
		Short: "Make index.html, the page of an output folder",
		Long: `page writes DIR/index.html from results.csv, bins.csv and pairs.csv in DIR, and
from fits.csv, times.csv and run.json where they exist. The page is one file that
opens without a server and without the network. run, report and reproduce write it too.
A page of more than 5,000 settings leaves out the reliability diagrams and the fitted
parameters, and says so.`,
		Example: "  qats page results/out/companion",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return makePage(unlessQuiet(cmd), args[0])
		},
	}
}

// pageMemory is enough for the page of 10,000 settings of eight methods.
const pageMemory = 768 << 20

// makePage makes the page of the folder dir, and prints to w what to open.
func makePage(w io.Writer, dir string) error {
	(&memory{bytes: pageMemory}).hold()
	return report.WritePage(w, dir, page.Options{})
}
