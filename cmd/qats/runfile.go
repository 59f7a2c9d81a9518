package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/results"
)

// writeRun writes run.json of a finished run into dir.
func writeRun(cmd *cobra.Command, plan *experiments.Plan, out *experiments.Outcome, dir string) error {
	r := plan.Describe(out)
	r.Version, r.Commit = version()
	r.Command, r.DataGiven = commandText(cmd), cmd.Flags().Changed("data")
	return results.Folder(dir).WriteRun(r)
}

// numberFlags are the flags that the numbers of a run depend on.
var numberFlags = []string{"quick", "against", "metric", "block", "only", "splits", "interval", "allow-exec", "env"}

// commandText returns the command of a run without what its results do not depend
// on: folders are OUT and DIR, and flags about speed and the store are left out.
func commandText(cmd *cobra.Command) string {
	words := []string{"qats", commandName(cmd)} // whatever name it was called by
	for _, arg := range cmd.Flags().Args() {
		words = append(words, filepath.Base(arg))
	}
	if specs, err := cmd.Flags().GetStringArray("spec"); err == nil {
		for _, file := range specs {
			words = append(words, "--spec "+filepath.Base(file))
		}
	}
	if cmd.Flags().Changed("data") {
		words = append(words, "--data DIR")
	}
	words = append(words, given(cmd, numberFlags...)...)
	return strings.Join(append(words, "--out OUT"), " ")
}
