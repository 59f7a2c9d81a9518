package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
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
		ValidArgsFunction: oneArgument(describedMethods()),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if page {
				return writePage(w)
			}
			list := calib.Registry()
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
			if asJSON {
				return eachJSON(w, list, describeMethod)
			}
			var rows [][]string
			for _, e := range list {
				c := e.Method.Contract()
				rows = append(rows, []string{e.Name, cmp.Or(strings.Join(extraNeeds(c), ", "), "-"), yesNo(c.KeepsTop1), e.Summary})
			}
			return printColumns(w, []string{"METHOD", "NEEDS", "TOP 1", "SUMMARY"}, rows)
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

// needs lists the arrays that a contract names.
func needs(c calib.Contract) string {
	var list []string
	for _, n := range []struct {
		set   string
		parts data.Parts
	}{{"cal", c.Cal}, {"test", c.Test}, {"target", c.Target}} {
		if n.parts != 0 {
			list = append(list, n.set+" "+n.parts.String())
		}
	}
	if c.TrueLogits {
		list = append(list, "true logits")
	}
	return strings.Join(list, ", ")
}

// showMethod prints all about one method. What an external method does depends on
// its program or files.
func showMethod(w io.Writer, e calib.Entry) error {
	items := slices.DeleteFunc(methodItems(e), func(i item) bool { return i.key == "options" })
	for _, text := range warningsOf(e.Method.Contract()) {
		items = append(items, item{"warning", text})
	}
	if _, registered := calib.Lookup(e.Name); !registered {
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
	var rows [][]string
	for _, o := range options {
		rows = append(rows, []string{o.Name, defaultOf(o), o.Range, o.Help})
	}
	if err := printColumns(w, []string{"OPTION", "DEFAULT", "RANGE", "MEANING"}, rows); err != nil {
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
	Name       string              `json:"name"`
	Label      string              `json:"label"`
	Version    int                 `json:"version"`
	Summary    string              `json:"summary"`
	Reference  string              `json:"reference"`
	Formula    string              `json:"formula"`
	Aliases    []string            `json:"aliases,omitempty"`
	Needs      map[string][]string `json:"needs"` // by cal, test and target
	TrueLogits bool                `json:"true_logits"`
	KeepsTop1  bool                `json:"keeps_top1"`
	Streams    bool                `json:"streams"`
	Options    []optionJSON        `json:"options"`
	Warnings   []string            `json:"warnings,omitempty"`
	Code       string              `json:"compared_with"`
	Agreement  string              `json:"agreement"`
	Departs    string              `json:"departs"`
}

type optionJSON struct {
	Name    string `json:"name"`
	Default any    `json:"default"` // null: from the data
	Range   string `json:"range"`
	Help    string `json:"help"`
}

func describeMethod(e calib.Entry) any {
	c := e.Method.Contract()
	m := methodJSON{e.Name, e.Label, e.Version, e.Summary, e.Reference, e.Formula, e.Aliases, map[string][]string{},
		c.TrueLogits, c.KeepsTop1, c.Streams, []optionJSON{}, warningsOf(c), e.Code, e.Agreement, e.Departs}
	for set, parts := range map[string]data.Parts{"cal": c.Cal, "test": c.Test, "target": c.Target} {
		for _, part := range parts.List() {
			m.Needs[set] = append(m.Needs[set], part.String())
		}
	}
	for _, o := range e.Options() {
		m.Options = append(m.Options, optionJSON{o.Name, o.Default, o.Range, o.Help})
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
		ValidArgsFunction: oneArgument(metricNames()),
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
			if asJSON {
				return eachJSON(w, list, describeMetric)
			}
			var rows [][]string
			for _, e := range list {
				in := "always"
				if e.OnRequest {
					in = "if named"
				}
				rows = append(rows, []string{e.Name, cmp.Or(string(e.Better), "-"), in, e.Summary})
			}
			return printColumns(w, []string{"METRIC", "BETTER", "IN A RUN", "SUMMARY"}, rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each metric")
	return cmd
}

// metricJSON is a line of metrics --json.
type metricJSON struct {
	Name      string       `json:"name"`
	Outputs   []outputJSON `json:"outputs"`
	Better    string       `json:"better"` // lower, higher or neither
	Percent   bool         `json:"percent"`
	OnRequest bool         `json:"on_request"`
	Version   int          `json:"version"`
	Summary   string       `json:"summary"`
	Reference string       `json:"reference,omitempty"`
	Formula   string       `json:"formula"`
	Aliases   []string     `json:"aliases,omitempty"`
	Code      string       `json:"compared_with"`
	Agreement string       `json:"agreement"`
	Departs   string       `json:"departs"`
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
	m := metricJSON{e.Name, nil, better, e.Percent, e.OnRequest, e.Version, e.Summary, e.Reference, e.Formula, e.Aliases, e.Code, e.Agreement, e.Departs}
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
			w := cmd.OutOrStdout()
			if asJSON {
				return eachJSON(w, plots.Registry(), func(e plots.Entry) any {
					return struct {
						Name    string `json:"name"`
						PerCell bool   `json:"one_setting"`
						Summary string `json:"summary"`
					}{e.Name, e.PerCell, e.Summary}
				})
			}
			var rows [][]string
			for _, e := range plots.Registry() {
				shows := "several"
				if e.PerCell {
					shows = "one"
				}
				rows = append(rows, []string{e.Name, shows, e.Summary})
			}
			return printColumns(w, []string{"KIND", "SETTINGS", "SUMMARY"}, rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each kind")
	return cmd
}

// show prints a name with its summary, and one item a line.
func show(w io.Writer, name, summary string, items []item) error {
	var b strings.Builder
	table.Wrap(&b, "", name+": "+summary, lineWidth)
	fmt.Fprintln(w, b.String())
	var rows [][]string
	for _, i := range items {
		if i.text != "" {
			rows = append(rows, []string{i.key, strings.ReplaceAll(i.text, "`", "")})
		}
	}
	return printColumns(w, nil, rows)
}

// eachJSON prints one JSON object a line for each item of a list.
func eachJSON[T any](w io.Writer, list []T, describe func(T) any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range list {
		if err := enc.Encode(describe(e)); err != nil {
			return err
		}
	}
	return nil
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}
