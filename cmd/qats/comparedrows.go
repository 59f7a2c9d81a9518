package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/spf13/cobra"
)

// rows returns the rows to compare. It first runs the specs of --spec, into dir. If
// some of their cells fail, it returns the rows and errFailed.
func (c *comparing) rows(cmd *cobra.Command, dir string) (*results.Rows, error) {
	var failed error
	if len(c.specs) > 0 {
		if failed = c.make(cmd, dir); failed != nil && failed != errFailed {
			return nil, failed
		}
		c.from = append(c.from, dir)
	}
	rows, err := c.read()
	if err != nil {
		return nil, err
	}
	if len(c.from) == 0 {
		c.Files = strings.Join(c.tables, ", ")
	}
	keep, err := c.only.keep(lists.Values(rows.Records, func(r results.Record) results.Setting { return r.Setting }))
	if err == nil && keep != nil {
		rows = rows.Where(func(s results.Setting, _ string) bool { return keep(s) })
	}
	if c.Domains = c.only.of[byDomain]; err == nil && c.Domains != nil {
		rows, err = ofDomains(rows, c.Domains)
	}
	if err == nil {
		var alone int
		if rows, alone = rows.Apart(); alone > 0 {
			warn(cmd.ErrOrStderr(), newTextWarning(fmt.Sprintf("left out: %s with a confidence alone, whose methods are compared apart by --only domain=%q", english.Count(alone, "setting"), experiments.ConfidenceAlone)))
		}
	}
	c.Variants = c.only.of[byVariant]
	if err == nil {
		c.complete(cmd, rows)
		err = c.inRows(rows)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(append(c.from, c.tables...), ", "), err)
	}
	return rows, failed
}

// complete sets what was not given: the method to compare with and, of the usual metrics,
// those that the rows have. It sets the labels of the rows too.
func (c *comparing) complete(cmd *cobra.Command, rows *results.Rows) {
	report.Know(rows)
	c.Labels, c.Target = results.Labels(rows.Methods), results.Targets(rows.Methods)
	if c.Against == "" && len(c.from) > 0 {
		c.against(compare.Baseline(c.specsOfRows, rows.Records, rows.Pairs))
	}
	c.against("")
	if cmd.Flags().Changed("metric") {
		return
	}
	c.Usual = true
	known := compare.Names()
	valued := lists.Where(rows.Records, func(r results.Record) bool { return r.Method == c.Against && r.Status == results.OK })
	if len(valued) == 0 { // the comparison has the error
		valued = rows.Records
	}
	have := lists.Where(lists.Distinct(valued, func(r results.Record) string { return r.Metric }), func(id string) bool { return slices.Contains(known, id) })
	if !slices.ContainsFunc(compare.Scores(), func(id string) bool { return slices.Contains(have, id) }) {
		c.Metrics = append(compare.TopScores(), "ece") // of a confidence alone
	}
	switch usual := lists.Where(c.Metrics, func(id string) bool { return slices.Contains(have, id) }); {
	case len(usual) > 0:
		c.Metrics = usual
	case len(have) > 0:
		c.Metrics = have[:1]
	}
}

// ofDomains returns the rows of settings of some domains. A domain without rows is an error.
func ofDomains(rows *results.Rows, domains []string) (*results.Rows, error) {
	of := map[results.Setting]string{}
	for _, s := range rows.Settings {
		of[s.Setting] = s.Domain
	}
	known := lists.Where(lists.Distinct(rows.Settings, func(s results.SettingInfo) string { return s.Domain }), func(domain string) bool { return domain != "" })
	slices.Sort(known)
	for _, domain := range domains {
		switch {
		case slices.Contains(known, domain):
		case len(known) == 0:
			return nil, fmt.Errorf("--only domain=%s: settings.csv names no domains; give them in manifest.yaml (domain:) or in the spec (domains:), and run again", domain)
		default:
			return nil, fmt.Errorf("no rows of the domain %q; there are %s", domain, strings.Join(known, ", "))
		}
	}
	return rows.Where(func(s results.Setting, _ string) bool { return slices.Contains(domains, of[s]) }), nil
}

// inRows is resolve for the methods of rows. A name that is similar to the name of
// one of them is an error; the page reports the other names without rows.
func (c *comparing) inRows(rows *results.Rows) error {
	known := lists.Distinct(rows.Records, func(r results.Record) string { return r.Method })
	if err := c.resolve(known); err != nil {
		return err
	}
	for _, m := range append([]string{c.Against}, c.Methods...) {
		_, registered := all.Lookup(m)
		near := keyed.Nearest(m, known)
		if !registered && !slices.Contains(known, m) && near != "" {
			return fmt.Errorf("no rows of method %q; there are %s (did you mean %s?)", m, strings.Join(known, ", "), near)
		}
	}
	return nil
}

