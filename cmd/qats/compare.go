package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

func compareCommand() *cobra.Command {
	var c comparing
	cmd := &cobra.Command{
		Use:   "compare [METHOD...]",
		Short: "Compare methods with another method over many settings",
		Long: `compare compares each METHOD (by default all) with the baseline of a run, or with --against. It
prints what is shown, a table and notes, and writes tables, figures and index.html into
OUT/compare.

A method is better if its NLL or its Brier score is shown to be lower, and the other one is not
shown to be higher. Other metrics are described with intervals and decide nothing. ~: no difference
is shown. The tests are over independent data sets: settings that may share test samples count once.

With --spec it first runs the missing cells of these settings.`,
		Example: examples(
			"compare --out results/out/companion",
			"compare hts --spec experiments/companion.yaml --out results/out/companion",
			"compare --from 'calarena/*.csv' --columns 'setting=dataset+model,value=*_brier' --metric brier --against TS --block network",
		),
		ValidArgsFunction: completeCompared,
		RunE:              func(cmd *cobra.Command, methods []string) error { return c.run(cmd, methods) },
	}
	c.flags(cmd)
	return cmd
}

// comparing holds the flags of compare.
type comparing struct {
	report.Compare
	at          places
	workers     int
	only        only
	sources     []string // folders and files, as they were given
	from, specs []string
	tables      []string
	columns     compare.Columns
	splits      int
	json        bool
	form        report.Form
	specsOfRows []results.RunSpec // in the run.json of each folder of rows
	dataGiven   bool              // to the run of the rows, by --data
}

func (c *comparing) flags(cmd *cobra.Command) {
	c.at.flags(cmd)
	c.at.memory.flag(cmd)
	workersFlag(cmd, &c.workers)
	ofRun(cmd, "Flags of the run that --spec makes")
	figureFormats(cmd, &c.Formats)
	f := cmd.Flags()
	f.StringVar(&c.Against, "against", "", "`METHOD` that the others are compared with (default: the baseline of the run or spec)")
	f.StringSliceVar(&c.Metrics, "metric", append(compare.Scores(), "ece"), "`NAMES` of metrics, or time, the processor time of a fit")
	c.Block, c.Interval = compare.BySamples, metrics.Percentile
	choiceFlag(cmd, &c.Block, "block", compare.Blocks(), "`UNIT` whose settings count once together")
	f.Var(&c.only, "only", "compare only rows with `KEY=VALUE` of dataset, backbone, domain, experiment, variant or severity; repeatable")
	f.StringArrayVar(&c.sources, "from", nil, "`DIR` of results, or CSV file of another program, to read instead of OUT; repeatable")
	c.columns.Setting = []string{"dataset", "model"}
	f.Var(columns{&c.columns}, "columns", "`NAMES` of the columns of such files: setting=A+B,method=M,value=V, or value=*_brier for a column of each method")
	f.StringArrayVar(&c.specs, "spec", nil, "`SPEC` to run first; repeatable")
	f.IntVar(&c.splits, "splits", 0, "with --spec: redraw calibration and test rows `N` times")
	choiceFlag(cmd, &c.Interval, "interval", metrics.IntervalKinds(), "with --spec: `KIND` of intervals on single settings")
	f.BoolVar(&c.Full, "full", false, "all methods and notes; ranks, tests, settings won and lost, win rates and strengths")
	c.form = report.TextForm
	choiceFlag(cmd, &c.form, "format", report.Forms(), "`FORM` of what is printed; latex and md print only the table")
	f.BoolVar(&c.json, "json", false, objects+", and write no file")
	for flag, complete := range map[string]completion{
		"against": completeCompared, "only": completeOnly, "spec": completeSpecs, "metric": oneOf(func() []string { return compare.Names() }),
	} {
		cmd.RegisterFlagCompletionFunc(flag, complete)
	}
}

func (c *comparing) run(cmd *cobra.Command, methods []string) error {
	if len(methods) > 0 { // otherwise all, which is nil
		c.Methods = methods
	}
	c.from, c.tables = sources(c.sources)
	if err := c.check(cmd); err != nil {
		return err
	}
	c.Compact = !c.Full
	dir := filepath.Join(c.at.out, "compare")
	rows, failed := c.rows(cmd, dir)
	if failed != nil && failed != errFailed {
		return failed
	}
	if err := c.print(cmd, dir, rows); err != nil {
		return err
	}
	return failed
}

// print writes the comparisons by each metric and their agreement into dir, and then prints
// them, so that all files are there whoever reads what is printed. As JSON they are printed
// alone.
func (c *comparing) print(cmd *cobra.Command, dir string, rows *results.Rows) error {
	var text bytes.Buffer
	err := c.write(cmd, &text, dir, rows)
	to := unlessQuiet(cmd)
	if c.form != report.TextForm { // --quiet leaves out what files have too
		to = cmd.OutOrStdout()
	}
	_, failed := text.WriteTo(to)
	return cmp.Or(err, failed)
}

