package main

import (
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/results/page"
)

func pageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "page DIR",
		Short: "Make index.html, the page of an output folder",
		Long: `page writes DIR/index.html from results.csv, bins.csv and pairs.csv in DIR, and
from fits.csv, times.csv and run.json where they exist. The page is one file that
opens without a server and without the network. run, report and reproduce write it too.`,
		Example: "  qats page results/out/companion",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return experiments.WritePage(report(cmd), args[0], page.Options{})
		},
	}
}
