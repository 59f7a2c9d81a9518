package main

import (
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/terminal"
)

func simulateCommand() *cobra.Command {
	var from []string
	var out string
	cmd := &cobra.Command{
		Use:   "simulate SPEC...",
		Short: "Write the simulated arrays of specs as .npy files",
		Long: `simulate writes the simulated arrays of the specs in the default layout. A run does not need these
files.`,
		Example:           examples("paper simulate experiments/paper/tasks.yaml --out /tmp/arrays"),
		Args:              specArgs,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if out == "" {
				return usage("paper simulate needs --out DIR")
			}
			specs, err := experiments.ReadSpecs(files)
			if err != nil {
				return err
			}
			plan, err := experiments.MakePlan(cmd.Context(), specs, experiments.PlanOptions{Data: from, Fresh: true, Digests: &folder.Digests{}})
			if err != nil {
				return err
			}
			n, err := plan.Export(cmd.Context(), out)
			if err != nil {
				return err
			}
			terminal.Fprintf(cmd.OutOrStdout(), "wrote %d sets below %s\n", n, out)
			return nil
		},
	}
	dataFlag(cmd, &from)
	cmd.Flags().StringVar(&out, "out", "", "`DIR` to write into")
	cmd.MarkFlagDirname("out")
	return cmd
}
