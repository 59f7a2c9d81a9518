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
		Long: `audit recomputes the marks, gaps and averages of the paper's ten tables from the
printed numbers, and lists entries that contradict each other. It needs no
results. Findings are not failures: the exit status is 0.`,
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per finding and line")
	return cmd
}
