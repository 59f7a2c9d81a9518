package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/cluster"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
)

func runCommand() *cobra.Command {
	var r runFlags
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "run SPEC...",
		Short: "Fit and score what is missing, and write the CSV files and index.html",
		Long: `run fits and scores the cells of the specs that are not in the store yet, and writes the CSV files
of the results and index.html, a page of them, into OUT. Ctrl-C keeps finished cells, and the same
command goes on.

With --task i/N it does one of N tasks and writes no CSV file; a run without --task on the same
store puts the tasks together. With -n it runs nothing, and lists what is done, missing and skipped.`,
		Example: examples(
			"run experiments/example.yaml",
			"run experiments/example.yaml -n",
			"run experiments/real.yaml --data arrays --out results/out/real",
			"run experiments/real.yaml --data arrays --task 0/4",
		),
		Args:              specArgs,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, files []string) error {
			specs, err := experiments.ReadSpecs(files)
			if err != nil {
				return err
			}
			if err := r.divide(cmd, specs); err != nil {
				return err
			}
			if dryRun {
				return r.at.preview(cmd, files, specs)
			}
			return r.run(cmd, files, specs)
		},
	}
	r.at.flags(cmd)
	r.at.quickFlag(cmd)
	r.at.memory.flag(cmd)
	workersFlag(cmd, &r.workers)
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "run nothing, and list what is done, missing and skipped")
	cmd.Flags().BoolVar(&r.at.json, "json", false, oneObject+"; with -n one a line for each cell")
	r.task.flags(cmd)
	testsFlag(cmd, &r.at.Task.Tests)
	cmd.Flags().IntVar(&r.at.assemble, "assemble", 0, "put together what `N` tasks have done, if no cell is missing")
	cmd.Flags().BoolVar(&r.serve, "serve", false, "take methods from the process that starts this one")
	for _, other := range []string{"task", "dry-run", "fresh"} {
		cmd.MarkFlagsMutuallyExclusive("assemble", other)
	}
	for _, other := range []string{"task", "assemble", "dry-run", "json"} {
		cmd.MarkFlagsMutuallyExclusive("serve", other)
	}
	return cmd
}

// runFlags are the flags of qats run.
type runFlags struct {
	at      places
	workers int
	task    taskFlags

	serve bool
}

// served adds the methods of the process that has started this one, which has standard input
// and output for itself from now on.
func (r *runFlags) served(cmd *cobra.Command, specs []*spec.Spec) error {
	if !r.serve {
		return nil
	}
	if isTerminal(cmd.InOrStdin()) || isTerminal(cmd.OutOrStdout()) {
		return usage("--serve is for a process that starts this one with pipes, as the Python package does; standard input or output is a terminal")
	}
	parent, err := external.NewParent(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
	if err != nil {
		return fmt.Errorf("--serve: %w", err)
	}
	cmd.SetOut(cmd.ErrOrStderr())
	return experiments.AddServed(specs, parent)
}

// divide reads which task of the run is to be done.
func (r *runFlags) divide(cmd *cobra.Command, specs []*spec.Spec) (err error) {
	tests := r.at.Task.Tests
	switch {
	case cmd.Flags().Changed("tests") && r.task.task == "" && r.at.assemble == 0:
		return usage("--tests says how a run is divided: give --task or --assemble too")
	case r.at.assemble < 0 || r.at.assemble > cluster.MaxTasks:
		return fmt.Errorf("--assemble %d: want 1 to %d, the number of tasks", r.at.assemble, cluster.MaxTasks)
	case r.task.task != "" || cmd.Flags().Changed("first"):
		r.at.Task, err = r.task.of(cmd, specs, tests)
	}
	return err
}

func (r *runFlags) run(cmd *cobra.Command, files []string, specs []*spec.Spec) error {
	if err := r.served(cmd, specs); err != nil {
		return err
	}
	failed := execute(cmd, &r.at, specs, r.at.out, experiments.RunOptions{Workers: r.workers}, unlessQuiet(cmd))
	if failed != nil && failed != errFailed || !r.at.Task.All() {
		return failed
	}
	w := unlessQuiet(cmd)
	if r.at.json {
		w = io.Discard
	}
	if err := makePage(w, r.at.out); err != nil {
		return err
	}
	if failed == nil {
		nextCompare(cmd, specs, files)
	}
	return failed
}

// record leaves what the task took, and how many of its cells failed.
func (p *places) record(specs []*spec.Spec, last experiments.Progress, err error) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	cluster.Record{Run: p.runDigest(specs, p.Task.Tests), Task: p.Task.I, Of: p.Task.N, Done: err == nil, Failed: last.Failed, Stored: last.New,
		Seconds: time.Since(started).Seconds(), Bytes: int64(memory.Sys)}.Write(p.storeDir())
}

// workersFlag declares --workers.
func workersFlag(cmd *cobra.Command, n *int) {
	cmd.Flags().IntVar(n, "workers", cluster.Workers(os.Getenv, os.DirFS("/"), runtime.GOMAXPROCS(0)), "`N` settings at a time")
}

