package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func simulateCommand() *cobra.Command {
	var at places
	var dir string
	cmd := &cobra.Command{
		Use:   "simulate SPEC...",
		Short: "Write the simulated arrays that specs use as .npy files",
		Long: `simulate writes what the source "simulate" serves to the settings of the specs,
in the default layout, with a manifest that calls it simulated. Running a spec
needs none of it: rows are made as they are read.`,
		Example: "  qats simulate experiments/tasks.yaml --arrays /tmp/arrays",
		Args:    specArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if dir == "" {
				return fmt.Errorf("simulate needs --arrays DIR")
			}
			plan, _, err := at.plan(cmd, files)
			if err != nil {
				return err
			}
			n, err := plan.Export(cmd.Context(), dir)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "wrote %d sets below %s\n", n, dir)
			return nil
		},
	}
	at.flags(cmd)
	cmd.Flags().StringVar(&dir, "arrays", "", "folder to write into")
	cmd.MarkFlagDirname("arrays")
	return cmd
}
