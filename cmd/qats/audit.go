package main

import (
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/audit"
	"github.com/spf13/cobra"
)

func auditCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Check the published tables against themselves",
		Long: `audit recomputes marks, gaps and averages of the paper's ten tables from their
own printed numbers, and lists entries that do not fit each other. It needs no
results; findings are no failures, so the exit status is 0.`,
		Example: `  qats audit
  qats audit --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := results.ReadPublished()
			if err != nil {
				return err
			}
			findings := audit.Run(list)
			if asJSON {
				return audit.JSON(cmd.OutOrStdout(), findings)
			}
			return audit.Text(cmd.OutOrStdout(), len(list), findings)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each finding")
	return cmd
}
