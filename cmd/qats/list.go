package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results/table"
	"github.com/spf13/cobra"
)

func methodsCommand() *cobra.Command {
	var page, asJSON bool
	cmd := &cobra.Command{
		Use:   "methods [NAME]",
		Short: "List the registered calibrators, or show one with its options",
		Long: `methods lists the registered calibrators. NEEDS names what a method reads besides
logits and labels; TOP 1 says whether the predicted class of every row stays the same.
With a NAME it shows one: its formula, arrays, options with defaults and ranges,
warnings and reference. A spec can name two more methods: external, a program in any
language, and precomputed, probabilities in files. docs/new-calibrator.md shows both.

With --page it prints every calibrator and metric as Markdown: formula, arrays, code
compared with, agreement, departures. docs/methods.md is this page.`,
		Example: `  qats methods
  qats methods qats-pw
  qats methods --json
  qats methods --page > docs/methods.md`,
		Args:              arguments(0, 1),
		ValidArgsFunction: oneArgument(describedMethods),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if page {
				return writePage(w)
			}
			list := all.Registry()
			if len(args) > 0 {
				e, err := spec.MatchMethod(slices.Concat(list, experiments.Registry().External), args[0])
				if err != nil {
					return err
				}
				if !asJSON {
					return showMethod(w, e)
				}
				list = []calib.Entry{e}
			}
			return printList(w, list, asJSON, describeMethod, []string{"METHOD", "NEEDS", "TOP 1", "SUMMARY"}, func(e calib.Entry) []string {
				c := e.Method.Contract()
				keeps := "no"
				if c.KeepsTop1 {
					keeps = "yes"
				}
				return []string{e.Name, cmp.Or(strings.Join(extraNeeds(c), ", "), "-"), keeps, e.Summary}
			})
		},
	}
	cmd.Flags().BoolVar(&page, "page", false, "print docs/methods.md: all calibrators and metrics with formulas, as Markdown")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each method")
	return cmd
}

// extraNeeds lists what a method reads besides logits and labels.
func extraNeeds(c calib.Contract) []string {
	var list []string
	for _, part := range (c.Cal | c.Test).List() {
		if part != data.Logits && part != data.Labels {
			list = append(list, part.String())
		}
	}
	if c.Target != 0 {
		list = append(list, "target")
	}
	if c.TrueLogits {
		list = append(list, "true logits")
	}
	return list
}

// namedParts are the arrays of one set that a contract names.
type namedParts struct {
	name  string
	parts data.Parts
}

func setsOf(c calib.Contract) []namedParts {
	return []namedParts{{"cal", c.Cal}, {"test", c.Test}, {"target", c.Target}}
}

// needs lists the arrays that a contract names.
func needs(c calib.Contract) string {
	var list []string
	for _, set := range setsOf(c) {
		if set.parts != 0 {
			list = append(list, set.name+" "+set.parts.String())
		}
	}
	if c.TrueLogits {
		list = append(list, "true logits")
	}
	return strings.Join(list, ", ")
}

// showMethod prints all about one method. The program or the files of an external method
// decide the rest.
func showMethod(w io.Writer, e calib.Entry) error {
	items := slices.DeleteFunc(methodItems(e), func(i item) bool { return i.key == "options" })
	for _, text := range warningsOf(e.Method.Contract()) {
		items = append(items, item{"warning", text})
	}
	if _, registered := all.Lookup(e.Name); !registered {
		items = []item{{"label", e.Label}, {"more", "docs/new-calibrator.md; only a spec can name this method"}}
	}
	if err := show(w, e.Name, e.Summary, items); err != nil {
		return err
	}
	options := e.Options()
	if len(options) == 0 {
		_, err := fmt.Fprintln(w, "\nIt has no options.")
		return err
	}
	fmt.Fprintln(w)
	rows := lists.Values(options, func(o calib.Option) []string { return []string{o.Name, defaultOf(o), o.Range, o.Help} })
	if err := table.NewList([]string{"OPTION", "DEFAULT", "RANGE", "MEANING"}, rows).Text(w, widthOf(w)); err != nil {
		return err
	}
	first := options[0]
	_, err := fmt.Fprintf(w, "\nIn a spec: {name: mine, method: %s, options: {%s: %s}}\n", e.Name, first.Name, exampleOf(first))
	return err
}

// exampleOf returns a value of an option.
func exampleOf(o calib.Option) string {
	if o.Default == nil {
		return "..."
	}
	return fmt.Sprint(o.Default)
}

// defaultOf returns the default of an option in words.
func defaultOf(o calib.Option) string {
	_, list := o.Value().([]string)
	switch {
	case list || o.Default == "":
		return "none"
	case o.Default == nil:
		return "from the data"
	}
	return fmt.Sprint(o.Default)
}

