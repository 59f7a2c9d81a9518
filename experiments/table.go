package experiments

import (
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results/paper"
	"gopkg.in/yaml.v3"
)

// Table is a table that the spec asks for. It is rendered from results.csv.
// Rows, Columns and Average are columns of that file, each in one place.
type Table struct {
	Name, Title string
	Metric      string            // output of a metric, such as ece
	Rows        []string          // what names a row, outermost first
	Columns     string            // method, or what stands across instead: then methods are rows, unless one is shown
	Average     []string          // averaged over, such as corruption
	Mean        bool              // the mean of all settings too: a last row, or a last column beside methods as rows
	Methods     []string          // of the table in order; all methods of the spec if empty
	Labels      map[string]string // id of a method, dataset, ... -> what this table prints for it
	Highlight   string            // method whose gap to the best other is printed
	Unranked    []string          // methods shown beside the ranking: they see what others may not
	NullBand    bool              // the null band beside each value
	Number      int               // of the table in the paper that this one reproduces; 0 for none
	Only        Only
}

// tableColumns are the columns of results.csv that tables are made of.
var tableColumns = append([]string{"method"}, rowColumns...)

// tables reads the list of tables; without one, a spec has a table of ECE and
// one of AECE.
func (r *reader) tables(n *yaml.Node, s *Spec) []Table {
	if n == nil {
		return defaultTables(s)
	}
	var all []Table
	r.list(n, func(item *yaml.Node) {
		t := r.table(item, s)
		for _, earlier := range all {
			if earlier.Name == t.Name {
				r.errorf(item, "table %q stands twice; give it a name of its own", t.Name)
			}
			if t.Number > 0 && earlier.Number == t.Number {
				r.errorf(item, "two tables are number %d of the paper, %s and %s", t.Number, earlier.Name, t.Name)
			}
		}
		if r.id(item, "table name", t.Name) {
			all = append(all, t)
		}
	})
	return all
}

func (r *reader) table(item *yaml.Node, s *Spec) Table {
	t := Table{Columns: "method", Labels: map[string]string{}, Only: Only{}}
	fields := r.only(t.Only)
	fields["name"] = r.text(&t.Name, "name")
	fields["title"] = r.text(&t.Title, "title")
	fields["metric"] = func(v *yaml.Node) {
		t.Metric, _ = r.scalar(v, "metric")
		if _, ok := s.metric(t.Metric); !ok {
			r.errorf(v, "metric %q is not computed by this spec%s", t.Metric, suggest(t.Metric, s.outputs()))
		}
	}
	fields["rows"] = r.columns(&t.Rows, "rows", tableColumns)
	fields["columns"] = func(v *yaml.Node) {
		var one []string
		r.columns(&one, "columns", tableColumns)(v)
		if len(one) > 1 {
			r.errorf(v, "columns: name one, not %d", len(one))
		} else if len(one) == 1 {
			t.Columns = one[0]
		}
	}
	fields["average"] = r.columns(&t.Average, "average", rowColumns)
	fields["mean"] = r.boolean(&t.Mean, "mean")
	fields["methods"] = r.methodNames(&t.Methods, s)
	fields["labels"] = func(v *yaml.Node) { r.labels(v, t.Labels, s) }
	fields["highlight"] = func(v *yaml.Node) {
		var one []string
		r.methodNames(&one, s)(v)
		if len(one) == 1 {
			t.Highlight = one[0]
		}
	}
	fields["unranked"] = r.methodNames(&t.Unranked, s)
	fields["null_band"] = r.boolean(&t.NullBand, "null_band")
	fields["paper"] = func(v *yaml.Node) {
		text, ok := r.scalar(v, "paper")
		last := len(paper.Tables())
		var err error
		if t.Number, err = strconv.Atoi(text); ok && (err != nil || t.Number < 1 || t.Number > last) {
			r.errorf(v, "paper %q: the paper has tables 1 to %d", text, last)
		}
	}
	before := len(r.errs)
	r.object(item, "a table", fields)
	if t.Metric == "" {
		r.errorf(item, "a table needs a metric")
	}
	if t.Name == "" {
		t.Name = t.Metric
	}
	if len(t.Rows) == 0 {
		t.Rows = varying(s, append([]string{t.Columns}, t.Average...))
		if t.Columns != "method" {
			t.Rows = append(t.Rows, "method")
		}
	}
	if len(r.errs) == before {
		r.places(item, t, s)
	}
	return t
}

// places checks that each column of results.csv has at most one place in the
// table and methods have one.
func (r *reader) places(item *yaml.Node, t Table, s *Spec) {
	place := map[string]string{}
	for _, part := range []struct {
		name    string
		columns []string
	}{{"rows", t.Rows}, {"columns", []string{t.Columns}}, {"average", t.Average}} {
		for _, c := range part.columns {
			if earlier, twice := place[c]; twice {
				r.errorf(item, "table %s: %s stands in %s and in %s", t.Name, c, earlier, part.name)
			}
			place[c] = part.name
		}
	}
	shown := len(t.Methods)
	if shown == 0 {
		shown = len(s.Methods)
	}
	if place["method"] == "" && shown > 1 {
		r.errorf(item, "table %s: columns are %s and rows %s; add method to rows, or show one method",
			t.Name, t.Columns, strings.Join(t.Rows, ", "))
	}
	if t.NullBand && len(t.Average) > 0 {
		r.errorf(item, "table %s: null_band beside average: the band of an average is not the average of the bands", t.Name)
	}
}

// labels reads what a table prints for ids of methods and settings.
func (r *reader) labels(n *yaml.Node, dst map[string]string, s *Spec) {
	fields := map[string]func(*yaml.Node){}
	know := func(id string) {
		fields[id] = func(v *yaml.Node) {
			if text, ok := r.scalar(v, "label of "+id); ok {
				dst[id] = text
			}
		}
	}
	for _, m := range s.Methods {
		know(m.Name)
	}
	for _, setting := range s.Settings {
		for _, column := range rowColumns {
			if id := columnOf(setting.Cell, column); id != "" {
				know(id)
			}
		}
	}
	r.object(n, "labels", fields)
}

func defaultTables(s *Spec) []Table {
	var all []Table
	for _, metric := range []string{"ece", "aece"} {
		if _, ok := s.metric(metric); ok {
			t := Table{Name: metric, Metric: metric, Rows: varying(s, nil), Columns: "method"}
			for _, m := range s.Methods {
				if m.Name == "qats" {
					t.Highlight = "qats"
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// varying returns the columns that tell the settings of s apart, dataset and
// backbone always, less those that have a place already.
func varying(s *Spec, placed []string) []string {
	var list []string
	for _, column := range rowColumns {
		always := column == "dataset" || column == "backbone"
		values := map[string]bool{}
		for _, setting := range s.Settings {
			values[columnOf(setting.Cell, column)] = true
		}
		if (always || len(values) > 1) && !slices.Contains(placed, column) {
			list = append(list, column)
		}
	}
	return list
}

// columns reads names of columns of results.csv.
func (r *reader) columns(dst *[]string, what string, known []string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.list(n, func(item *yaml.Node) {
			s, ok := r.scalar(item, what)
			if ok && !slices.Contains(known, s) {
				r.errorf(item, "%s: unknown column %q%s", what, s, suggest(s, known))
				return
			}
			*dst = append(*dst, s)
		})
	}
}
