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
	"github.com/qats-bench/qats/data/keyed"
)

// Method is a column of an experiment: a registered method with options, under
// a name that is unique in its spec.
type Method struct {
	Name    string // id in results.csv
	Label   string // name in print only
	Entry   calib.Entry
	Options string // all options with their values, as YAML; part of the cache key
	calib.Method

	values map[string]any // of the options, by name; nil if there are none
}

// Model returns the saved form of a fit of m on in.
func (m *Method) Model(in calib.Input, fitted *calib.Fitted) *calib.Model {
	return &calib.Model{Method: m.Entry.Name, Version: m.Entry.Version, Options: m.values, Classes: in.Classes(), Fitted: *fitted}
}

// ErrExternal is the error of a command that cannot use an external method.
var ErrExternal = errors.New("only a spec can name this method; see docs/calibrator.md")

// NewMethod returns a registered method with options given as key=value, as on
// the command line.
func NewMethod(known Registry, name string, params []string) (*Method, error) {
	if slices.Contains(names(known.External), name) {
		return nil, fmt.Errorf("%s: %w", name, ErrExternal)
	}
	entry, err := MatchMethod(known.Methods, known.MethodGroups, name)
	if err != nil {
		return nil, err
	}
	r := newReader("-p")
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
			return nil, r.Err()
		}
	}
	m, err := r.build(entry, options)
	if r.Mistakes() > 0 {
		return nil, r.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &m, nil
}

// NewMethods returns registered methods with their default options. The methods of a group
// stand in its place, and each method stands once.
func NewMethods(known Registry, names []string) ([]*Method, error) {
	var list []*Method
	for _, name := range names {
		members := []string{name}
		if IsGroup(name) {
			g, err := MatchGroup(known.MethodGroups, name)
			if err != nil {
				return nil, err
			}
			members = g.Members()
		}
		for _, member := range members {
			m, err := NewMethod(known, member, nil)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(list, func(o *Method) bool { return o.Name == m.Name }) {
				list = append(list, m)
			}
		}
	}
	return list, nil
}

// MaxMethods is the most methods that a spec may have.
const MaxMethods = 1000

// methodItem is a method as it stands in the spec.
type methodItem struct {
	Name    string        `key:"name" as:"id" default:"the value of method" help:"Id of the method in the result files." example:"qats-pw2"`
	Method  string        `key:"method" brief:"" of:"{methods}" default:"the value of name" help:"Name of the registered method." example:"qats-pw"`
	Label   string        `key:"label" as:"line" default:"the label of the registered method, or name if it is given" help:"Name in tables and figures." example:"QaTS-PW2"`
	Options keyed.Options `key:"options" default:"the defaults of the method" help:"Options of the method; qats doc methods lists them with their ranges." example:"{segments: 2}"`
}

func (methodItem) About() (name, text string) {
	return "method", "A calibrator with options, under a name that is unique in the spec."
}

// methods builds the listed methods. The methods of a group stand in its place, without those
// that the spec lists itself and those of earlier groups.
func (r *reader) methods(items []methodItem, known Registry) []Method {
	if len(items) > MaxMethods {
		r.Errorf(&items[MaxMethods], "%d methods; a spec has at most %d, since the scores of a setting under all methods are in memory at once: use several specs", len(items), MaxMethods)
		return nil
	}
	registry := slices.Concat(known.Methods, known.External)
	places := make([][]Method, len(items)) // of each item
	first := map[string]*methodItem{}
	for i := range items {
		item := &items[i]
		if IsGroup(item.Method) {
			continue
		}
		m, ok := r.method(item, registry, known.MethodGroups)
		if !ok {
			continue
		}
		if earlier := first[m.Name]; earlier != nil {
			r.Errorf(item, "method %q is listed twice (first at line %d); give one of the two another name", m.Name, r.At(earlier).Line)
			continue
		}
		first[m.Name] = item
		places[i] = []Method{m}
	}
	for i := range items {
		item := &items[i]
		if !IsGroup(item.Method) {
			continue
		}
		for _, entry := range r.group(item, known) {
			if first[entry.Name] != nil {
				continue
			}
			if m, err := r.build(entry, nil); err == nil { // the defaults of a registered method fit together
				first[m.Name] = item
				places[i] = append(places[i], m)
			}
		}
	}
	return slices.Concat(places...)
}

