package experiments

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/qats-bench/qats/calib"
	"gopkg.in/yaml.v3"
)

// Method is a column of an experiment: a registered calibrator with options,
// under a name that is unique in its spec.
type Method struct {
	Name    string // id in results.csv
	Label   string // column heading, in print only
	Entry   calib.Entry
	Options string // all options with their values, as YAML; part of the cache key
	calib.Method
	outside outside // the same method, where its probabilities are made elsewhere; else nil
}

// methods reads the list of methods: registered names, or mappings with a name
// of their own, the registered method, its options and a label.
func (r *reader) methods(n *yaml.Node, registry []calib.Entry) []Method {
	var all []Method
	first := map[string]*yaml.Node{}
	r.list(n, func(item *yaml.Node) {
		m, ok := r.method(item, registry)
		if !ok {
			return
		}
		if earlier := first[m.Name]; earlier != nil {
			r.errorf(item, "method %q stands twice (first at line %d); give one of them a name of its own", m.Name, earlier.Line)
			return
		}
		first[m.Name] = item
		all = append(all, m)
	})
	return all
}

// written is a method as it stands in a spec.
type written struct {
	name, method, label string
	at                  *yaml.Node // of the registered name
	options             *yaml.Node // nil for none
}

// written reads a name, or a mapping; name and method each stand for the other.
func (r *reader) written(n *yaml.Node) written {
	w := written{at: n}
	if resolve(n).Kind == yaml.MappingNode {
		r.object(n, "a method", map[string]func(*yaml.Node){
			"name": func(v *yaml.Node) {
				if s, ok := r.scalar(v, "name"); ok && r.id(v, "name", s) {
					w.name = s
				}
				if w.method == "" {
					w.at = v
				}
			},
			"method":  func(v *yaml.Node) { w.at = v; w.method, _ = r.scalar(v, "method") },
			"label":   r.text(&w.label, "label"),
			"options": func(v *yaml.Node) { w.options = v },
		})
	} else {
		w.name, _ = r.scalar(n, "a method")
	}
	if w.method == "" {
		w.method = w.name
	}
	if w.name == "" {
		w.name = w.method
	}
	return w
}

func (r *reader) method(n *yaml.Node, registry []calib.Entry) (Method, bool) {
	before := len(r.errs)
	w := r.written(n)
	if len(r.errs) > before {
		return Method{}, false
	}
	if w.name == "" {
		r.errorf(n, "a method needs a name")
		return Method{}, false
	}
	entry, ok := find(registry, w.method)
	if !ok {
		r.errorf(w.at, "unknown method %q%s", w.method, suggest(w.method, names(registry)))
		return Method{}, false
	}
	if _, taken := find(registry, w.name); taken && w.name != entry.Name {
		r.errorf(n, "method %q is named like another one, %q; give it a name of its own", w.method, w.name)
		return Method{}, false
	}
	fitter, text, err := r.build(entry, w.options)
	if len(r.errs) > before {
		return Method{}, false
	}
	if err != nil {
		at := w.options
		if at == nil {
			at = n
		}
		r.errorf(at, "%s: %v", w.method, err)
		return Method{}, false
	}
	if w.label == "" {
		w.label = w.name
		if w.name == entry.Name {
			w.label = entry.Label
		}
	}
	made, _ := fitter.(outside)
	return Method{Name: w.name, Label: w.label, Entry: entry, Options: text, Method: fitter, outside: made}, true
}

// build returns the method with the given options (nil for none) and all its
// options as YAML text. Unknown and ill-typed options are recorded in r at
// their place; the error is the method's own rejection of their combination.
func (r *reader) build(entry calib.Entry, options *yaml.Node) (calib.Method, string, error) {
	var text strings.Builder
	method, err := entry.With(func(all []calib.Option) error {
		if options != nil {
			r.options(entry.Name, options, all)
		}
		for _, o := range all {
			line, err := yaml.Marshal(map[string]any{o.Name: o.Value()})
			if err != nil {
				return err
			}
			text.Write(line)
		}
		return nil
	})
	return method, text.String(), err
}

// options sets the options of a method key by key, so that every mistake has its
// column.
func (r *reader) options(method string, n *yaml.Node, all []calib.Option) {
	if len(all) == 0 {
		if given := resolve(n); given.Kind != yaml.MappingNode || len(given.Content) > 0 {
			r.errorf(n, "%s takes no options", method)
		}
		return
	}
	fields := map[string]func(*yaml.Node){}
	for _, o := range all {
		fields[o.Name] = func(value *yaml.Node) {
			if resolve(value).Tag == "!!null" { // which decoding would pass over
				r.errorf(value, "option %s of %s has no value", o.Name, method)
				return
			}
			var v any
			err := value.Decode(&v)
			if err == nil {
				err = o.Set(v)
			}
			if err != nil {
				r.errorf(value, "option %s of %s: %v", o.Name, method, err)
			}
		}
	}
	r.object(n, "the options of "+method, fields)
}

// Model returns the saved form of a fit of m on in.
func (m *Method) Model(in calib.Input, fitted *calib.Fitted) (*calib.Model, error) {
	model := &calib.Model{Method: m.Entry.Name, Version: m.Entry.Version, Classes: in.Classes(), Fitted: *fitted}
	return model, yaml.Unmarshal([]byte(m.Options), &model.Options)
}

// NewMethod returns a registered method with options given as key=value, as
// the command line has them.
func NewMethod(registry []calib.Entry, name string, params []string) (Method, error) {
	r := &reader{file: "-p"}
	entry, ok := find(registry, name)
	if _, outside := find(outsideEntries(), name); outside {
		return Method{}, fmt.Errorf("%s: %w", name, errNotHere)
	}
	if !ok {
		return Method{}, fmt.Errorf("unknown method %q%s", name, suggest(name, names(registry)))
	}
	var options *yaml.Node
	if len(params) > 0 {
		var text bytes.Buffer
		for _, p := range params {
			key, value, ok := strings.Cut(p, "=")
			if !ok {
				return Method{}, fmt.Errorf("-p %s: write key=value", p)
			}
			fmt.Fprintf(&text, "%q: %s\n", key, value)
		}
		if options = r.root(text.Bytes()); options == nil {
			return Method{}, r.err()
		}
	}
	method, text, err := r.build(entry, options)
	if len(r.errs) > 0 {
		return Method{}, r.err()
	}
	if err != nil {
		return Method{}, fmt.Errorf("%s: %w", name, err)
	}
	return Method{Name: name, Label: entry.Label, Entry: entry, Options: text, Method: method}, nil
}

func find(registry []calib.Entry, name string) (calib.Entry, bool) {
	for _, e := range registry {
		if e.Name == name {
			return e, true
		}
	}
	return calib.Entry{}, false
}

func names(registry []calib.Entry) []string {
	list := make([]string, len(registry))
	for i, e := range registry {
		list[i] = e.Name
	}
	return list
}
