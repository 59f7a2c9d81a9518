// Command qats fits, scores and compares post-hoc calibrators: see
// qats --help, and README.md for a first tour.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments/cluster"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/terminal"
)

// Exit statuses.
const (
	exitOK     = 0 // all cells ok or skipped for a declared reason
	exitFailed = 1 // some cell failed
	exitUsage  = 2 // a mistake in the command, a spec or an input file, or the store or the machine failed

	exitTerminated  = 75  // SIGTERM, or cells are missing that --assemble waits for; EX_TEMPFAIL of sysexits.h, which batch systems take as "run again"
	exitIdle        = 143 // SIGTERM, as shells have it: of a task that has stored nothing since its start, so that another start is of no use
	exitInterrupted = 130 // Ctrl-C, as shells have it
)

// started is the time at which the program starts, as early as it can know it.
var started = time.Now()

func main() {
	os.Exit(interruptible(os.Args[1:], os.Stdout, os.Stderr))
}

// signalled is the cause of a context that a signal has cancelled.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return s.String() }

func (s signalled) status(ctx context.Context) int {
	switch {
	case s.Signal != syscall.SIGTERM:
		return exitInterrupted
	case idleOf(ctx).Load():
		return exitIdle
	}
	return exitTerminated
}

// idleKey is the key of the value of a context that idleOf returns.
type idleKey struct{}

// idleOf says of the command of a context whether it is a task that has stored nothing yet.
func idleOf(ctx context.Context) *atomic.Bool {
	if idle, ok := ctx.Value(idleKey{}).(*atomic.Bool); ok {
		return idle
	}
	return new(atomic.Bool)
}

// grace is how long a command may go on after a signal, to say what it keeps. Files
// appear complete or not at all, so the process may end at any time.
const grace = 5 * time.Second

// interruptible is run with a context that the first Ctrl-C (or SIGTERM) cancels.
// The process ends after grace even if the command has not noticed, and at once by
// a second signal.
func interruptible(args []string, stdout, stderr io.Writer) int {
	// Without it the first write to a pipe that nobody reads would end the process. A signal that
	// is ignored would be ignored by the programs that are started, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), idleKey{}, new(atomic.Bool)))
	defer cancel(nil)
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, args, stdout, stderr) }()
	select {
	case status := <-ended:
		return status
	case s := <-signals:
		signal.Stop(signals) // a second one has its usual effect
		cancel(signalled{s})
		select {
		case status := <-ended:
			return status
		case <-time.After(grace):
			newMessages(stderr, args).fail(interrupted{"interrupted; run again to go on", context.Canceled})
			return signalled{s}.status(ctx)
		}
	}
}

// errFailed ends a command that has already printed which cells failed.
var errFailed = errors.New("some cells failed")

// failedFor is errFailed of a command whose printed text says why: with --errors json the errors are
// those that it joins.
type failedFor struct{ why []error }

func (failedFor) Error() string { return errFailed.Error() }

func (failedFor) Is(target error) bool { return target == errFailed }

// run is the program without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	args, typed := renewed(args)
	ctx = withFormers(ctx, typed)
	root.SetArgs(args)
	said := &output{w: stdout}
	out, warned := terminal.NewWriter(said), newMessages(stderr, args)
	root.SetOut(out)
	root.SetErr(warned)
	err := cmp.Or(noDashedFiles(args), noHelpOfNothing(root, args))
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	out.Flush() // said has its error
	if said.err != nil && (err == nil || errors.Is(err, errFailed)) {
		err = fmt.Errorf("standard output: %w", said.err)
	}
	defer warned.Flush()
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed):
		if warned.form == errorJSON { // else the command has printed which
			warned.fail(err)
		}
		return exitFailed
	case errors.As(err, new(*notIn)), errors.As(err, new(*cluster.Missing)):
		warned.fail(err)
		return exitTerminated
	case errors.Is(err, context.Canceled):
		what := strings.TrimSuffix(err.Error(), ": "+context.Canceled.Error())
		if err == context.Canceled {
			what = "interrupted"
		}
		warned.fail(interrupted{what + "; run again to go on", err})
		var s signalled
		if errors.As(context.Cause(ctx), &s) {
			return s.status(ctx)
		}
		return exitFailed
	}
	warned.fail(err)
	return exitUsage
}

// interrupted is the error of a command that was interrupted, in other words.
type interrupted struct {
	text string
	error
}

func (i interrupted) Error() string { return i.text }
func (i interrupted) Unwrap() error { return i.error }

// output remembers the first error of writing to it, such as a full disk: what a
// command prints is part of its result. A reader that has gone, as head does when it has
// its lines, is no error: the command goes on, and the rest is written to nobody.
type output struct {
	w    io.Writer
	gone bool // the reader
	err  error
}

func (o *output) Write(b []byte) (int, error) {
	if o.gone {
		return len(b), nil
	}
	n, err := o.w.Write(b)
	if closedPipe(err) {
		o.gone = true
		return len(b), nil
	}
	o.err = cmp.Or(o.err, err)
	return n, err
}

// closedPipe reports whether an error of writing is that nobody reads any more.
func closedPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // of Windows
	return errors.Is(err, syscall.EPIPE) || runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}

