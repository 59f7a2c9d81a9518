package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table"
	"github.com/qats-bench/qats/results/table/pivot"
)

// tables reads the list of tables. A spec without the list has a table of ECE
// and one of AECE.
func (r *reader) tables(n *yaml.Node, s *Spec) []pivot.Spec {
	if n == nil {
		return defaultTables(s)
	}
	var all []pivot.Spec
	r.list(n, func(item *yaml.Node) {
		name, t, ok := r.table(item, s)
		for _, earlier := range all {
			if earlier.Name == t.Name {
				r.errorf(item, "two tables are named %q; give one of them another name", name)
			}
			if t.Number > 0 && earlier.Number == t.Number {
				r.errorf(item, "two tables are number %d of the paper, %s and %s", t.Number, earlier.Name, t.Name)
			}
		}
		if ok {
			all = append(all, t)
		}
	})
	return all
}

// newTable returns a table with the properties that all tables of a spec share.
func newTable(s *Spec) pivot.Spec {
	t := pivot.Spec{Columns: "method", Labels: s.labels(), SettingLabels: map[string]string{}, Only: results.Filter{}}
	for _, m := range s.Methods {
		if m.Contract().Target != 0 {
			t.Target = append(t.Target, m.Name)
		}
	}
	return t
}

// tableItem is a table as it stands in the spec.
type tableItem struct {
	pivot.Spec
	name               string // without the name of the spec before it
	methods, highlight []string
}

// tableKeys are the keys of a table of s. Only the Choices depend on the known metrics.
func (r *reader) tableKeys(x *tableItem, s *Spec, known []metrics.Entry) []Key {
	columns := results.SettingColumns()
	placed := append([]string{"method"}, columns...)
	metric := func(v *yaml.Node) {
		x.Metric, _ = r.metric(v, s, append(s.outputs(), results.TimeMetric))
	}
	column := func(v *yaml.Node) {
		var one []string
		r.columns(&one, "columns", true)(v)
		if len(one) > 1 {
			r.errorf(v, "columns: name one, not %d", len(one))
		} else if len(one) == 1 {
			x.Columns = one[0]
		}
	}
	labels := func(v *yaml.Node) { r.labels(v, x.Spec, s) }
	last := len(paper.Tables())
	return slices.Concat([]Key{
		{Name: "name", Type: ID, read: r.text(&x.name, "name"), Default: "the metric", Meaning: "Part of the file names, after the name of the spec.", Example: "clean-ece"},
		{Name: "title", Type: Text, read: r.oneLine(&x.Caption, "title"), Default: "the title of the spec and the metric", Meaning: "Caption.", Example: "ECE on clean images"},
		{Name: "metric", Type: Text, read: metric, Choices: append(outputNames(known), results.TimeMetric), Required: true, Meaning: "A metric of the spec, as in results.csv, or time: the processor time of the fits, from times.csv.", Example: "ece"},
		{Name: "rows", Type: Texts, read: r.columns(&x.Rows, "rows", true), Choices: placed, Default: "dataset, backbone, and other columns that differ between settings", Meaning: "Columns of results.csv that name a row.", Example: "[dataset, backbone]"},
		{Name: "columns", Type: Text, read: column, Choices: placed, Default: "method", Meaning: "Column of results.csv whose values are the columns of the table.", Example: "severity"},
		{Name: "average", Type: Texts, read: r.columns(&x.Average, "average", false), Choices: columns, Default: "none", Meaning: "Columns of results.csv that are averaged over.", Example: "[corruption]"},
		{Name: "mean", Type: Flag, read: r.boolean(&x.Mean, "mean"), Default: "false", Meaning: "Adds a last row with the mean over the rows.", Example: "true"},
		{Name: "methods", Type: Texts, read: r.methodsOf(&x.methods, s), Default: "all methods of the spec", Meaning: "Methods to show, in this order.", Example: "[uncal, ts, qats]"},
		{Name: "labels", Type: Labels, read: labels, Default: "the paper's names", Meaning: "What is printed for ids of methods and settings.", Example: "{resnet50: RN-50}"},
		{Name: "highlight", Type: Texts, read: r.methodsOf(&x.highlight, s), Default: "none", Meaning: "Prints the gap between this method and the best other one.", Example: "qats"},
		{Name: "unranked", Type: Texts, read: r.methodsOf(&x.Unranked, s), Default: "none", Meaning: "Methods that are shown and not ranked.", Example: "[ts]"},
		{Name: "consistency_band", Type: Flag, read: r.boolean(&x.ConsistencyBand, "consistency_band"), Default: "false", Meaning: "Prints below each ECE or AECE its consistency band. Not with average.", Example: "true"},
		{Name: "interval", Type: Flag, read: r.boolean(&x.Interval, "interval"), Default: "false", Meaning: "Prints below each number its difference from the baseline on the same rows, with the interval of pairs.csv. Not with average.", Example: "true"},
		{Name: "paper", Type: Count, read: r.whole(&x.Number, "paper", 1, last, fmt.Sprintf("the paper has tables 1 to %d", last)), Most: last, Default: "none", Meaning: fmt.Sprintf("Number of the paper's table that it reproduces, 1 to %d.", last), Example: "1"},
	}, r.filterKeys(x.Only, s))
}

