package main

import (
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
)

func specCommand() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "spec",
		Short: "Print the reference of the spec language",
		Long: `spec prints every key that a spec can have, with its type, its default, its
meaning and an example, as Markdown. docs/spec.md is this page.

With --schema it prints a JSON Schema (draft 7), which editors use for completion
and for checks. A spec names it in its first line:

  # yaml-language-server: $schema=spec.schema.json`,
		Example: `  qats spec
  qats spec --schema > spec.schema.json`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if schema {
				return spec.WriteSchema(cmd.OutOrStdout(), experiments.Registry())
			}
			return spec.WriteReference(cmd.OutOrStdout(), experiments.Registry())
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print a JSON Schema instead of Markdown")
	return cmd
}
