package spec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/calib"
)

// Method is a column of an experiment: a registered method with options, under
// a name that is unique in its spec.
type Method struct {
	Name    string // id in results.csv
	Label   string // name in print only
	Entry   calib.Entry
	Options string // all options with their values, as YAML; part of the cache key
	calib.Method
}

// Model returns the saved form of a fit of m on in.
func (m *Method) Model(in calib.Input, fitted *calib.Fitted) (*calib.Model, error) {
	model := &calib.Model{Method: m.Entry.Name, Version: m.Entry.Version, Classes: in.Classes(), Fitted: *fitted}
	return model, yaml.Unmarshal([]byte(m.Options), &model.Options)
}

// ErrExternal is the error of a command that cannot use an external method.
var ErrExternal = errors.New("only a spec can name this method; see docs/new-calibrator.md")

// NewMethod returns a registered method with options given as key=value, as on
// the command line.
func NewMethod(known Registry, name string, params []string) (*Method, error) {
	if slices.Contains(names(known.External), name) {
		return nil, fmt.Errorf("%s: %w", name, ErrExternal)
	}
	entry, err := MatchMethod(known.Methods, name)
	if err != nil {
		return nil, err
	}
	r := &reader{file: "-p"}
	var options *yaml.Node
	if len(params) > 0 {
		var text bytes.Buffer
		for _, p := range params {
			key, value, ok := strings.Cut(p, "=")
			if !ok {
				return nil, fmt.Errorf("-p %s: write key=value", p)
			}
			fmt.Fprintf(&text, "%q: %s\n", key, value)
		}
		if options = r.root(text.Bytes()); options == nil {
			return nil, r.err()
		}
	}
	m, err := r.build(entry, options)
	if len(r.errs) > 0 {
		return nil, r.err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &m, nil
}

// MaxMethods is the most methods that a spec may have.
const MaxMethods = 1000

// methods reads the list of methods. An item is a registered name, or a mapping
// with a name of its own, the registered method, its options and a label.
func (r *reader) methods(n *yaml.Node, registry []calib.Entry) []Method {
	if len(n.Content) > MaxMethods {
		r.errorf(n.Content[MaxMethods], "%d methods; a spec has at most %d, since the scores of a setting under all methods are in memory at once: use several specs", len(n.Content), MaxMethods)
		return nil
	}
	var all []Method
	first := map[string]*yaml.Node{}
	r.list(n, func(item *yaml.Node) {
		m, ok := r.method(item, registry)
		if !ok {
			return
		}
		if earlier := first[m.Name]; earlier != nil {
			r.errorf(item, "method %q is listed twice (first at line %d); give one of the two another name", m.Name, earlier.Line)
			return
		}
		first[m.Name] = item
		all = append(all, m)
	})
	return all
}

// method reads one item of the list.
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
	entry, err := MatchMethod(registry, w.method)
	if err != nil {
		r.errorf(w.at, "%v", err)
		return Method{}, false
	}
	if w.name == w.method {
		w.name = entry.Name
	}
	if w.name != entry.Name && slices.Contains(names(registry), w.name) {
		r.errorf(n, "method %q has the name of another registered method, %q; give it a name of its own", w.method, w.name)
		return Method{}, false
	}
	m, err := r.build(entry, w.options)
	if err != nil && len(r.errs) == before {
		r.errorf(cmp.Or(w.options, n), "%s: %v", w.method, err)
	}
	switch {
	case w.label != "":
		m.Label = w.label
	case w.name != entry.Name:
		m.Label = w.name
	}
	m.Name = w.name
	return m, len(r.errs) == before
}

// written is a method as it stands in the spec.
type written struct {
	name, method, label string
	at                  *yaml.Node // of the registered name
	options             *yaml.Node // nil for none
}

// written reads a name or a mapping. If only one of name and method is given, it
// serves as both.
func (r *reader) written(n *yaml.Node) written {
	w := written{at: n}
	if resolve(n).Kind == yaml.MappingNode {
		r.keys(n, "a method", r.methodKeys(&w, Registry{}))
	} else {
		w.name, _ = r.scalar(n, "a method")
	}
	w.method = cmp.Or(w.method, w.name)
	w.name = cmp.Or(w.name, w.method)
	return w
}

// methodKeys are the keys of a method. Only the Choices depend on the registry.
func (r *reader) methodKeys(w *written, known Registry) []Key {
	name := func(v *yaml.Node) {
		r.oneID(&w.name, "name")(v)
		if w.method == "" {
			w.at = v
		}
	}
	method := func(v *yaml.Node) { w.at = v; w.method, _ = r.scalar(v, "method") }
	options := func(v *yaml.Node) { w.options = v }
	return []Key{
		{Name: "name", Type: ID, read: name, Default: "the value of method", Meaning: "Id of the method in the result files.", Example: "qats-pw2"},
		{Name: "method", Type: Text, read: method, Choices: slices.Concat(names(known.Methods), names(known.External)), Default: "the value of name", Meaning: "Name of the registered method.", Example: "qats-pw"},
		{Name: "label", Type: Text, read: r.oneLine(&w.label, "label"), Default: "the label of the registered method, or name if it is given", Meaning: "Name in tables and figures.", Example: "QaTS-PW2"},
		{Name: "options", Type: Options, read: options, Default: "the defaults of the method", Meaning: "Options of the method; qats methods lists them with their ranges.", Example: "{segments: 2}"},
	}
}

// build returns the registered method with the given options (nil for none),
// under its registered name. Unknown options and options of a wrong type are
// recorded in r at their place. The error is that of the method itself, which
// rejects a combination of options.
func (r *reader) build(entry calib.Entry, options *yaml.Node) (Method, error) {
	m := Method{Name: entry.Name, Label: entry.Label, Entry: entry}
	var text strings.Builder
	var err error
	m.Method, err = entry.With(func(all []calib.Option) error {
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
	m.Options = text.String()
	return m, err
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
			if resolve(value).Tag == "!!null" { // yaml would keep the default in silence
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