// warningsOf says what a user must know before using a method with this contract.
func warningsOf(c calib.Contract) []string {
	var list []string
	for _, x := range []struct {
		when bool
		text string
	}{
		{!c.KeepsTop1, "the predicted class of a row may change, and the accuracy with it"},
		{c.TrueLogits, "it needs the logits of the network: log-probabilities and probabilities are rejected"},
		{c.Target != 0, "the fit reads unlabelled rows of the set that it is applied to"},
		{c.Cal&data.OOD != 0, "the fit reads logits of out-of-distribution rows"},
		{c.Cal != 0 && !c.Streams, "the calibration set must fit into memory (--max-memory)"},
	} {
		if x.when {
			list = append(list, x.text)
		}
	}
	return list
}

// methodJSON is a line of methods --json.
type methodJSON struct {
	calib.Entry
	Needs      map[string][]string `json:"needs"` // by cal, test and target
	TrueLogits bool                `json:"true_logits"`
	KeepsTop1  bool                `json:"keeps_top1"`
	Streams    bool                `json:"streams"`
	Options    []calib.Option      `json:"options"`
	Warnings   []string            `json:"warnings,omitempty"`
}

func describeMethod(e calib.Entry) any {
	c := e.Method.Contract()
	m := methodJSON{e, map[string][]string{}, c.TrueLogits, c.KeepsTop1, c.Streams, append([]calib.Option{}, e.Options()...), warningsOf(c)}
	for _, set := range setsOf(c) {
		for _, part := range set.parts.List() {
			m.Needs[set.name] = append(m.Needs[set.name], part.String())
		}
	}
	return m
}

func metricsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "metrics [NAME]",
		Short: "List the registered metrics, or show one",
		Long: `metrics lists the registered metrics. BETTER says which values are better. IN A RUN
says whether a run computes the metric always or only if a spec names it. With a NAME
it shows one: its formula, values with their ranges, and reference.`,
		Example: `  qats metrics
  qats metrics ece
  qats metrics --json`,
		Args:              arguments(0, 1),
		ValidArgsFunction: oneArgument(metricNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			list := metrics.Registry()
			if len(args) > 0 {
				e, err := spec.MatchMetric(list, args[0])
				if err != nil {
					return err
				}
				if !asJSON {
					return show(w, e.Name, e.Summary, metricItems(e))
				}
				list = []metrics.Entry{e}
			}
			return printList(w, list, asJSON, describeMetric, []string{"METRIC", "BETTER", "IN A RUN", "SUMMARY"}, func(e metrics.Entry) []string {
				in := "always"
				if e.OnRequest {
					in = "if named"
				}
				return []string{e.Name, cmp.Or(string(e.Better), "-"), in, e.Summary}
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each metric")
	return cmd
}

// metricJSON is a line of metrics --json.
type metricJSON struct {
	metrics.Entry
	Outputs []outputJSON `json:"outputs"`
	Better  string       `json:"better"` // lower, higher or neither
}

type outputJSON struct {
	Name  string   `json:"name"`
	Label string   `json:"label"`
	Lo    *float64 `json:"lo"` // null: no bound
	Hi    *float64 `json:"hi"`
}

func describeMetric(e metrics.Entry) any {
	better := string(e.Better)
	if e.Better == metrics.Neutral {
		better = "neither"
	}
	m := metricJSON{Entry: e, Better: better}
	bound := func(v float64) *float64 {
		if math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	for _, o := range e.Outputs {
		m.Outputs = append(m.Outputs, outputJSON{o.Name, o.Label, bound(o.Lo), bound(o.Hi)})
	}
	return m
}

func figuresCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "figures",
		Short: "List the kinds of figures that a spec can name",
		Long: `figures lists the kinds of figures that a spec can name (figures: [{kind: KIND}]). A
kind that shows one setting is drawn once for each setting.`,
		Example: `  qats figures
  qats figures --json`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			itself := func(e plots.Entry) any { return e }
			return printList(cmd.OutOrStdout(), plots.Registry(), asJSON, itself, []string{"KIND", "SETTINGS", "SUMMARY"}, func(e plots.Entry) []string {
				shows := "several"
				if e.PerSetting {
					shows = "one"
				}
				return []string{e.Name, shows, e.Summary}
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each kind")
	return cmd
}

// show prints a name with its summary, and one item a line.
func show(w io.Writer, name, summary string, items []item) error {
	var rows [][]string
	for _, i := range items {
		if i.text != "" {
			rows = append(rows, []string{i.key, strings.ReplaceAll(i.text, "`", "")})
		}
	}
	t := table.NewList(nil, rows)
	t.Caption = name + ": " + summary
	return t.Text(w, widthOf(w))
}

// printList prints a list in columns, one row for each item, or one JSON object a line
// for each item.
func printList[T any](w io.Writer, list []T, asJSON bool, object func(T) any, head []string, row func(T) []string) error {
	if !asJSON {
		return table.NewList(head, lists.Values(list, row)).Text(w, widthOf(w))
	}
	return table.WriteJSON(w, lists.Values(list, object))
}
