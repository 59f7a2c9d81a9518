package main

import "github.com/spf13/cobra"

// paperCommand has the commands that are about the paper alone.
func paperCommand() *cobra.Command {
	return commandOf(&cobra.Command{
		Use:   "paper",
		Short: "The paper: run its specs, compare with its numbers, check its tables",
		Long:  `paper has the commands that know the paper's settings, numbers and claims.`,
		Example: examples(
			"paper reproduce --out results/out",
			"paper diff experiments/companion.yaml --out results/out/companion",
			"paper audit",
		),
	}, reproduceCommand(), diffCommand(), auditCommand(), simulateCommand())
}

// commandOf returns a command that has others below it and does nothing itself: alone it
// prints its help, and a word that is none of them is an error.
func commandOf(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(below...)
	cmd.Args = noSuchCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}
