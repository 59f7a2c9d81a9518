package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results/table"
)

// methodRow is the row of a method in a list.
func methodRow(e calib.Entry) []string {
	c := e.Method.Contract()
	keeps := "no"
	if c.KeepsTop1 {
		keeps = "yes"
	}
	return []string{e.Name, cmp.Or(strings.Join(extraNeeds(c), ", "), "-"), keeps, cost(e), e.Summary}
}

// listGroups prints groups with their members, and an empty line.
func listGroups(w io.Writer, groups []spec.Group) error {
	rows := lists.Values(groups, func(g spec.Group) []string {
		members := g.Members()
		text := strings.Join(members, ", ")
		if len(members) > manyMembers {
			text = fmt.Sprintf("%d, %s to %s", len(members), members[0], members[len(members)-1])
		}
		return []string{g.Name, g.Summary + ": " + text}
	})
	if err := table.NewList([]string{"GROUP", "MEMBERS"}, rows).Text(w, widthOf(w)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// manyMembers is the most members of a group that a list of groups names.
const manyMembers = 12

// cost returns about the processor time of a fit on 10,000 rows of 100 classes.
func cost(e calib.Entry) string {
	switch d := costOf(e); {
	case d < 10*time.Millisecond:
		return "<0.01 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1g s", d.Seconds())
	default:
		return roughly(d)
	}
}

// costOf is cost as a value.
func costOf(e calib.Entry) time.Duration { return experiments.FitTime(e, 10_000, 100) }

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
		items = []item{{"label", e.Label}, {"more", "docs/calibrator.md; only a spec can name this method"}}
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
		{!c.Masked, "it takes no masked classes (logits of -Inf)"},
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

// methodJSON is a line of doc methods --json.
type methodJSON struct {
	calib.Entry
	Needs      map[string][]string `json:"needs"` // by cal, test and target
	TrueLogits bool                `json:"true_logits"`
	KeepsTop1  bool                `json:"keeps_top1"`
	Masked     bool                `json:"masked"` // it takes masked classes, whose logits are -Inf
	TopLabel   bool                `json:"top_label"`
	Tempered   bool                `json:"tempered"` // apply --temperature writes the temperatures of rows
	Streams    bool                `json:"streams"`
	Groups     []string            `json:"groups"`
	Cost       float64             `json:"cost_seconds"` // of a fit on 10,000 rows of 100 classes, processor time, rough
	Options    []calib.Option      `json:"options"`
	Warnings   []string            `json:"warnings,omitempty"`
}

func describeMethod(e calib.Entry) any {
	c := e.Method.Contract()
	m := methodJSON{Entry: e, Needs: map[string][]string{}, TrueLogits: c.TrueLogits, KeepsTop1: c.KeepsTop1, Masked: c.Masked, Streams: c.Streams,
		TopLabel: e.TopLabelOnly(), Tempered: e.Divides(),
		Groups: append([]string{}, spec.GroupsOf(experiments.Registry().MethodGroups, e.Name)...), Cost: report.Rounded(costOf(e).Seconds(), 2),
		Options: append([]calib.Option{}, e.Options()...), Warnings: warningsOf(c)}
	for _, set := range setsOf(c) {
		for _, part := range set.parts.List() {
			m.Needs[set.name] = append(m.Needs[set.name], part.String())
		}
	}
	return m
}

// metricRow is the row of a metric in a list.
func metricRow(e metrics.Entry) []string {
	return []string{e.Name, cmp.Or(string(e.Better), "-"), e.Summary}
}

// metricJSON is a line of doc metrics --json.
type metricJSON struct {
	metrics.Entry
	Outputs []outputJSON `json:"outputs"`
	Better  string       `json:"better"`           // lower, higher, target or neither
	Target  *float64     `json:"target,omitempty"` // the best value, where Better is target
	Groups  []string     `json:"groups"`
}

type outputJSON struct {
	Name  string   `json:"name"`
	Label string   `json:"label"`
	Lo    *float64 `json:"lo"` // null: no bound
	Hi    *float64 `json:"hi"`
}

// targetOf returns the best value of a metric that has one.
func targetOf(e metrics.Entry) *float64 {
	if e.Better != metrics.Target {
		return nil
	}
	return &e.Target
}

func describeMetric(e metrics.Entry) any {
	better := string(e.Better)
	if e.Better == metrics.Neutral {
		better = "neither"
	}
	m := metricJSON{Entry: e, Better: better, Target: targetOf(e), Groups: spec.GroupsOf(experiments.Registry().MetricGroups, e.Name)}
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

// figureRow is the row of a kind of figure in a list.
func figureRow(e plots.Entry) []string {
	return []string{e.Name, showsOf(e), e.Summary}
}

// showsOf says how many settings a figure of a kind shows.
func showsOf(e plots.Entry) string {
	if e.PerSetting {
		return "one"
	}
	return "several"
}

// showFigure prints all about one kind of figure.
func showFigure(w io.Writer, e plots.Entry) error {
	if err := show(w, e.Name, e.Summary, []item{{"settings", showsOf(e)}}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nIn a spec: figures: [{kind: %s}]; "+called.Command()+" doc spec has its keys under Figure.\n", e.Name)
	return err
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
