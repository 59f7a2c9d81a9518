package main

import "github.com/spf13/cobra"

// boardCommand has the commands of the leaderboard.
func boardCommand() *cobra.Command {
	return commandOf(&cobra.Command{
		Use:   "board",
		Short: "The leaderboard: hand in a calibrator, check an entry, make the page",
		Long: `board has the commands of the leaderboard. submit runs a calibrator of yours on the networks
of the leaderboard and makes an entry of it, verify runs an entry again, page makes the page.
docs/calibrator.md has the rules.`,
		Example: examples(
			`board submit mine.py --author "A. Author" --reference "Author (2026)" --licence MIT`,
			"board verify submissions/mine",
			"board page",
		),
	}, handInCommand(), verifyCommand(), boardPageCommand())
}