// group returns the methods of the group that an item names.
func (r *reader) group(item *methodItem, known Registry) []calib.Entry {
	if !r.Sound(item) {
		return nil
	}
	members, err := MembersOf(known.MethodGroups, item.Method, known.Methods, func(e calib.Entry) string { return e.Name })
	switch {
	case err != nil:
		r.Errorf(&item.Method, "%v", err)
		return nil
	case keyed.Resolve(r.At(item)).Kind == yaml.MappingNode:
		r.Errorf(item, "%s is a group, and a mapping is one method: write %q alone, and methods with options or labels beside it", item.Method, item.Method)
		return nil
	}
	return members
}

// method builds one item of the list. If only one of name and method is given, it serves
// as both.
func (r *reader) method(item *methodItem, registry []calib.Entry, groups []Group) (Method, bool) {
	if !r.Sound(item) {
		return Method{}, false
	}
	method, name, at := cmp.Or(item.Method, item.Name), cmp.Or(item.Name, item.Method), any(&item.Method)
	if item.Method == "" {
		at = &item.Name
	}
	if name == "" {
		r.Errorf(item, "a method needs a name")
		return Method{}, false
	}
	entry, err := MatchMethod(registry, groups, method)
	if err != nil {
		r.Errorf(at, "%v", err)
		return Method{}, false
	}
	if name == method {
		name = entry.Name
	}
	if name != entry.Name && slices.Contains(names(registry), name) {
		r.Errorf(item, "method %q has the name of another registered method, %q; give it a name of its own", method, name)
		return Method{}, false
	}
	before := r.Mistakes()
	m, err := r.build(entry, item.Options)
	if err != nil && r.Mistakes() == before {
		at = item
		if r.Given(&item.Options) {
			at = &item.Options
		}
		r.Errorf(at, "%s: %v", method, err)
	}
	switch {
	case item.Label != "":
		m.Label = item.Label
	case name != entry.Name:
		m.Label = name
	}
	m.Name = name
	return m, r.Mistakes() == before
}

// build returns the registered method with the given options (nil for none),
// under its registered name. Unknown options and options of a wrong type are
// recorded in r at their place. The error is that of the method itself, which
// rejects a combination of options.
func (r *reader) build(entry calib.Entry, options *yaml.Node) (Method, error) {
	m := Method{Name: entry.Name, Label: entry.Label, Entry: entry}
	draft := entry.New()
	all := draft.Options()
	if options != nil {
		r.options(entry.Name, options, all)
	}
	var text strings.Builder
	for _, o := range all {
		if m.values == nil {
			m.values = map[string]any{}
		}
		m.values[o.Name] = o.Value()
		line, err := yaml.Marshal(map[string]any{o.Name: o.Value()})
		if err != nil {
			return m, err
		}
		text.Write(line)
	}
	m.Options = text.String()
	var err error
	m.Method, err = draft.Method()
	return m, err
}

// options sets the options of a method key by key, so that every mistake has its
// column.
func (r *reader) options(method string, n *yaml.Node, all []calib.Option) {
	if len(all) == 0 {
		if given := keyed.Resolve(n); given.Kind != yaml.MappingNode || len(given.Content) > 0 {
			r.Errorf(n, "%s takes no options", method)
		}
		return
	}
	known := make([]string, len(all))
	for i, o := range all {
		known[i] = o.Name
	}
	r.Pairs(n, "the options of "+method, known, func(key, value *yaml.Node) {
		o := all[slices.Index(known, key.Value)]
		if keyed.Resolve(value).Tag == "!!null" { // yaml would keep the default in silence
			r.Errorf(value, "option %s of %s has no value", o.Name, method)
			return
		}
		var v any
		err := value.Decode(&v)
		if err == nil {
			err = o.Set(v)
		}
		if err != nil {
			r.Errorf(value, "option %s of %s: %v", o.Name, method, err)
		}
	})
}
