package main

import "github.com/spf13/cobra"

// boardCommand has the commands of the leaderboard.
func boardCommand() *cobra.Command {
	return commandOf(&cobra.Command{
		Use:   "board",
		Short: "The leaderboard: submit a calibrator, check an entry, make the page",
		Long:  `board has the commands of the leaderboard. docs/calibrator.md#the-board has its rules.`,
		Example: examples(
			`board submit mine.py --author "A. Author" --reference "Author (2026)" --licence MIT`,
			"board verify submissions/mine",
			"board page",
		),
	}, handInCommand(), verifyCommand(), boardPageCommand(), freshCommand())
}
