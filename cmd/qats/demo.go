package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
)

func demoCommand() *cobra.Command {
	var t trying
	cmd := &cobra.Command{
		Use:   "demo [NETWORK]",
		Short: "Run qats try on a small network that the program carries",
		Long: `demo is qats try on the outputs of a small text classifier: it says which calibrator to
use for it. It takes about a second, needs no file and writes none without --out. The
networks are
` + strings.Join(trial.Networks(), " (the default) and ") + `.`,
		Example: `  qats demo
  qats demo mlp-tfidf-h128`,
		Args:              arguments(0, 1),
		ValidArgsFunction: oneArgument(trial.Networks),
		RunE: func(cmd *cobra.Command, args []string) error {
			network := trial.Networks()[0]
			if len(args) > 0 {
				network = args[0]
			}
			given, err := trial.Carried(cmd.Context(), network)
			if err != nil {
				return err
			}
			if err := t.run(cmd, given); err != nil || t.json || quiet(cmd) {
				return err
			}
			others := lists.Where(trial.Networks(), func(name string) bool { return name != given.Setting.Backbone })
			w := cmd.OutOrStdout()
			fmt.Fprintln(w)
			english.Wrap(w, "", fmt.Sprintf("This is one network; qats demo %s has another. For a general answer see qats compare --spec companion.", others[0]), min(widthOf(w), lineWidth))
			return nil
		},
	}
	t.flags(cmd)
	return cmd
}