// table reads one table. It returns the table's own name too; the name in the
// result has the name of the spec before it.
func (r *reader) table(item *yaml.Node, s *Spec) (name string, t pivot.Spec, ok bool) {
	x := tableItem{Spec: newTable(s)}
	before := len(r.errs)
	r.keys(item, "a table", r.tableKeys(&x, s, nil))
	asTheyAre(x.Only)
	if x.Metric == "" {
		r.errorf(item, "a table needs a metric")
	}
	if len(x.highlight) == 1 {
		x.Highlight = x.highlight[0]
	}
	name = cmp.Or(x.name, x.Metric)
	if !r.id(item, "table name", name) || len(r.errs) > before {
		return name, x.Spec, false
	}
	t, err := complete(name, x.Spec, x.methods, s)
	if err != nil {
		r.errorf(item, "table %s: %v", name, err)
	}
	return name, t, err == nil
}

// complete fills in the defaults of a table, and checks it.
func complete(name string, t pivot.Spec, methods []string, s *Spec) (pivot.Spec, error) {
	t.Name = s.Name + "-" + name
	t.Caption = cmp.Or(t.Caption, s.Heading()+": "+table.Name("metric", t.Metric))
	if e, ok := metricOf(s.Metrics, t.Metric); ok {
		t.Percent, t.Better = e.Percent, e.Better
	} else { // results.TimeMetric
		t.Better = metrics.Lower
	}
	if methods == nil {
		methods = s.MethodNames()
	}
	t.Only["method"] = methods
	if len(t.Rows) == 0 {
		t.Rows = varying(s, append([]string{t.Columns}, t.Average...))
		if t.Columns != "method" {
			t.Rows = append(t.Rows, "method")
		}
	}
	return t.Check()
}

// Heading is the title of the spec, or its name if it has no title.
func (s *Spec) Heading() string {
	return cmp.Or(s.Title, s.Name)
}

// OfPaper reports whether a table of the spec is one of the paper's.
func (s *Spec) OfPaper() bool {
	return slices.ContainsFunc(s.Tables, func(t pivot.Spec) bool { return t.Number > 0 })
}

// labels reads the labels of a table for ids of methods and settings. An id that a
// method and a setting share is the method.
func (r *reader) labels(n *yaml.Node, t pivot.Spec, s *Spec) {
	fields := map[string]func(*yaml.Node){}
	know := func(id string, dst map[string]string) {
		fields[id] = func(v *yaml.Node) {
			if text, ok := r.line(v, "label of "+id); ok {
				dst[id] = text
			}
		}
	}
	for _, m := range s.Methods {
		know(m.Name, t.Labels)
	}
	for _, setting := range s.Settings {
		for _, column := range results.SettingColumns() {
			if id := setting.Column(column); id != "" && fields[id] == nil {
				know(id, t.SettingLabels)
			}
		}
	}
	r.object(n, "labels", fields)
}

