package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/page"
	"github.com/spf13/cobra"
)

func compareCommand() *cobra.Command {
	var c comparing
	cmd := &cobra.Command{
		Use:   "compare [METHOD...]",
		Short: "Compare methods with another method over many settings",
		Long: `compare compares each METHOD (by default all methods) with the method given by
--against. It prints the mean difference, wins and losses by the paired 95 %
interval of each setting, Wilcoxon's signed-rank test over blocks of settings
with Holm's correction, and the mean ranks of all methods with Friedman's test
and Nemenyi's critical difference. Settings that share test images are not
independent trials. Therefore the settings of one dataset, and of data sets derived
from it (corrupted, long-tailed), are a block: they are averaged first and count
once (--block changes that).

compare reads results.csv and pairs.csv in OUT. With --spec it first runs the
missing cells of these settings: METHOD is fitted if it is new, and paired with
--against; everything else comes from the store in OUT. With --splits N it also
redraws the calibration and test rows of each setting N times from their union
and fits them again, which shows how much the fits themselves vary.

It also prints how often each method is better than the others (win rates), their
strengths in the model of Bradley and Terry, and, of several metrics, how far their
rankings agree (Kendall's tau).

--metric time compares the processor times of the fits, which times.csv has, by
their ratios: the means are geometric, and the tests are on logarithms.

The intervals are bias-corrected (BC) bootstrap intervals. Resampling adds noise
to the bins, and this raises every binned calibration error, most of all the
error of the better method. --interval percentile gives plain percentile
intervals (needs --spec).

With --table it reads CSV files of other programs in place of OUT: --setting,
--value and --method-column name their columns, and --metric says what the values
are. A --value such as '*_brier' names one column for each method.

The page is printed. It is also written as text and LaTeX, with its figures (SVG
and PDF), into OUT/compare, with index.html, a page of the compared rows for a
browser.`,
		Example: `  qats compare --out results/out/companion
  qats compare hts --spec experiments/companion.yaml --out results/out/companion
  qats compare --table 'calarena/*.csv' --setting dataset,model --value '*_brier' --metric brier --against TS --block network
  qats compare ts --against qats --spec experiments/companion.yaml --splits 20 --out results/out/companion`,
		ValidArgsFunction: completeCompared,
		RunE:              func(cmd *cobra.Command, methods []string) error { return c.run(cmd, methods) },
	}
	c.at.flags(cmd)
	c.use.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&c.Against, "against", "qats", "method that the others are compared with")
	f.StringSliceVar(&c.Metrics, "metric", []string{"ece", "aece"}, "metrics, as results.csv names them, or time: the processor time of a fit, compared by ratios")
	f.StringVar((*string)(&c.Block), "block", string(compare.BySamples), "settings that count once together: all with common test samples, all of a dataset, all of a network, or each setting alone (samples, dataset, network or setting)")
	f.StringSliceVar(&c.experiments, "experiment", nil, "use only rows of these experiments")
	f.StringSliceVar(&c.datasets, "dataset", nil, "use only settings of these datasets")
	f.StringArrayVar(&c.from, "from", nil, "folder of results.csv to read instead of OUT; may be repeated")
	f.StringArrayVar(&c.specs, "spec", nil, "spec to run first; may be repeated")
	f.IntVar(&c.splits, "splits", 0, "how many times to redraw calibration and test rows (needs --spec)")
	f.StringVar((*string)(&c.Interval), "interval", string(metrics.BC), "bootstrap intervals of single settings: bc or percentile")
	f.StringArrayVar(&c.tables, "table", nil, "CSV file of another program, or a pattern for several; may be repeated")
	f.StringSliceVar(&c.columns.Setting, "setting", []string{"dataset", "model"}, "with --table: columns that name a setting, the dataset first")
	f.StringVar(&c.columns.Value, "value", "", "with --table: column of the values, or '*_brier' for a column of each method")
	f.StringVar(&c.columns.Method, "method-column", "", "with --table: column of the method")
	f.StringVar(&c.latex, "latex", "full", "LaTeX table: full, or compact for one column of a paper, with its notes in a file of their own")
	c.formats.flag(cmd)
	f.BoolVar(&c.json, "json", false, "print one JSON object per line for each method, ranking and redrawn setting, and write no file")
	for flag, complete := range map[string]completion{
		"against": completeCompared, "dataset": completeDatasets, "spec": completeSpecs, "metric": oneOf(compare.Names()),
		"block": oneOf(blockNames()), "interval": oneOf(intervals), "latex": oneOf(latexForms),
	} {
		cmd.RegisterFlagCompletionFunc(flag, complete)
	}
	return cmd
}