func newRoot() *cobra.Command {
	var showVersion, asJSON bool
	root := &cobra.Command{
		Use:         called.Name(),
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: called.Command()},
		Short:       "Benchmark post-hoc calibrators on precomputed logits",
		Long: called.Name() + ` fits post-hoc calibrators on precomputed logits, scores them, and renders
tables and figures. An experiment is a YAML spec. Its numbers are written to CSV
files, and tables and figures are made only from these files.`,
		Example: examples(
			"try cal/logits.npy cal/labels.npy test/logits.npy test/labels.npy",
			"init mine",
			"run mine.yaml",
			"fit qats --logits cal/logits.npy --labels cal/labels.npy -o model.json",
			"apply model.json --logits test/logits.npy -o probs.npy",
			"score --probs probs.npy --labels test/labels.npy",
		),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case showVersion:
				return printVersion(cmd.OutOrStdout(), asJSON)
			case asJSON:
				return usage("%s", called.Command()+" --json says nothing alone: "+called.Command()+" --version --json prints the version as JSON")
			}
			return cmd.Help()
		},

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			tellFormers(cmd)
			return checkFlags(cmd)
		},
	}
	root.SetFlagErrorFunc(noSuchFlag)
	root.PersistentFlags().BoolP("quiet", "q", false, "print no progress, and nothing that is also written to files")
	root.PersistentFlags().BoolP("verbose", "v", false, "print more: the plan of a run, each finished setting, all tables and notes")
	root.MarkFlagsMutuallyExclusive("quiet", "verbose")
	form := errorText // errorFormOf reads it
	persistentChoice(root, &form, "errors", []errorForm{errorText, errorJSON}, "`FORM` of errors and warnings; also by "+errorsVariable)
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	root.Flags().BoolVar(&asJSON, "json", false, "with --version: "+oneObject)
	addCommands(root)
	return root
}

// quiet and verbose report the flags of these names.
func quiet(cmd *cobra.Command) bool   { return isSet(cmd, "quiet") }
func verbose(cmd *cobra.Command) bool { return isSet(cmd, "verbose") }

func isSet(cmd *cobra.Command, flag string) bool {
	set, err := cmd.Flags().GetBool(flag)
	return err == nil && set
}

// unlessQuiet returns the writer for output that files hold too.
func unlessQuiet(cmd *cobra.Command) io.Writer {
	if quiet(cmd) {
		return io.Discard
	}
	return cmd.OutOrStdout()
}

// checkFlags rejects fewer than one worker, and a flag of a folder or file that is given
// without a name: a script whose variable is not set would write somewhere else.
func checkFlags(cmd *cobra.Command) error {
	if n, err := cmd.Flags().GetInt("workers"); err == nil && n < 1 {
		return usage("--workers %d: want 1 or more", n)
	}
	for _, name := range []string{"out", "store", "output"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return usage("--%s is empty: name a folder or file, or leave the flag out", name)
		}
		if f := cmd.Flags().Lookup(name); f != nil && name != "output" && f.Value.String() == stdoutName {
			return usage("--%s -: standard output is no folder: name a folder", name)
		}
	}
	return nil
}

// arguments returns an error that shows the usage of the command if it does not have
// least to most arguments.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if least <= len(args) && len(args) <= most {
			return nil
		}
		want := "no argument"
		switch {
		case least == 1:
			want = "one argument"
		case most == 1:
			want = "at most one argument"
		}
		return usage("%s takes %s, not %d: %s", commandName(cmd), want, len(args), cmd.UseLine())
	}
}

// commandName is the name of a command with the commands above it, as it follows the name of the program.
func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), called.Command()+" ")
}

// argumentsOr returns the error mistake if a command does not have least to most
// arguments.
func argumentsOr(least, most int, mistake string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage("%s", mistake)
		}
		return nil
	}
}

// noSuchFlag adds the most similar flag of the command to the error of an unknown one.
func noSuchFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return usageError{error: err}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	hint := called.Command() + " " + commandName(cmd) + " --help lists them"
	if cmd.Parent() == nil {
		hint = called.Command() + " --help lists them"
	}
	if near := keyed.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		hint = "did you mean --" + near + "?"
	}
	return usageError{err, hint}
}

// noHelpOfNothing returns an error where help is asked for about a command that there is not: cobra
// prints the help of the command above it.
func noHelpOfNothing(root *cobra.Command, args []string) error {
	if !slices.Contains(args, "--help") && !slices.Contains(args, "-h") {
		return nil
	}
	root.InitDefaultHelpCmd() // these are known from Execute on
	root.InitDefaultCompletionCmd(args...)
	above, rest, err := root.Find(args)
	if err != nil || !above.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil // the command says what is wrong
	}
	if strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) { // a shell asks what could follow these words
		return nil
	}
	return noSuchCommand(above, rest[:1])
}

// noSuchCommand returns an error for words after a command that are not one of those below it.
func noSuchCommand(above *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	above.SuggestionsMinimumDistance = 2
	name, hint := args[0], called.Command()+" --help lists them"
	if above.HasParent() {
		name, hint = commandName(above)+" "+name, called.Command()+" "+commandName(above)+" --help lists them"
	}
	if near := above.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usageError{fmt.Errorf("unknown command %q", name), hint}
}
