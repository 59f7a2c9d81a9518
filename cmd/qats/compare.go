package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
	"github.com/spf13/cobra"
)

func compareCommand() *cobra.Command {
	var c comparing
	cmd := &cobra.Command{
		Use:   "compare [METHOD...]",
		Short: "Compare methods with one of them over many settings",
		Long: `compare sets each METHOD (all, if none is named) beside the method given by
--against: mean difference, wins and losses by the paired 95 % interval of each
setting, Wilcoxon's signed-rank test over blocks of settings with Holm's
correction, and the mean ranks of all with Friedman's test and Nemenyi's critical
difference. Settings that share test images are no independent trials: those of
one dataset make one block and are averaged first (--block changes that).

It reads results.csv and pairs.csv in OUT. With --spec it first does what is
missing of those settings: METHOD is fitted on them if it is new, and paired with
--against; the rest comes from the store in OUT. --splits N also redraws the calibration
and test rows of each setting N times from their union and fits anew, which shows how
much the fits themselves vary.

The intervals are BC bootstrap intervals: bias-corrected, because resampling adds
noise to the bins, which raises every binned calibration error, and most that of
the better method. --interval percentile gives the plain ones (needs --spec).

The page is printed, and written as text and LaTeX beside its figures (SVG and
PDF) into OUT/compare.`,
		Example: `  qats compare --out results/out/companion
  qats compare hts --spec experiments/companion.yaml --out results/out/companion
  qats compare ts --against qats --spec experiments/companion.yaml --splits 20 --out results/out/companion`,
		RunE: func(cmd *cobra.Command, methods []string) error { return c.run(cmd, methods) },
	}
	c.at.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&c.against, "against", "qats", "method that the others are compared with")
	f.StringSliceVar(&c.metrics, "metric", []string{"ece", "aece"}, "metrics, as results.csv names them")
	f.StringVar(&c.block, "block", string(compare.ByDataset), "settings that count as one: those of a dataset, of a network, or each setting")
	f.StringSliceVar(&c.experiments, "experiment", nil, "only rows of these experiments")
	f.StringArrayVar(&c.from, "from", nil, "folder of results.csv to read in place of OUT; may be repeated")
	f.StringArrayVar(&c.specs, "spec", nil, "spec whose settings to do first; may be repeated")
	f.IntVar(&c.splits, "splits", 0, "redraw calibration and test rows so many times (needs --spec)")
	f.StringVar(&c.interval, "interval", string(metrics.BC), "kind of the bootstrap intervals of single settings: bc or percentile")
	f.IntVar(&c.workers, "workers", runtime.NumCPU(), "settings at a time; the results do not depend on it")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line for each method, ranking and redrawn setting, and write no file")
	f.StringVar(&c.memory, "max-memory", "4GiB", "memory for arrays, as in 512MiB or 6GiB")
	return cmd
}

// comparing is what the flags of compare say.
type comparing struct {
	at                   places
	against, block       string
	interval             string
	metrics, experiments []string
	from, specs          []string
	splits, workers      int
	json                 bool
	memory               string
	methods              []string          // asked for by name
	labels               map[string]string // method id -> label
	rows                 *experiments.Rows
	dir                  string // of what is written
	stdout               io.Writer
}