// intervals and latexForms are the values of --interval and --latex.
var (
	intervals  = []string{string(metrics.BC), string(metrics.Percentile)}
	latexForms = []string{"full", "compact"}
)

// blockNames returns the values of --block.
func blockNames() []string {
	var names []string
	for _, b := range compare.Blocks() {
		names = append(names, string(b))
	}
	return names
}

// comparing holds the flags of compare.
type comparing struct {
	experiments.Compare
	at          places
	use         resources
	experiments []string
	datasets    []string
	from, specs []string
	tables      []string
	columns     compare.Columns
	splits      int
	json        bool
	latex       string
	formats     figureFormats
}

func (c *comparing) run(cmd *cobra.Command, methods []string) error {
	if len(methods) > 0 { // otherwise all, which is nil
		c.Methods = methods
	}
	if err := c.check(); err != nil {
		return err
	}
	var err error
	if c.Formats, err = c.formats.read(); err != nil {
		return err
	}
	c.Compact = c.latex == "compact"
	w := report(cmd)
	dir := filepath.Join(c.at.out, "compare")
	c.Labels = map[string]string{}
	for _, e := range calib.Registry() {
		c.Labels[e.Name] = e.Label
	}
	var failed error
	if len(c.specs) > 0 {
		if failed = c.make(cmd, dir); failed != nil && failed != errFailed {
			return failed
		}
		c.from = []string{dir}
	}
	rows, err := c.read()
	if err != nil {
		return err
	}
	c.Files = strings.Join(c.tables, ", ")
	if len(c.datasets) > 0 && len(c.specs) == 0 { // otherwise the specs are restricted
		rows, err = rows.OfDatasets(c.datasets)
	}
	if err == nil {
		err = c.inRows(rows)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(append(c.from, c.tables...), ", "), err)
	}
	pages, err := c.Pages(rows)
	switch {
	case err != nil && c.Files != "": // the error names them
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", strings.Join(c.from, ", "), err)
	}
	for i, p := range pages {
		if c.json {
			if err := p.JSON(cmd.OutOrStdout()); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		hint := ""
		if p.Unpaired() && len(c.specs)+len(c.tables) == 0 {
			hint = fmt.Sprintf("(for intervals of single settings against %s: qats compare --spec SPEC --out %s)\n", c.Against, c.at.out)
		}
		if err := p.Write(w, dir, hint); err != nil {
			return err
		}
	}
	if err := c.agreements(w, cmd.OutOrStdout(), dir, rows); err != nil {
		return err
	}
	if !c.json {
		if err := c.page(w, dir, rows); err != nil {
			return err
		}
		if len(c.tables) == 0 {
			c.nextReport(cmd)
		}
	}
	return failed
}

