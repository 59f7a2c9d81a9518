package experiments

import (
	"slices"
	"strconv"

	"github.com/qats-bench/qats/results"
	"gopkg.in/yaml.v3"
)

// Only restricts a view to the rows that carry one of the values in each
// named column; an absent column is not restricted.
type Only map[string][]string

// Figure is a figure that the spec asks for, drawn from the CSV files alone.
// Only leaves the settings that it shows: one figure for each, or, of kinds that
// show many, one of all.
type Figure struct {
	Name, Kind  string
	Title       string   // caption; what the kind shows, if empty
	Methods     []string // in order; all methods of the spec if empty
	Experiments []string // whose rows it shows, of kinds that show many settings; the spec's own if empty
	Only        Only
}

// rowColumns are the columns of results.csv that name a setting.
var rowColumns = []string{"dataset", "backbone", "loss", "corruption", "severity"}

// columnOf returns the text of one of the columns that name a setting, as it
// stands in results.csv.
func columnOf(c results.Cell, column string) string {
	switch column {
	case "dataset":
		return c.Dataset
	case "backbone":
		return c.Backbone
	case "loss":
		return c.Loss
	case "corruption":
		return c.Corruption
	case "severity":
		if c.Severity > 0 {
			return strconv.Itoa(c.Severity)
		}
	}
	return ""
}

// Has reports whether the view shows the setting c.
func (o Only) Has(c results.Cell) bool {
	for _, column := range rowColumns {
		values, restricted := o[column]
		if restricted && !slices.Contains(values, columnOf(c, column)) {
			return false
		}
	}
	return true
}

// figures reads the list of figures.
func (r *reader) figures(n *yaml.Node, s *Spec) []Figure {
	if n == nil {
		return nil
	}
	var all []Figure
	r.list(n, func(item *yaml.Node) {
		f := Figure{Only: Only{}}
		fields := r.only(f.Only)
		fields["name"] = r.text(&f.Name, "name")
		fields["title"] = r.text(&f.Title, "title")
		fields["kind"] = func(v *yaml.Node) {
			f.Kind, _ = r.scalar(v, "kind")
			if !slices.Contains(r.figureKinds, f.Kind) {
				r.errorf(v, "unknown kind of figure %q%s", f.Kind, suggest(f.Kind, r.figureKinds))
			}
		}
		fields["methods"] = r.methodNames(&f.Methods, s)
		fields["experiments"] = r.experiments(&f.Experiments)
		r.object(item, "a figure", fields)
		if f.Kind == "" {
			r.errorf(item, "a figure needs a kind%s", suggest("", r.figureKinds))
			return
		}
		if f.Name == "" {
			f.Name = f.Kind
		}
		for _, earlier := range all {
			if earlier.Name == f.Name {
				r.errorf(item, "figure %q stands twice; give it a name of its own", f.Name)
			}
		}
		if r.id(item, "figure name", f.Name) {
			all = append(all, f)
		}
	})
	return all
}

// only returns the readers of the columns that restrict a view.
func (r *reader) only(dst Only) map[string]func(*yaml.Node) {
	fields := map[string]func(*yaml.Node){}
	for _, column := range rowColumns {
		fields[column] = func(n *yaml.Node) {
			var values []string
			r.texts(&values, column)(n)
			dst[column] = values
		}
	}
	return fields
}

// experiments reads names of experiments, each once. Whether there are any such
// rows shows only when the figure is drawn.
func (r *reader) experiments(dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.list(n, func(item *yaml.Node) {
			name, ok := r.scalar(item, "an experiment")
			if !ok || !r.id(item, "experiment name", name) {
				return
			}
			if slices.Contains(*dst, name) {
				r.errorf(item, "experiment %q stands twice", name)
				return
			}
			*dst = append(*dst, name)
		})
	}
}

// methodNames reads names of methods of the spec.
func (r *reader) methodNames(dst *[]string, s *Spec) func(*yaml.Node) {
	var known []string
	for _, m := range s.Methods {
		known = append(known, m.Name)
	}
	return func(n *yaml.Node) {
		r.list(n, func(item *yaml.Node) {
			name, ok := r.scalar(item, "a method")
			if ok && !slices.Contains(known, name) {
				r.errorf(item, "method %q is not in this spec%s", name, suggest(name, known))
				return
			}
			*dst = append(*dst, name)
		})
	}
}