// scored returns the metrics that cells are scored by: those compared by, without the
// fit time, and the scores, by which all methods are judged.
func (c *comparing) scored() []string {
	list := lists.Where(c.Metrics, func(id string) bool { return id != results.TimeMetric })
	return append(list, lists.Where(compare.Scores(), func(id string) bool { return !slices.Contains(list, id) })...)
}

// make runs the specs and writes their rows into dir.
func (c *comparing) make(cmd *cobra.Command, dir string) error {
	known := experiments.Registry()
	specs, err := experiments.ReadSpecs(c.specs)
	if err != nil {
		return err
	}
	switch keep, err := c.only.keep(spec.SettingsOf(specs)); {
	case err != nil:
		return err
	case keep != nil:
		specs = spec.Only(specs, keep)
	}
	c.against(baselineOf(specs))
	if err := c.resolve(comparableMethods(specs)); err != nil {
		return err
	}
	for i, s := range specs {
		specs[i], err = s.Compared(spec.Comparing{Methods: c.Methods, Against: c.Against, Metrics: c.scored(), Splits: c.splits}, known)
		if err != nil {
			return err
		}
	}
	c.at.Interval = c.Interval
	w := unlessQuiet(cmd)
	if c.json || c.form != report.TextForm {
		w = io.Discard
	}
	err = execute(cmd, &c.at, specs, dir, experiments.RunOptions{Workers: c.workers}, w)
	if err == nil || err == errFailed {
		fmt.Fprintln(w) // before the page
	}
	return err
}

// against sets the method to compare with to the baseline, if none was given: to qats if
// there is no baseline, or if the user named the baseline as a method to compare.
func (c *comparing) against(baseline string) {
	const usual = "qats"
	if c.Against != "" {
		return
	}
	if _, named := keyed.Match(baseline, c.Methods); named || baseline == "" {
		baseline = usual
	}
	c.Against = baseline
}

// baselineOf returns the baseline of the first spec that has one, or nothing.
func baselineOf(specs []*spec.Spec) string {
	for _, s := range specs {
		if s.Baseline != "" {
			return s.Baseline
		}
	}
	return ""
}

// read returns the rows of the folders and of the tables of other programs. If neither is given, it
// reads the folder OUT. If experiments are named, only their rows of the folders count.
func (c *comparing) read() (*results.Rows, error) {
	if len(c.from)+len(c.tables) == 0 {
		c.from = []string{c.at.out}
	}
	all := &results.Rows{}
	for _, dir := range c.from {
		rows, err := results.Folder(dir).Read(results.BinsFile, results.PairsFile)
		if err != nil {
			return nil, err
		}
		all.Append(rows)
		all.Run = rows.Run
		c.ofRun(rows.Run)
	}
	if slices.Contains(c.Metrics, results.TimeMetric) {
		all.Records = append(all.Records, results.TimeRecords(all.Times, all.Records)...)
	}
	if experiments := c.only.of[byExperiment]; experiments != nil {
		kept := &results.Rows{}
		for _, name := range experiments {
			of := all.Of(name)
			if len(of.Records) == 0 {
				return nil, fmt.Errorf("--only experiment=%s: results.csv in %s has no rows of it", name, strings.Join(c.from, ", "))
			}
			kept.Append(of)
		}
		all = kept
	}
	if len(c.tables) == 0 {
		return all, nil
	}
	tables, err := c.readTables()
	if err != nil {
		return nil, err
	}
	all.Append(tables)
	return all, nil
}

// ofRun keeps what a comparison takes from the run.json of rows, if there is one: the specs
// of the experiments that are compared.
func (c *comparing) ofRun(run *results.Run) {
	if run == nil {
		return
	}
	c.specsOfRows = append(c.specsOfRows, lists.Where(run.Specs, func(s results.RunSpec) bool {
		return c.only.of[byExperiment] == nil || slices.Contains(c.only.of[byExperiment], s.Name)
	})...)
	c.dataGiven = c.dataGiven || run.DataGiven
}

// readTables returns the rows of CSV files of other programs.
func (c *comparing) readTables() (*results.Rows, error) {
	c.columns.Metric = c.Metrics[0]
	if err := c.columns.Check(); err != nil {
		return nil, fmt.Errorf("--columns: %w", err)
	}
	records, err := compare.ReadTables(c.tables, c.columns)
	if errors.Is(err, filepath.ErrBadPattern) {
		err = fmt.Errorf("--from %w", err)
	}
	if err != nil {
		return nil, err
	}
	return &results.Rows{Records: records}, nil
}