// agreements prints how far the rankings by the metrics agree, if there are several:
// as text to w, as JSON to out. Too few methods or blocks to rank are no error.
func (c *comparing) agreements(w, out io.Writer, dir string, rows *experiments.Rows) error {
	list, err := c.Agreements(rows)
	if err != nil && !c.json {
		_, err = fmt.Fprintf(w, "\nno agreement of rankings: %v\n", err)
		return err
	}
	for _, a := range list {
		if c.json {
			err = a.JSON(out)
		} else {
			fmt.Fprintln(w)
			err = a.Write(w, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// page writes OUT/compare/index.html, the page of the rows compared.
func (c *comparing) page(w io.Writer, dir string, rows *experiments.Rows) error {
	folder := page.Folder{Records: rows.Records, Bins: rows.Bins, Pairs: rows.Pairs}
	if len(c.from) == 1 && len(c.experiments) == 0 { // run.json and fits.csv are of these rows
		read, err := page.Read(c.from[0])
		if err != nil {
			return err
		}
		folder.Parameters, folder.Times, folder.Run = read.Parameters, read.Times, read.Run
	}
	return experiments.WritePageOf(w, &folder, dir, page.Options{Labels: c.Labels, Against: c.Against, Methods: c.Methods, Metrics: c.Metrics, Block: c.Block, Files: c.Files})
}

// check rejects flags that do not fit each other.
func (c *comparing) check() error {
	if err := c.resolve(nil); err != nil {
		return err
	}
	for _, f := range []struct {
		flag  string
		value *string
		known []string
	}{
		{"block", (*string)(&c.Block), blockNames()},
		{"interval", (*string)(&c.Interval), intervals},
		{"latex", &c.latex, latexForms},
	} {
		if err := choose(f.flag, f.value, f.known); err != nil {
			return err
		}
	}
	switch {
	case c.splits < 0 || c.splits > spec.MaxSplits:
		return fmt.Errorf("--splits %d: give a number of draws up to %d", c.splits, spec.MaxSplits)
	case c.splits > 0 && len(c.specs) == 0:
		return fmt.Errorf("--splits makes new fits: name the settings by --spec, as in --spec experiments/companion.yaml")
	case len(c.from) > 0 && len(c.specs) > 0:
		return fmt.Errorf("--from reads finished results and --spec makes them: give only one of the two")
	case len(c.tables) > 0 && (len(c.from) > 0 || len(c.specs) > 0 || len(c.experiments) > 0):
		return fmt.Errorf("--table reads the results of another program; give neither --from, --spec nor --experiment with it")
	case len(c.tables) > 0 && len(c.Metrics) != 1:
		return fmt.Errorf("--table: say by --metric what the values are; give one metric")
	case len(c.tables) == 0 && (c.columns.Value != "" || c.columns.Method != ""):
		return fmt.Errorf("--value and --method-column name columns of --table; give it")
	case c.Interval != metrics.BC && len(c.specs) == 0:
		return fmt.Errorf("--interval %s: pairs.csv holds BC intervals; name the settings by --spec to make others", c.Interval)
	case len(c.Metrics) == 0:
		return fmt.Errorf("--metric: name one, such as ece")
	}
	known := compare.Names()
	for i, id := range c.Metrics {
		match, ok := spec.Match(id, known)
		if !ok {
			return fmt.Errorf("--metric %s: this is not a metric that can compare methods%s", id, spec.Suggest(id, known))
		}
		if slices.Contains(c.Metrics[:i], match) {
			return fmt.Errorf("--metric %s is given twice", match)
		}
		c.Metrics[i] = match
	}
	return nil
}

// resolve replaces the names of methods by those among known that they stand for,
// and rejects a method that is given twice. It leaves unknown names as they are.
func (c *comparing) resolve(known []string) error {
	if match, ok := spec.Match(c.Against, known); ok {
		c.Against = match
	}
	for i, m := range c.Methods {
		if match, ok := spec.Match(m, known); ok {
			m = match
		}
		switch {
		case m == c.Against:
			return fmt.Errorf("%s is compared with itself; name another method by --against", m)
		case slices.Contains(c.Methods[:i], m):
			return fmt.Errorf("method %s is given twice", m)
		}
		c.Methods[i] = m
	}
	return nil
}

// inRows is resolve for the methods of rows. A name that is similar to the name of
// one of them is an error; the page reports the other names without rows.
func (c *comparing) inRows(rows *experiments.Rows) error {
	var known []string
	for _, r := range rows.Records {
		if !slices.Contains(known, r.Method) {
			known = append(known, r.Method)
		}
	}
	if err := c.resolve(known); err != nil {
		return err
	}
	for _, m := range append([]string{c.Against}, c.Methods...) {
		_, registered := calib.Lookup(m)
		near := spec.Nearest(m, known)
		if !registered && !slices.Contains(known, m) && near != "" {
			return fmt.Errorf("no rows of method %q; there are %s (did you mean %s?)", m, strings.Join(known, ", "), near)
		}
	}
	return nil
}

// choose replaces the value of a flag by the one among known that it stands for.
func choose(flag string, value *string, known []string) error {
	match, ok := spec.Match(*value, known)
	if !ok {
		if len(known) == 2 {
			return fmt.Errorf("--%s %s: give %s or %s", flag, *value, known[0], known[1])
		}
		return fmt.Errorf("--%s %s: give one of %s", flag, *value, strings.Join(known, ", "))
	}
	*value = match
	return nil
}

// scored returns the metrics that cells are scored by: those compared by, without the
// fit time, or ece.
func (c *comparing) scored() []string {
	list := slices.DeleteFunc(slices.Clone(c.Metrics), func(id string) bool { return id == results.TimeMetric })
	if len(list) == 0 {
		list = []string{"ece"}
	}
	return list
}

// make runs the specs and writes their rows into dir.
func (c *comparing) make(cmd *cobra.Command, dir string) error {
	o, err := c.use.options(c.at.fresh)
	if err != nil {
		return err
	}
	known := experiments.Registry()
	specs, err := experiments.ReadSpecs(c.specs)
	if err != nil {
		return err
	}
	if specs, err = spec.Only(specs, c.datasets); err != nil {
		return fmt.Errorf("--dataset: %w", err)
	}
	if err := c.resolve(comparableMethods(specs)); err != nil {
		return err
	}
	for i, s := range specs {
		specs[i], err = s.Compared(spec.Comparing{Methods: c.Methods, Against: c.Against, Metrics: c.scored(), Splits: c.splits}, known)
		if err != nil {
			return err
		}
		for _, m := range specs[i].Methods {
			c.Labels[m.Name] = m.Label
		}
	}
	c.at.interval = c.Interval
	w := report(cmd)
	if c.json {
		w = io.Discard
	}
	err = execute(cmd, &c.at, specs, dir, o, w)
	if err == nil || err == errFailed {
		fmt.Fprintln(w) // before the page
	}
	return err
}

// read returns the rows of the folders, restricted to the experiments if any are
// named.
func (c *comparing) read() (*experiments.Rows, error) {
	if len(c.tables) > 0 {
		return c.readTables()
	}
	if len(c.from) == 0 {
		c.from = []string{c.at.out}
	}
	all := &experiments.Rows{}
	for _, dir := range c.from {
		rows, err := experiments.ReadRows(dir)
		if err != nil {
			return nil, err
		}
		all.Records = append(all.Records, rows.Records...)
		all.Bins = append(all.Bins, rows.Bins...)
		all.Pairs = append(all.Pairs, rows.Pairs...)
		all.Times = append(all.Times, rows.Times...)
	}
	if slices.Contains(c.Metrics, results.TimeMetric) {
		all.Records = append(all.Records, results.TimeRecords(all.Times, all.Records)...)
	}
	if len(c.experiments) == 0 {
		return all, nil
	}
	kept := &experiments.Rows{}
	for _, name := range c.experiments {
		of := all.Of(name)
		if len(of.Records) == 0 {
			return nil, fmt.Errorf("--experiment %s: results.csv in %s has no rows of it", name, strings.Join(c.from, ", "))
		}
		kept.Records = append(kept.Records, of.Records...)
		kept.Bins = append(kept.Bins, of.Bins...)
		kept.Pairs = append(kept.Pairs, of.Pairs...)
	}
	return kept, nil
}

// readTables returns the rows of CSV files of other programs.
func (c *comparing) readTables() (*experiments.Rows, error) {
	c.columns.Metric = c.Metrics[0]
	if err := c.columns.Check(); err != nil {
		return nil, fmt.Errorf("--table: %w", err)
	}
	all := &experiments.Rows{}
	for _, pattern := range c.tables {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("--table %s: %w", pattern, err)
		}
		if files == nil {
			files = []string{pattern} // opening it says that there is none
		}
		for _, name := range files {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			list, err := compare.ReadTable(f, name, c.columns)
			f.Close()
			if err != nil {
				return nil, err
			}
			all.Records = append(all.Records, list...)
		}
	}
	return all, nil
}
