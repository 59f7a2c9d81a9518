package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"gopkg.in/yaml.v3"
)

// Registry is what specs may name.
type Registry struct {
	Methods []calib.Entry
	Metrics []metrics.Entry
	Figures []string // kinds of figures
	Paper   []string // data sets of the paper, for like
}

// Spec is one experiment: settings x methods x metrics, and the views drawn of
// them. It is immutable once read.
type Spec struct {
	File     string
	Name     string // column experiment of results.csv
	Title    string
	Data     []string          // sources in order
	Layout   data.Layout       // of the folders
	Baseline string            // method that the others are paired with; empty for none
	Like     map[string]string // data sets that stand for one of the paper's when its claims are asked
	Methods  []Method
	Metrics  []metrics.Entry
	Settings []Setting
	Tables   []Table
	Figures  []Figure
}

// ReadSpec reads the spec in a file.
func ReadSpec(file string, known Registry) (*Spec, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseSpec(file, src, known)
}

// ParseSpec reads a spec; file is for messages. The error joins up to ten
// mistakes, each as file:line:column: what is wrong.
func ParseSpec(file string, src []byte, known Registry) (*Spec, error) {
	r := &reader{file: file, figureKinds: known.Figures}
	root := r.root(src)
	if root == nil {
		return nil, r.err()
	}
	s := &Spec{File: file, Data: []string{"arrays"}}
	var settings, methods, baseline, like, tables, figures *yaml.Node
	keep := func(dst **yaml.Node) func(*yaml.Node) { return func(n *yaml.Node) { *dst = n } }
	r.object(root, "a spec", map[string]func(*yaml.Node){
		"name": func(n *yaml.Node) {
			if v, ok := r.scalar(n, "name"); ok && r.id(n, "name", v) {
				s.Name = v
			}
		},
		"title":    r.text(&s.Title, "title"),
		"data":     r.dataFolders(&s.Data),
		"layout":   func(n *yaml.Node) { r.layout(n, &s.Layout) },
		"baseline": keep(&baseline),
		"like":     keep(&like),
		"methods":  keep(&methods),
		"metrics":  func(n *yaml.Node) { s.Metrics = r.metrics(n, known.Metrics) },
		"settings": keep(&settings),
		"tables":   keep(&tables),
		"figures":  keep(&figures),
	})
	if len(r.errs) == 0 {
		switch {
		case s.Name == "":
			r.errorf(root, "the spec has no name")
		case methods == nil:
			r.errorf(root, "the spec has no methods")
		case settings == nil:
			r.errorf(root, "the spec has no settings")
		}
	}
	if methods != nil {
		s.Methods = r.methods(methods, append(slices.Clone(known.Methods), outsideEntries()...))
	}
	if settings != nil {
		s.Settings = r.settings(settings, s.Name)
	}
	if s.Metrics == nil {
		s.Metrics = slices.DeleteFunc(slices.Clone(known.Metrics), func(e metrics.Entry) bool { return e.OnRequest })
	}
	s.Baseline = r.baseline(baseline, s.Methods)
	s.Like = r.like(like, s.Settings, known.Paper)
	if len(r.errs) == 0 {
		s.Tables, s.Figures = r.tables(tables, s), r.figures(figures, s)
		if len(s.Methods) == 0 || len(s.Settings) == 0 {
			r.errorf(root, "the spec has no cells: methods and settings must not be empty")
		}
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// dataFolders reads the sources in order. A spec, which may come from a
// stranger, names folders of the project only.
func (r *reader) dataFolders(dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*dst = nil
		r.list(n, func(item *yaml.Node) {
			name, ok := r.scalar(item, "data")
			if ok && !filepath.IsLocal(name) {
				r.errorf(item, "data %q: name arrays, bundle or a folder below the project; give others by --data", name)
				return
			}
			*dst = append(*dst, name)
		})
	}
}

// like reads which data set of the paper each of some is like.
func (r *reader) like(n *yaml.Node, settings []Setting, paper []string) map[string]string {
	if n == nil {
		return nil
	}
	like := map[string]string{}
	fields := map[string]func(*yaml.Node){}
	for _, s := range settings {
		fields[s.Dataset] = func(value *yaml.Node) {
			of, ok := r.scalar(value, s.Dataset)
			if ok && !slices.Contains(paper, of) {
				r.errorf(value, "the paper has no dataset %q%s", of, suggest(of, paper))
				return
			}
			like[s.Dataset] = of
		}
	}
	r.object(n, "like (datasets of the settings)", fields)
	return like
}

func (r *reader) layout(n *yaml.Node, dst *data.Layout) {
	text, ok := r.scalar(n, "layout")
	if !ok {
		return
	}
	layout, err := data.ParseLayout(text)
	if err != nil {
		r.errorf(n, "%v", err)
		return
	}
	*dst = layout
}

func (r *reader) metrics(n *yaml.Node, registry []metrics.Entry) []metrics.Entry {
	all := []metrics.Entry{}
	known := map[string]metrics.Entry{}
	for _, e := range registry {
		known[e.Name] = e
	}
	var list []string
	r.list(n, func(item *yaml.Node) {
		name, ok := r.scalar(item, "a metric")
		if !ok {
			return
		}
		e, ok := known[name]
		if !ok {
			r.errorf(item, "unknown metric %q%s", name, suggest(name, keys(known)))
			return
		}
		for _, earlier := range list {
			if earlier == name {
				r.errorf(item, "metric %q stands twice", name)
				return
			}
		}
		list, all = append(list, name), append(all, e)
	})
	r.notEmpty(n, "metrics", len(all))
	return all
}

// baseline returns the method that others are paired with: the one named, none
// for "none", or else ts where the spec has it.
func (r *reader) baseline(n *yaml.Node, methods []Method) string {
	var known []string
	hasTS := false
	for _, m := range methods {
		known = append(known, m.Name)
		hasTS = hasTS || m.Name == "ts"
	}
	if n == nil {
		if hasTS {
			return "ts"
		}
		return ""
	}
	name, ok := r.scalar(n, "baseline")
	if !ok {
		return ""
	}
	for _, m := range known {
		if m == name {
			return name
		}
	}
	if name == "none" {
		return ""
	}
	r.errorf(n, "baseline %q is not among the methods%s", name, suggest(name, known))
	return ""
}

// outputs returns the ids of all metrics of the spec.
func (s *Spec) outputs() []string {
	var ids []string
	for _, e := range s.Metrics {
		ids = append(ids, e.Names()...)
	}
	return ids
}

// metric returns the entry that yields the metric id and whether the spec has it.
func (s *Spec) metric(id string) (metrics.Entry, bool) {
	for _, e := range s.Metrics {
		for _, out := range e.Names() {
			if out == id {
				return e, true
			}
		}
	}
	return metrics.Entry{}, false
}

// ReadSpecs reads several specs, whose names must differ.
func ReadSpecs(files []string, known Registry) ([]*Spec, error) {
	var specs []*Spec
	byName := map[string]string{}
	for _, file := range files {
		s, err := ReadSpec(file, known)
		if err != nil {
			return nil, err
		}
		if earlier, ok := byName[s.Name]; ok {
			return nil, fmt.Errorf("%s: name %q is also the name of %s", file, s.Name, earlier)
		}
		byName[s.Name] = file
		specs = append(specs, s)
	}
	return specs, nil
}