// execute plans and runs specs, writes the CSV files into dir and prints a summary
// to w. A task writes no files.
func execute(cmd *cobra.Command, at *places, specs []*spec.Spec, dir string, o experiments.RunOptions, w io.Writer) error {
	whole := at.Task.All()
	if whole {
		if err := results.Folder(dir).Usable(); err != nil {
			return err
		}
	}
	at.memory.hold()
	plan, err := at.plan(cmd, specs)
	if err != nil {
		return err
	}
	if at.older && !at.Fresh {
		warn(cmd.ErrOrStderr(), newTextWarning(at.storeDir()+" is of an earlier version, without checksums of all that it holds, so everything is computed again"))
	}
	if n := plan.CountSettings(); n.Absent == n.Settings && whole {
		lines := append([]string{"no setting has arrays, so nothing is run and no file is written"}, plan.Absent()...)
		return errors.Join(lists.Values(lines, errors.New)...)
	}
	if at.assemble > 0 {
		if err := at.allIn(plan, specs, at.Task.Tests, at.assemble); err != nil {
			return err
		}
	}
	if verbose(cmd) {
		if err := planText(cmd.ErrOrStderr(), plan); err != nil {
			return err
		}
	}
	if whole && !quiet(cmd) {
		if err := printSlow(cmd.Context(), cmd.ErrOrStderr(), plan); err != nil {
			return err
		}
	}
	bar := newProgress(cmd.ErrOrStderr(), quiet(cmd), verbose(cmd))
	var last experiments.Progress
	idle := idleOf(cmd.Context())
	o.Progress = func(p experiments.Progress) {
		bar.show(p)
		last = p
		idle.Store(!whole && p.New == 0)
	}
	bar.start()
	if whole {
		o.Out = dir
	}
	out, err := plan.Run(cmd.Context(), o)
	bar.finish()
	if !whole {
		at.record(specs, last, err)
	}
	if err != nil {
		return err
	}
	if whole {
		if err := writeRun(cmd, plan, out, dir); err != nil {
			return err
		}
	}
	if at.json {
		if err := summaryJSON(cmd.OutOrStdout(), plan, out, at.Task, dir); err != nil {
			return err
		}
		w = io.Discard
	}
	summary(w, out, at.Task, at.are == "")
	if out.Warned > 0 {
		say(w, "cells with a warning: %d; the first: %s", out.Warned, out.First)
	}
	printReasons(w, cmd.ErrOrStderr(), out.Reasons)
	if whole {
		classes := ""
		if out.HasClasses() {
			classes = " classes.csv,"
		}
		terminal.Fprintf(w, "wrote %s, settings.csv, methods.csv, bins.csv, pairs.csv, fits.csv,%s times.csv and run.json\n", results.Folder(dir).Path(results.ResultsFile), classes)
	}
	printManifests(w, plan)
	for _, line := range plan.Absent() {
		terminal.Fprintf(w, "%s\n", line)
	}
	uncalibrated := plan.Uncalibrated()
	if len(uncalibrated) > 0 {
		warn(cmd.ErrOrStderr(), newTextWarning(experiments.NoCalibration(uncalibrated)))
	}
	if out.Failed > 0 || len(uncalibrated) > 0 {
		return errFailed
	}
	return nil
}

// printReasons prints why cells have no value, each reason once: skips to w, failures
// to stderr.
func printReasons(w, stderr io.Writer, reasons []experiments.Absence) {
	for _, r := range reasons {
		if r.Status == results.Fail {
			warn(stderr, newTextWarning(r.String()))
			continue
		}
		terminal.Fprintf(w, "skipped %s: %s\n", english.Count(r.Cells, "cell"), r)
	}
}

// summary prints the numbers of settings, if they are to be counted, and of cells, and the work done.
func summary(w io.Writer, out *experiments.Outcome, task experiments.Task, count bool) {
	part := ""
	if !task.All() {
		part = fmt.Sprintf(" (task %d of %d)", task.I, task.N)
	}
	if count {
		fmt.Fprintln(w, settingsText(out.RunCounts, part))
	}
	ok, rest := out.Cells-out.Skipped-out.Failed, ""
	if out.Scored < ok {
		rest = ", the rest from the store"
	}
	fmt.Fprintf(w, "%s: %d ok, %d skipped, %d failed; %d fitted and %d scored now%s\n",
		english.Count(out.Cells, "cell"), ok, out.Skipped, out.Failed, out.Fitted, out.Scored, rest)
}

// settingsText counts settings, of which the run does a part.
func settingsText(n results.RunCounts, part string) string {
	return fmt.Sprintf("%s%s: %d measured, %d simulated, %d without arrays", english.Count(n.Settings, "setting"), part, n.Measured, n.Simulated, n.Absent)
}

// runJSON is the object of run --json.
type runJSON struct {
	Out  string `json:"out"`            // folder of the CSV files
	Task string `json:"task,omitempty"` // such as 0/4; then there are no CSV files
	results.RunCounts
	OK      int                   `json:"ok"`
	Fitted  int                   `json:"fitted"` // now; the rest is from the store
	Scored  int                   `json:"scored"`
	Warned  int                   `json:"warned"`                  // cells with a value and a warning
	First   string                `json:"first_warning,omitempty"` // METHOD on SETTING: warning
	Reasons []experiments.Absence `json:"reasons,omitempty"`       // of cells without a value

	Manifests []experiments.ManifestUse `json:"manifests,omitempty"` // of folders above the arrays
}

// summaryJSON prints the summary of a run as one JSON object.
func summaryJSON(w io.Writer, plan *experiments.Plan, out *experiments.Outcome, task experiments.Task, dir string) error {
	r := runJSON{Out: dir, RunCounts: out.RunCounts, OK: out.Cells - out.Skipped - out.Failed, Fitted: out.Fitted, Scored: out.Scored, Reasons: out.Reasons, Manifests: plan.Manifests()}
	if r.Warned = out.Warned; out.Warned > 0 {
		r.First = out.First.String()
	}
	if !task.All() {
		r.Task = fmt.Sprintf("%d/%d", task.I, task.N)
	}
	return json.NewEncoder(w).Encode(r)
}
