package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/compare"
)

// check rejects flags that do not fit each other.
func (c *comparing) check(cmd *cobra.Command) error {
	if err := c.resolve(nil); err != nil {
		return err
	}
	switch {
	case c.splits < 0 || c.splits > spec.MaxSplits:
		return fmt.Errorf("--splits %d: give a number of draws up to %d", c.splits, spec.MaxSplits)
	case c.splits > 0 && len(c.specs) == 0:
		return fmt.Errorf("--splits makes new fits: name the settings by --spec, as in --spec experiments/companion.yaml")
	case len(c.tables) > 0 && len(c.Metrics) != 1:
		return fmt.Errorf("--from %s: say by --metric what the values are; give one metric", c.tables[0])
	case len(c.tables) == 0 && cmd.Flags().Changed("columns"):
		return fmt.Errorf("--columns names the columns of a CSV file of another program: name the file by --from")
	case c.Interval != metrics.Percentile && len(c.specs) == 0:
		return fmt.Errorf("--interval %s: the intervals of calibration errors in pairs.csv are percentile ones; name the settings by --spec to make others", c.Interval)
	case c.form != report.TextForm && (c.json || c.Full):
		return fmt.Errorf("--format prints the tables of a comparison; give neither --json nor --full with it")
	case len(c.Metrics) == 0:
		return fmt.Errorf("--metric: name one, such as ece")
	}
	for _, name := range runFlagNames() {
		if len(c.specs) == 0 && cmd.Flags().Changed(name) {
			return usage("--%s is a flag of a run: name the settings to run by --spec, or leave it out", name)
		}
	}
	known := compare.Names(c.Metrics...)
	for i, id := range c.Metrics {
		match, ok := keyed.Match(id, known)
		if !ok {
			if several := spec.SeveralValues(id, metrics.Registry(), known); several != "" {
				return fmt.Errorf("--metric %s %s", id, several)
			}
			return fmt.Errorf("--metric %s: this is not a metric that can compare methods%s", id, keyed.Suggest(id, known))
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
	if match, ok := keyed.Match(c.Against, known); ok {
		c.Against = match
	}
	for i, m := range c.Methods {
		if match, ok := keyed.Match(m, known); ok {
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
