package main

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/submission"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
)

// registryOf is the folder of the numbers of the methods of the project by a version, below the root of the project.
func registryOf(version string) leaderboard.Folder {
	return leaderboard.Folder(filepath.Join("results", "leaderboard", submission.FolderOf(version)))
}

// recordsDir is the folder of records, below the root of the project.
var recordsDir = filepath.Join("results", "leaderboard", "verified")

// boardFile is the file of the leaderboard beside its page.
const boardFile = "leaderboard.csv"

func boardPageCommand() *cobra.Command {
	var l boardPage
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Make the page of the leaderboard: methods of the project and entries",
		Long: `page compares the methods of the project and the entries in submissions, and writes
OUT/index.html and OUT/leaderboard.csv. An entry that cannot be read is left out; the status is
then 1.`,
		Example: examples(
			"board page",
			"board page --run",
			"board page --run --method qats,ts",
		),
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return l.make(cmd) },
	}
	f := cmd.Flags()
	f.BoolVar(&l.run, "run", false, "run the methods of the project first")
	f.StringSliceVar(&l.methods, "method", nil, "with --run: `NAMES` of methods or groups to run (default all)")
	f.StringVar(&l.protocol, "protocol", submission.Version, "`VERSION` of the protocol: "+strings.Join(submission.Versions(), " or "))
	f.StringVar(&l.registry, "registry", "", "`DIR` of the numbers of the methods of the project (default results/leaderboard/v2)")
	f.StringVar(&l.entries, "entries", entriesDir, "`DIR` of the entries")
	f.StringVar(&l.records.Dir, "records", recordsDir, "`DIR` of the records of verifications")
	f.StringVar(&l.records.Signers, "signers", "", "`FILE` of their signers (default allowed_signers there)")
	f.StringVar(&l.at.out, "out", filepath.Join("results", "out", "leaderboard"), "`DIR` of the page, and of the run with its store")
	dataFlag(cmd, &l.at.Data)
	for _, dir := range []string{"registry", "entries", "records", "out"} {
		cmd.MarkFlagDirname(dir)
	}
	cmd.RegisterFlagCompletionFunc("protocol", oneOf(submission.Versions))
	l.at.memory.flag(cmd)
	workersFlag(cmd, &l.workers)
	ofRun(cmd, "Flags of the run")
	return cmd
}

// boardPage holds the flags of board page.
type boardPage struct {
	at       places
	workers  int
	run      bool
	methods  []string
	protocol string
	registry string
	entries  string
	records  submission.Records
}

func (l *boardPage) make(cmd *cobra.Command) error {
	if l.methods != nil && !l.run {
		return usage("--method says what --run runs: give --run too")
	}
	if !slices.Contains(submission.Versions(), l.protocol) {
		return usage("--protocol %s: there are %s", l.protocol, strings.Join(submission.Versions(), " and "))
	}
	l.registry = cmp.Or(l.registry, string(registryOf(l.protocol)))
	w := unlessQuiet(cmd)
	var failed error
	if l.run {
		if failed = l.runRegistry(cmd); failed != nil && failed != errFailed {
			return failed
		}
	}
	b, refused, err := submission.Board(cmd.Context(), l.protocol, leaderboard.Folder(l.registry), l.entries, l.records)
	if err != nil {
		return err
	}
	for _, why := range refused {
		warn(cmd.ErrOrStderr(), newTextWarning("left out: "+why.Error()))
		failed = errFailed
	}
	path := filepath.Join(l.at.out, boardFile)
	if err := os.MkdirAll(l.at.out, 0o777); err != nil {
		return err
	}
	if err := atomicfile.Write(path, b.WriteCSV); err != nil {
		return err
	}
	index, err := page.WriteBoardFile(results.Folder(l.at.out), b)
	if err != nil {
		return err
	}
	for _, s := range b.Sections {
		say(w, "%s: %s", s.Contract.Title(), s.Statement)
	}
	if _, err := terminal.Fprintf(w, "wrote %s\nopen %s in a browser\n", path, filepath.ToSlash(index)); err != nil {
		return err
	}
	return failed
}

// runRegistry runs methods of the registry on the tier lite, and writes their files.
func (l *boardPage) runRegistry(cmd *cobra.Command) error {
	tier, err := submission.ReadTier(l.protocol, submission.Lite)
	if err != nil {
		return err
	}
	with, err := tier.Registered(l.methods)
	if err != nil {
		return err
	}
	failed := execute(cmd, &l.at, []*spec.Spec{with.Spec}, l.at.out, experiments.RunOptions{Workers: l.workers}, io.Discard)
	if failed != nil && failed != errFailed {
		return failed
	}
	rows, err := results.Folder(l.at.out).Read(results.SettingsFile)
	if err != nil {
		return err
	}
	if err := leaderboard.Folder(l.registry).Write(tier.Metrics(), rows.Records, rows.Settings, l.methods == nil); err != nil {
		return err
	}
	terminal.Fprintf(unlessQuiet(cmd), "%s: the numbers of %s\n", l.registry, english.Count(len(with.Spec.Methods), "method"))
	return failed
}