func defaultTables(s *Spec) []pivot.Spec {
	var all []pivot.Spec
	for _, metric := range []string{"ece", "aece"} {
		if _, ok := metricOf(s.Metrics, metric); ok {
			t := newTable(s)
			t.Metric = metric
			if slices.Contains(s.MethodNames(), "qats") {
				t.Highlight = "qats"
			}
			t, _ = complete(metric, t, nil, s)
			all = append(all, t)
		}
	}
	return all
}

// varying returns the columns that distinguish the settings of s, except those that
// have a place in the table already. Dataset and backbone are always among them.
func varying(s *Spec, placed []string) []string {
	var list []string
	for _, column := range results.SettingColumns() {
		always := column == "dataset" || column == "backbone"
		values := results.Distinct(s.Settings, func(x Setting) string { return x.Column(column) })
		if (always || len(values) > 1) && !slices.Contains(placed, column) {
			list = append(list, column)
		}
	}
	return list
}

// columns reads names of columns of results.csv that name a setting, and method if
// method is true.
func (r *reader) columns(dst *[]string, what string, method bool) func(*yaml.Node) {
	known := results.SettingColumns()
	if method {
		known = append([]string{"method"}, known...)
	}
	return r.choices(dst, what, known, what+": unknown column %q")
}

// methodsOf reads names of methods of the spec.
func (r *reader) methodsOf(dst *[]string, s *Spec) func(*yaml.Node) {
	return r.choices(dst, "a method", s.MethodNames(), "method %q is not in this spec")
}

// filterKeys returns the keys that restrict what a view of s shows.
func (r *reader) filterKeys(only results.Filter, s *Spec) []Key {
	examples := map[string]string{"dataset": "cifar10", "backbone": "resnet50", "loss": "ce", "corruption": "[fog, snow]", "severity": "5", "variant": "[rescale=0.5, rescale=2]"}
	var keys []Key
	for _, column := range results.SettingColumns() {
		read := func(n *yaml.Node) {
			var values []string
			r.texts(&values, column)(n)
			only[column] = values
			for _, value := range values {
				if _, err := results.ParseVariant(value); column == "variant" && err != nil {
					r.errorf(n, "variant: %v", err)
				}
				if variant := formerCorruption(value); column == "corruption" && variant != "" && !s.has(column, value) {
					r.errorf(n, "corruption %q: this is no corruption, but a variant; write %s", value, variant)
				}
			}
		}
		key := Key{Name: column, Type: Texts, read: read, Default: "all", Meaning: "Shows only settings with these values.", Example: examples[column]}
		if column == "variant" {
			key.Default = `"", sets as they are, if corruption is given; else all`
		}
		keys = append(keys, key)
	}
	return keys
}

// has reports whether a setting of s has a value in a column of results.csv.
func (s *Spec) has(column, value string) bool {
	return slices.ContainsFunc(s.Settings, func(x Setting) bool { return x.Column(column) == value })
}

// formerCorruption returns the filter in place of a corruption that specs of earlier versions
// named, and nothing for a corruption.
func formerCorruption(name string) string {
	factor, rescaled := strings.CutPrefix(name, "rescale-")
	switch {
	case rescaled:
		return "variant: rescale=" + factor
	case name == "split":
		return "variant: [split=1, split=2], with the numbers of the draws, and no severity"
	case name == "cal-shares":
		return "variant: test_shares=calibration"
	}
	return ""
}

// asTheyAre keeps variants out of a view that names corruptions, of which "" is none, and no
// variants.
func asTheyAre(only results.Filter) {
	if only["corruption"] != nil && only["variant"] == nil {
		only["variant"] = []string{""}
	}
}

// metric reads a metric that a view of s can show. It returns an unknown name as it is.
func (r *reader) metric(n *yaml.Node, s *Spec, choices []string) (id string, ok bool) {
	name, ok := r.scalar(n, "metric")
	match, known := Match(name, choices)
	switch several := SeveralValues(name, s.Metrics, choices); {
	case known || !ok:
		return match, ok
	case several != "":
		r.errorf(n, "metric %q %s", name, several)
	default:
		r.errorf(n, "metric %q is not computed by this spec%s", name, Suggest(name, choices))
	}
	return name, false
}
