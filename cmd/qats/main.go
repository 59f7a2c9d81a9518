// Command qats fits, scores and compares post-hoc calibrators: see
// qats --help, and README.md for a first tour.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK     = 0 // all cells ok or skipped for a declared reason
	exitFailed = 1 // some cell failed, or the run was interrupted
	exitUsage  = 2 // a mistake in the command, a spec or an input file
)

// started is the earliest time of the process that the program can know.
var started = time.Now()

func main() { os.Exit(interruptible(os.Args[1:], os.Stdout, os.Stderr)) }

// interruptible is run with a context that the first Ctrl-C (or SIGTERM) cancels.
// A second one ends the process, because the handler is gone by then.
func interruptible(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, args, stdout, stderr)
}

// errFailed ends a command that has already printed which cells failed.
var errFailed = errors.New("some cells failed")

// run is the program without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed):
		return exitFailed
	case errors.Is(err, context.Canceled):
		what := strings.TrimSuffix(err.Error(), ": "+context.Canceled.Error())
		if err == context.Canceled {
			what = "interrupted"
		}
		fmt.Fprintln(stderr, "qats:", what)
		return exitFailed
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintln(stderr, "qats:", line)
	}
	return exitUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "qats",
		Short: "Benchmark post-hoc calibrators on precomputed logits",
		Long: `qats fits post-hoc calibrators on precomputed logits, scores them, and renders
tables and figures. An experiment is a YAML spec. Its numbers are written to CSV
files, and tables and figures are made from these files alone.`,
		Example: `  qats plan experiments/example.yaml
  qats run experiments/example.yaml --out results/out
  qats report experiments/example.yaml --out results/out
  qats fit qats --logits cal/logits.npy --labels cal/labels.npy -o model.json
  qats apply model.json --logits test/logits.npy -o probs.npy
  qats score --probs probs.npy --labels test/labels.npy`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(
		planCommand(), runCommand(), reportCommand(), reproduceCommand(), simulateCommand(),
		fitCommand(), applyCommand(), scoreCommand(),
		fetchCommand(), importCommand(),
		methodsCommand(), metricsCommand(), specCommand(),
		diffCommand(), auditCommand(), compareCommand(), pageCommand(),
	)
	return root
}

// noSuchCommand returns an error for words after qats that are not a command.
func noSuchCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	root.SuggestionsMinimumDistance = 2
	hint := "qats --help lists them"
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q (%s)", args[0], hint)
}
