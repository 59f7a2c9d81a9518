package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results/table"
)

// topic is what qats doc prints of one word. Of a list it prints one member too.
type topic interface {
	title() (name, holds string)
	// print prints all if name is empty, the members of a group, or one of the list.
	print(w io.Writer, name string, asJSON bool) error
}

// list is a topic whose members have names and groups.
type list[T any] struct {
	name, holds string
	members     []T
	more        []T // can be shown, but are not listed
	groups      []spec.Group
	nameOf      func(T) string
	summary     func(T) string
	aliases     func(T) []string
	match       func(members []T, name string) (T, error)
	show        func(io.Writer, T) error
	object      func(T) any // for JSON
	head        []string
	row         func(T) []string
}

func (l list[T]) title() (name, holds string) { return l.name, l.holds }

func (l list[T]) print(w io.Writer, name string, asJSON bool) error {
	members := l.members
	switch {
	case name == "":
		if len(l.groups) > 0 && !asJSON {
			if err := listGroups(w, l.groups); err != nil {
				return err
			}
		}
	case spec.IsGroup(name):
		var err error
		if members, err = spec.MembersOf(l.groups, name, members, l.nameOf); err != nil {
			return err
		}
	default:
		one, err := l.match(slices.Concat(members, l.more), name)
		if err != nil {
			return err
		}
		if !asJSON {
			return l.show(w, one)
		}
		members = []T{one}
	}
	return printList(w, members, asJSON, l.object, l.head, l.row)
}

// known are the names of a list and of its groups, with their other names.
func (l list[T]) known() (names []string, aliases [][]string) {
	all := slices.Concat(l.members, l.more)
	names, aliases = lists.Values(all, l.nameOf), lists.Values(all, l.aliases)
	for _, g := range l.groups {
		names, aliases = append(names, g.Name), append(aliases, nil)
	}
	return names, aliases
}

// described are the names of a list and of its groups, each with its summary.
func (l list[T]) described() []string {
	return slices.Concat(describedGroups(l.groups),
		lists.Values(l.members, func(e T) string { return l.nameOf(e) + "\t" + l.summary(e) }))
}

// catalogue is a list without the type of its members.
type catalogue interface {
	topic
	known() (names []string, aliases [][]string)
	described() []string // for completion
}

// text is a topic without members.
type text struct {
	name, holds string
	write       func(w io.Writer, asJSON bool) error
}

func (t text) title() (name, holds string) { return t.name, t.holds }

func (t text) print(w io.Writer, name string, asJSON bool) error {
	if name != "" {
		return usage(called.Command()+" doc %s is one text: leave %s out", t.name, quote(name))
	}
	return t.write(w, asJSON)
}

// catalogues are the topics that are lists. No two members have one name.
func catalogues() []catalogue {
	known := experiments.Registry()
	return []catalogue{
		list[calib.Entry]{
			name: "methods", holds: fmt.Sprintf("%d calibrators and their groups", len(known.Methods)),
			members: known.Methods, more: known.External, groups: known.MethodGroups,
			nameOf:  func(e calib.Entry) string { return e.Name },
			summary: func(e calib.Entry) string { return e.Summary },
			aliases: func(e calib.Entry) []string { return append([]string{e.Label}, e.Aliases...) },
			match: func(members []calib.Entry, name string) (calib.Entry, error) {
				return spec.MatchMethod(members, known.MethodGroups, name)
			},
			show: showMethod, object: describeMethod, head: []string{"METHOD", "NEEDS", "TOP 1", "COST", "SUMMARY"}, row: methodRow,
		},
		list[metrics.Entry]{
			name: "metrics", holds: fmt.Sprintf("%d metrics and their groups", len(known.Metrics)),
			members: known.Metrics, groups: known.MetricGroups,
			nameOf:  func(e metrics.Entry) string { return e.Name },
			summary: func(e metrics.Entry) string { return e.Summary },
			aliases: func(e metrics.Entry) []string { return e.Aliases },
			match: func(members []metrics.Entry, name string) (metrics.Entry, error) {
				return spec.MatchMetric(members, known.MetricGroups, name)
			},
			show:   func(w io.Writer, e metrics.Entry) error { return show(w, e.Name, e.Summary, metricItems(e)) },
			object: describeMetric, head: []string{"METRIC", "BETTER", "SUMMARY"}, row: metricRow,
		},
		list[plots.Entry]{
			name: "figures", holds: fmt.Sprintf("%d kinds of figures that a spec can name", len(plots.Registry())),
			members: plots.Registry(),
			nameOf:  func(e plots.Entry) string { return e.Name },
			summary: func(e plots.Entry) string { return e.Summary },
			aliases: func(plots.Entry) []string { return nil },
			match:   matchFigure,
			show:    showFigure, object: func(e plots.Entry) any { return e }, head: []string{"KIND", "SETTINGS", "SUMMARY"}, row: figureRow,
		},
	}
}

// matchFigure returns the kind of figure of this name.
func matchFigure(kinds []plots.Entry, name string) (plots.Entry, error) {
	known := lists.Values(kinds, func(e plots.Entry) string { return e.Name })
	match, ok := keyed.Match(name, known)
	if !ok {
		return plots.Entry{}, usage("unknown kind of figure %q%s", name, keyed.Suggest(name, known))
	}
	return kinds[slices.Index(known, match)], nil
}

