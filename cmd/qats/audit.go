package main

import (
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/paper/audit"
)

func auditCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Check the paper's printed tables for consistency",
		Long: `audit recomputes the marks, gaps and averages of the paper's tables from the printed numbers, and
lists values that do not agree with each other. It needs no results.`,
		Example: examples(
			"paper audit",
			"paper audit --json",
		),
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			numbers, err := paper.Read()
			if err != nil {
				return err
			}
			findings := audit.Run(numbers)
			if asJSON {
				return audit.JSON(cmd.OutOrStdout(), findings)
			}
			return audit.Text(cmd.OutOrStdout(), len(numbers), findings, widthOf(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, objects)
	return cmd
}
