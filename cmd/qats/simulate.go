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
		Long: `simulate writes the arrays of the source "simulate" for the settings of
the specs, in the default layout, with a manifest that says that they are
simulated. A run does not need these files, because simulated rows are made when they
are read. Measured arrays are neither written nor overwritten.`,
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
	cmd.Flags().StringArrayVar(&from, "data", nil, "folder of arrays, searched before the sources of the specs; may be repeated")
	cmd.Flags().StringVar(&out, "out", "", "folder to write into")
	cmd.MarkFlagDirname("data")
	cmd.MarkFlagDirname("out")
	return cmd
}