func (c *comparing) run(cmd *cobra.Command, methods []string) error {
	c.stdout = cmd.OutOrStdout()
	if len(methods) > 0 { // otherwise all, which is nil
		c.methods = methods
	}
	c.dir = filepath.Join(c.at.out, "compare")
	if err := c.check(); err != nil {
		return err
	}
	c.labels = map[string]string{}
	for _, e := range calib.Registry() {
		c.labels[e.Name] = e.Label
	}
	var failed error
	if len(c.specs) > 0 {
		if failed = c.make(cmd); failed != nil && failed != errFailed {
			return failed
		}
		c.from = []string{c.dir}
	}
	if err := c.read(); err != nil {
		return err
	}
	var pages []page
	for _, id := range c.metrics {
		more, err := c.compare(id)
		if err != nil {
			return err
		}
		pages = append(pages, more...)
	}
	if c.json {
		for _, p := range pages {
			if err := p.JSON(c.stdout); err != nil {
				return err
			}
		}
		return failed
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	for i, p := range pages {
		if i > 0 {
			fmt.Fprintln(c.stdout)
		}
		if err := c.write(p); err != nil {
			return err
		}
	}
	return failed
}

// check rejects flags that contradict each other or name unknown things.
func (c *comparing) check() error {
	for i, m := range c.methods {
		switch {
		case m == c.against:
			return fmt.Errorf("%s is compared with itself; name another by --against", m)
		case slices.Contains(c.methods[:i], m):
			return fmt.Errorf("method %s stands twice", m)
		}
	}
	var blocks []string
	for _, b := range compare.Blocks() {
		blocks = append(blocks, string(b))
	}
	switch {
	case !slices.Contains(blocks, c.block):
		return fmt.Errorf("--block %s: it is one of %s", c.block, strings.Join(blocks, ", "))
	case c.splits < 0 || c.splits > experiments.MaxSplits:
		return fmt.Errorf("--splits %d: a number of draws up to %d", c.splits, experiments.MaxSplits)
	case c.splits > 0 && len(c.specs) == 0:
		return fmt.Errorf("--splits fits anew: name the settings by --spec, as in --spec experiments/companion.yaml")
	case len(c.from) > 0 && len(c.specs) > 0:
		return fmt.Errorf("--from reads finished results, --spec makes them: give one of the two")
	case c.interval != string(metrics.BC) && c.interval != string(metrics.Percentile):
		return fmt.Errorf("--interval %s: it is %s or %s", c.interval, metrics.BC, metrics.Percentile)
	case c.interval != string(metrics.BC) && len(c.specs) == 0:
		return fmt.Errorf("--interval %s: pairs.csv holds BC intervals; name the settings by --spec to have others made", c.interval)
	case len(c.metrics) == 0:
		return fmt.Errorf("--metric: name one, such as ece")
	}
	var known []string
	for _, e := range metrics.Registry() {
		if e.Better != metrics.Neutral {
			known = append(known, e.Names()...)
		}
	}
	for i, id := range c.metrics {
		switch {
		case slices.Contains(c.metrics[:i], id):
			return fmt.Errorf("--metric %s stands twice", id)
		case !slices.Contains(known, id):
			return fmt.Errorf("--metric %s: no metric by which methods can be compared%s", id, experiments.Suggest(id, known))
		}
	}
	return nil
}

// make does what is missing of the specs and writes its rows beside the page.
func (c *comparing) make(cmd *cobra.Command) error {
	o := experiments.RunOptions{Workers: c.workers, Fresh: c.at.fresh}
	var err error
	if o.Memory, err = parseBytes(c.memory); err != nil {
		return err
	}
	specs, err := experiments.ReadSpecs(c.specs, registry())
	if err != nil {
		return err
	}
	for i, s := range specs {
		specs[i], err = s.Compared(experiments.Comparing{Methods: c.methods, Against: c.against, Metrics: c.metrics, Splits: c.splits}, registry())
		if err != nil {
			return err
		}
		for _, m := range specs[i].Methods {
			c.labels[m.Name] = m.Label
		}
	}
	c.at.interval = metrics.Interval(c.interval)
	plan, err := c.at.planOf(cmd, specs)
	if err != nil {
		return err
	}
	said := c.stdout
	if c.json {
		said = io.Discard
	}
	err = carryOut(cmd, plan, c.dir, o, said)
	if err == nil || err == errFailed {
		fmt.Fprintln(said) // before the page
	}
	return err
}

// read gathers the rows of the folders, and of the experiments asked for.
func (c *comparing) read() error {
	if len(c.from) == 0 {
		c.from = []string{c.at.out}
	}
	c.rows = &experiments.Rows{}
	for _, dir := range c.from {
		rows, err := experiments.ReadRows(dir)
		if err != nil {
			return err
		}
		c.rows.Records = append(c.rows.Records, rows.Records...)
		c.rows.Pairs = append(c.rows.Pairs, rows.Pairs...)
	}
	if len(c.experiments) == 0 {
		return nil
	}
	var kept experiments.Rows
	for _, name := range c.experiments {
		of := c.rows.Of(name)
		if len(of.Records) == 0 {
			return fmt.Errorf("--experiment %s: results.csv in %s has no rows of it", name, strings.Join(c.from, ", "))
		}
		kept.Records = append(kept.Records, of.Records...)
		kept.Pairs = append(kept.Pairs, of.Pairs...)
	}
	c.rows = &kept
	return nil
}

// page is one comparison, as written.
type page struct {
	compare.View
	name string // stem of its files
}

// compare compares by one metric, once for each source.
func (c *comparing) compare(id string) ([]page, error) {
	o := compare.Options{Metric: id, Against: c.against, Methods: c.methods, Block: compare.Block(c.block)}
	if c.interval != string(metrics.BC) {
		o.Interval = c.interval + " bootstrap"
	}
	all, err := compare.Of(c.rows.Records, c.rows.Pairs, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(c.from, ", "), err)
	}
	var pages []page
	for _, one := range all {
		pages = append(pages, page{compare.View{
			Comparison: one, Labels: c.labels, Splits: one.Splits(c.rows.Records, c.rows.Pairs),
		}, id + "-" + one.Source})
	}
	return pages, nil
}