// write writes the files of print, and what is printed to w.
func (c *comparing) write(cmd *cobra.Command, w io.Writer, dir string, rows *results.Rows) error {
	compared, err := c.Each(rows)
	switch {
	case err != nil && c.Files != "": // the error names them
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", strings.Join(c.from, ", "), err)
	}
	if c.json {
		for _, p := range compared {
			if err := p.JSON(cmd.OutOrStdout()); err != nil {
				return err
			}
		}
		if err := report.Conclusions(cmd.OutOrStdout(), compared); err != nil {
			return err
		}
		return c.agreements(io.Discard, cmd.OutOrStdout(), dir, rows)
	}
	if err := report.ClearComparison(dir, c.reads(dir)); err != nil {
		return err
	}
	if c.Full && c.form == report.TextForm {
		return c.whole(cmd, w, dir, compared, rows)
	}
	return c.short(cmd, w, dir, compared, rows)
}

// short prints the answer and the tables of each source, and writes all files.
func (c *comparing) short(cmd *cobra.Command, w io.Writer, dir string, compared []report.Compared, rows *results.Rows) error {
	if err := c.summaries(w, compared); err != nil {
		return err
	}
	if c.form != report.TextForm { // the table alone
		w = io.Discard
	}
	lacking := slices.IndexFunc(compared, c.unpaired)
	if lacking >= 0 {
		c.makePairs(w, cmd, compared[lacking].Label(c.Against))
	}
	for _, p := range compared {
		if err := p.Write(io.Discard, dir); err != nil {
			return err
		}
	}
	if err := c.agreements(io.Discard, cmd.OutOrStdout(), dir, rows); err != nil {
		return err
	}
	if err := c.page(w, dir, rows); err != nil {
		return err
	}
	if c.form == report.TextForm && lacking < 0 {
		next(cmd, slices.Concat([]string{"compare"}, cmd.Flags().Args(), given(cmd, "against", "metric", "block", "only", "from", "columns", "spec", "splits", "interval", "out"), given(cmd, runFlagNames()...), []string{"--full"})...)
	}
	return nil
}

// summaries prints the answer and the tables of each source.
func (c *comparing) summaries(w io.Writer, compared []report.Compared) error {
	sources, of := lists.Group(compared, func(p report.Compared) string { return p.Source })
	for i, source := range sources {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := report.Short(w, of[source], c.Full, c.form); err != nil {
			return err
		}
	}
	return nil
}

// whole prints the answer, and the comparisons by each metric with all that explains them, and writes all files.
func (c *comparing) whole(cmd *cobra.Command, w io.Writer, dir string, compared []report.Compared, rows *results.Rows) error {
	if err := c.summaries(w, compared); err != nil {
		return err
	}
	if i := slices.IndexFunc(compared, c.unpaired); i >= 0 {
		fmt.Fprintln(w)
		c.makePairs(w, cmd, compared[i].Label(c.Against))
	}
	for _, p := range compared {
		fmt.Fprintln(w)
		if err := p.WriteTables(w); err != nil {
			return err
		}
		if err := p.Write(w, dir); err != nil {
			return err
		}
	}
	if err := c.agreements(w, cmd.OutOrStdout(), dir, rows); err != nil {
		return err
	}
	return c.page(w, dir, rows)
}

// unpaired reports whether a comparison lacks verdicts that a run of specs would make.
func (c *comparing) unpaired(p report.Compared) bool {
	return p.Unpaired() && len(c.specs)+len(c.tables) == 0
}

// reads reports whether the rows, or some of them, come from a folder, however its path is written.
func (c *comparing) reads(dir string) bool {
	at, err := os.Stat(dir)
	if err != nil {
		return false
	}
	folders := slices.Clone(c.from)
	for _, pattern := range c.tables {
		folders = append(folders, filepath.Dir(pattern))
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		info, err := os.Stat(folder)
		return err == nil && os.SameFile(at, info)
	})
}

// agreements prints how far the rankings by the metrics agree, if there are several: as
// text to w, as JSON to out. Too few methods or blocks to rank are not an error.
func (c *comparing) agreements(w, out io.Writer, dir string, rows *results.Rows) error {
	list, err := c.Agreements(rows)
	if err != nil && !c.json {
		_, err = terminal.Fprintf(w, "\nno agreement of rankings: %v\n", err)
		return err
	}
	for _, a := range list {
		if c.json {
			err = a.JSON(out)
		} else {
			fmt.Fprintln(w)
			err = c.WriteAgreement(w, dir, a, rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// page writes OUT/compare/index.html, the page of the rows compared.
func (c *comparing) page(w io.Writer, dir string, rows *results.Rows) error {
	if len(c.from) != 1 || c.only.of[byExperiment] != nil { // run.json and fits.csv are not of these rows
		rows.Run, rows.Parameters = nil, nil
	}
	return report.WriteRowsPage(w, rows, dir, page.Options{Against: c.Against, Methods: c.Methods, Metrics: c.Metrics, Block: c.Block, Variants: c.Variants, Files: c.Files})
}
