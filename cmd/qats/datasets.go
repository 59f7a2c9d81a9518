package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// datasetsCommand returns the command fetch or import, which the Python package does: it
// answers with the line to run.
func datasetsCommand(use, short, example string) *cobra.Command {
	name, _, _ := strings.Cut(use, " ")
	return &cobra.Command{
		Use:   use,
		Short: short,
		Long: name + ` is a command of the Python package, whose libraries the published files are made with:

  pip install './python[datasets]'
  python3 -m qats.datasets ` + name + ` --help

In a clone of the project, PYTHONPATH=python python3 -m qats.datasets does without an installation.
docs/public-data.md lists what can be fetched, and the formats.`,
		Example:            "  " + example,
		DisableFlagParsing: true, // the flags are those of the Python command
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "--help" }) {
				return cmd.Help()
			}
			line := "python3 -m qats.datasets " + name
			if len(args) > 0 {
				line += " " + quoted(args)
			}
			return fmt.Errorf("qats %s is a command of the Python package (pip install './python[datasets]'): %s", name, line)
		},
	}
}

func fetchCommand() *cobra.Command {
	return datasetsCommand("fetch SOURCE|ADDRESS...", "Download published predictions and import them: see python3 -m qats.datasets", "python3 -m qats.datasets fetch real")
}

func importCommand() *cobra.Command {
	return datasetsCommand("import FORMAT FILE...", "Import predictions that other people published: see python3 -m qats.datasets",
		"python3 -m qats.datasets import nncal probs_*_logits.p")
}