// write prints a page and writes its files.
func (c *comparing) write(p page) error {
	if err := p.Text(c.stdout); err != nil {
		return err
	}
	base := filepath.Join(c.dir, p.name)
	if err := atomicfile.Write(base+".txt", p.Text); err != nil {
		return err
	}
	if err := atomicfile.Write(base+".tex", p.LaTeX); err != nil {
		return err
	}
	if p.unpaired() && len(c.specs) == 0 {
		fmt.Fprintf(c.stdout, "(for intervals of single settings against %s: qats compare --spec SPEC --out %s)\n", c.against, c.at.out)
	}
	fmt.Fprintf(c.stdout, "(%s.txt and .tex)\n", base)
	return c.draw(p, base)
}

// draw draws the ranks, the differences over blocks, and, of methods that were asked for by
// name, those of each setting. What cannot be drawn is said and no error: with
// two settings, say, there is nothing to rank.
func (c *comparing) draw(p page, base string) error {
	save := func(figure *plots.Figure, err error, name string) error {
		if err != nil {
			_, err = fmt.Fprintf(c.stdout, "no %v\n", err)
			return err
		}
		for _, format := range []string{".svg", ".pdf"} {
			if err := figure.Save(name + format); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(c.stdout, "%s.svg and .pdf\n", name)
		return err
	}
	figure, err := plots.Ranks(p.Comparison, c.labels)
	if err := save(figure, err, base+"-ranks"); err != nil {
		return err
	}
	figure, err = plots.Differences(p.Comparison, c.labels)
	if err := save(figure, err, base+"-differences"); err != nil {
		return err
	}
	for _, r := range p.Rows {
		if !slices.Contains(c.methods, r.Method) || r.NoInterval == r.Settings {
			continue
		}
		in := plots.Input{Methods: []string{r.Method, c.against}, Labels: c.labels, Name: table.Name, Interval: p.Interval}
		for _, pair := range c.rows.Pairs {
			if pair.Source == p.Source {
				in.Pairs = append(in.Pairs, pair)
			}
		}
		figure, err := plots.ForestOf(in, p.Metric)
		if err := save(figure, err, base+"-forest-"+r.Method); err != nil {
			return err
		}
	}
	return nil
}

// unpaired reports whether a metric that has pairs lacks those of a method.
func (p page) unpaired() bool {
	e, _, _ := metrics.LookupOutput(p.Metric)
	return e.Paired &&
		slices.ContainsFunc(p.Rows, func(r compare.Row) bool { return r.NoInterval == r.Settings })
}