// topics are all topics, in the order in which qats doc lists them.
func topics() []topic {
	var all []topic
	for _, c := range catalogues() {
		all = append(all, c)
	}
	return append(all,
		text{"commands", "what each command does, at length", printManuals},
		text{"groups", "only the groups of methods and of metrics", printGroupLists},
		text{"spec", "every key of a spec, with its type, default, meaning and an example, as Markdown", printReference},
		text{"reference", "every calibrator and metric with its formula, as Markdown (docs/methods.md)", func(w io.Writer, asJSON bool) error {
			if asJSON {
				return usage("%s", called.Command()+" doc reference is Markdown; for JSON use "+called.Command()+" doc methods --json and "+called.Command()+" doc metrics --json")
			}
			return writePage(w)
		}})
}

// printReference prints the reference of the spec language.
func printReference(w io.Writer, asJSON bool) error {
	if asJSON {
		return usage("%s", called.Command()+" doc spec is Markdown; "+called.Command()+" doc spec --schema prints a JSON Schema")
	}
	return spec.WriteReference(w, experiments.Registry())
}

// groupJSON is a line of doc groups --json.
type groupJSON struct {
	Of      string   `json:"of"` // methods or metrics
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Members []string `json:"members"`
}

// printGroupLists prints the groups of methods and of metrics.
func printGroupLists(w io.Writer, asJSON bool) error {
	known := experiments.Registry()
	if !asJSON {
		fmt.Fprint(w, "Groups of methods\n\n")
		if err := listGroups(w, known.MethodGroups); err != nil {
			return err
		}
		fmt.Fprint(w, "Groups of metrics\n\n")
		return listGroups(w, known.MetricGroups)
	}
	of := func(what string) func(spec.Group) groupJSON {
		return func(g spec.Group) groupJSON { return groupJSON{what, g.Name, g.Summary, g.Members()} }
	}
	return table.WriteJSON(w, slices.Concat(lists.Values(known.MethodGroups, of("methods")), lists.Values(known.MetricGroups, of("metrics"))))
}

// topicJSON is a line of doc --json.
type topicJSON struct {
	Name  string `json:"name"`
	Holds string `json:"holds"`
}

// printTopics lists the topics.
func printTopics(w io.Writer, asJSON bool) error {
	all := lists.Values(topics(), func(t topic) topicJSON {
		name, holds := t.title()
		return topicJSON{name, holds}
	})
	if asJSON {
		return table.WriteJSON(w, all)
	}
	rows := lists.Values(all, func(t topicJSON) []string { return []string{t.Name, t.Holds} })
	if err := table.NewList([]string{"TOPIC", "HOLDS"}, rows).Text(w, widthOf(w)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\n"+called.Command()+" doc NAME shows one method, metric, kind of figure or command, as in: "+called.Command()+" doc ts")
	return err
}

func docCommand() *cobra.Command {
	var asJSON, schema bool
	cmd := &cobra.Command{
		Use:   "doc [TOPIC] [NAME | @GROUP | COMMAND]",
		Short: "Say what a method, metric, figure or command is, and what a spec can have",
		Long: `doc says what a name stands for. Without an argument it lists the topics. NAME is a calibrator, a
metric, a kind of figure, or a command. A spec names a group in quotes, as in
methods: ["@recommended", sms].`,
		Example: examples(
			"doc",
			"doc methods",
			"doc qats-pw",
			"doc @recommended",
			"doc metrics @all --json",
			"doc spec --schema > spec.schema.json",
			"doc compare",
		),
		Args:              argumentsOr(0, 2, "doc takes a topic, a name, a group or a command, as in: "+called.Command()+" doc methods; "+called.Command()+" doc ts; "+called.Command()+" doc metrics @all"),
		ValidArgsFunction: completeDoc,
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if schema {
				if len(args) != 1 || args[0] != "spec" {
					return usage("%s", "--schema is only for specs: "+called.Command()+" doc spec --schema")
				}
				return spec.WriteSchema(w, experiments.Registry())
			}
			if len(args) == 0 {
				return printTopics(w, asJSON)
			}
			if command := strings.Join(args, " "); hasManual(command) {
				if asJSON {
					return usage("%s", called.Command()+" doc "+command+" is a text: leave --json out")
				}
				return printManual(w, command)
			}
			all := topics()
			names := lists.Values(all, func(t topic) string {
				name, _ := t.title()
				return name
			})
			match, ok := keyed.Match(args[0], names)
			switch {
			case ok:
				return all[slices.Index(names, match)].print(w, strings.Join(args[1:], ""), asJSON)
			case len(args) == 2:
				return usage("unknown topic %q%s", args[0], keyed.Suggest(args[0], names))
			}
			return printNamed(w, args[0], names, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, objects)
	cmd.Flags().BoolVar(&schema, "schema", false, "of spec: a JSON Schema")
	cmd.MarkFlagsMutuallyExclusive("json", "schema")
	return cmd
}

// printNamed prints a name or a group, in whichever list it is. A group that methods and
// metrics have is printed of both.
func printNamed(w io.Writer, name string, topics []string, asJSON bool) error {
	known, aliases := topics, make([][]string, len(topics))
	found := false
	for _, c := range catalogues() {
		names, others := c.known()
		known, aliases = append(known, names...), append(aliases, others...)
		match, ok := keyed.Match(name, names)
		if !ok {
			continue
		}
		if found && !asJSON {
			fmt.Fprintln(w)
		}
		if err := c.print(w, match, asJSON); err != nil {
			return err
		}
		found = true
	}
	if found {
		return nil
	}
	what, otherwise := "name", called.Command()+" doc methods, "+called.Command()+" doc metrics and "+called.Command()+" doc figures list the names"
	if spec.IsGroup(name) {
		what, otherwise = "group", called.Command()+" doc groups lists the groups"
	}
	return spec.Unknown(what, name, known, func(i int) []string { return aliases[i] }, otherwise)
}
