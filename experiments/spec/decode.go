package spec

import (
	"cmp"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// options are the options of a method, which the method reads.
type options *yaml.Node

// A byName is a mapping whose keys are not known before the file is read.
type byName[T any] []named[T]

type named[T any] struct {
	Name  string
	Value T
}

// A mapping is a byName of any type.
type mapping interface{ value() reflect.Type }

func (byName[T]) value() reflect.Type { return reflect.TypeFor[T]() }

// decode fills in the value at dst, a pointer, from a node. The key has the rules of the
// value, and what is its name in messages. Mistakes are recorded at their nodes, and the
// place of dst and of every value in it can be looked up.
func (r *reader) decode(n *yaml.Node, dst reflect.Value, what string, k Key) {
	before := len(r.mistakes)
	v := dst.Elem()
	switch p := dst.Interface().(type) {
	case *options:
		*p = n
	case mapping:
		r.names(n, v, what, k)
	case object:
		r.object(n, v)
	default:
		switch {
		case v.Kind() == reflect.Slice:
			r.list(n, v, what, k)
		case k.as == "single" && len(items(n)) != 1:
			r.errorf(n, "%s: name one, not %d", what, len(items(n)))
		case k.as == "single":
			n = items(n)[0]
			fallthrough
		default:
			r.value(n, v, cmp.Or(k.one, what), k)
		}
	}
	r.places[dst.Interface()] = place{n, len(r.mistakes) - before}
}

// value decodes a single value: a text, true or false, or a number.
func (r *reader) value(n *yaml.Node, v reflect.Value, what string, k Key) {
	if v.Kind() == reflect.Bool {
		var yes bool
		if s := resolve(n); s.Tag != "!!bool" || s.Decode(&yes) != nil {
			r.errorf(n, "%s must be true or false", what)
		}
		v.SetBool(yes)
		return
	}
	s, ok := r.scalar(n, what)
	if !ok {
		return
	}
	least, most, limited := bounds(k.Range)
	if !limited {
		least, most = -math.MaxFloat64, math.MaxFloat64
	}
	switch v.Kind() {
	case reflect.Int:
		i, err := strconv.Atoi(s)
		if !limited {
			least = 0
		}
		if err != nil || float64(i) < least || float64(i) > most {
			r.errorf(n, "%s %q: %s", what, s, cmp.Or(k.want, "must be a whole number of at least 0"))
			return
		}
		v.SetInt(int64(i))
	case reflect.Float64:
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= least && x <= most) {
			r.errorf(n, "%s %q: %s", what, s, cmp.Or(k.want, "must be a number"))
			return
		}
		v.SetFloat(x)
	default:
		v.SetString(r.text(n, s, what, k.as))
	}
}

// maxText is the length of the longest line, in bytes.
const maxText = 1000

// text returns a text in its form. An id becomes a folder and a column of results.csv. A
// line is shown to people: line breaks, which YAML may have in a long text, are spaces.
func (r *reader) text(n *yaml.Node, s, what, as string) string {
	switch as {
	case "id":
		if !IsID(s) {
			r.errorf(n, "%s %q: use letters, digits and . _ + - only, beginning with a letter or digit", what, s)
			return ""
		}
	case "line":
		s = strings.Join(strings.Fields(s), " ")
		if len(s) > maxText {
			r.errorf(n, "%s has %d bytes: at most %d", what, len(s), maxText)
			return ""
		}
		if strings.ContainsFunc(s, unicode.IsControl) {
			r.errorf(n, "%s %q has a control character: leave it out", what, s)
			return ""
		}
	}
	return s
}

// scalar returns the text of a single value that is not null.
func (r *reader) scalar(n *yaml.Node, what string) (string, bool) {
	s := resolve(n)
	if s.Kind != yaml.ScalarNode || s.Tag == "!!null" {
		r.errorf(n, "%s must be a single value", what)
		return "", false
	}
	return s.Value, true
}

// IsID reports whether s can be a name in a spec.
func IsID(s string) bool { return idPattern.MatchString(s) }

var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// items returns the items of a sequence, or a single value as the only item.
func items(n *yaml.Node) []*yaml.Node {
	if s := resolve(n); s.Kind == yaml.SequenceNode {
		return s.Content
	}
	return []*yaml.Node{n}
}

// list decodes a list. The ids of a list are different.
func (r *reader) list(n *yaml.Node, v reflect.Value, what string, k Key) {
	nodes := items(n)
	if len(nodes) == 0 && k.nonempty {
		r.errorf(n, "%s: the list is empty", what)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(nodes), len(nodes)))
	for i, item := range nodes {
		r.decode(item, v.Index(i).Addr(), what, k)
	}
	if ids, ok := v.Interface().([]string); ok && k.as == "id" {
		seen := map[string]bool{}
		for i, id := range ids {
			if id != "" && seen[id] {
				r.errorf(nodes[i], "%s %q is listed twice", cmp.Or(k.one, what), id)
			}
			seen[id] = true
		}
	}
}

// object decodes a mapping into a struct.
func (r *reader) object(n *yaml.Node, v reflect.Value) {
	name, _ := v.Interface().(object).about()
	keys, ok := r.keys[v.Type()]
	if !ok {
		keys = keysOf(v.Type(), nil)
		r.keys[v.Type()] = keys
	}
	var known []string
	for _, k := range keys {
		if k.brief && resolve(n).Kind != yaml.MappingNode {
			r.decode(n, v.FieldByIndex(k.index).Addr(), "a "+name, Key{})
			return
		}
		known = append(known, k.Name)
	}
	r.pairs(n, "a "+name, known, func(key, value *yaml.Node) {
		k := keys[slices.Index(known, key.Value)]
		r.decode(value, v.FieldByIndex(k.index).Addr(), k.Name, k)
	})
}

// names decodes a mapping from names, or one value for all of them under "".
func (r *reader) names(n *yaml.Node, v reflect.Value, what string, k Key) {
	m := resolve(n)
	if k.brief && m.Kind != yaml.MappingNode {
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		r.decode(n, v.Index(0).Field(1).Addr(), what, k)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, len(m.Content)/2)) // the items keep their addresses
	r.pairs(n, what, nil, func(key, value *yaml.Node) {
		v.SetLen(v.Len() + 1)
		item := v.Index(v.Len() - 1)
		item.Field(0).SetString(key.Value)
		r.places[item.Field(0).Addr().Interface()] = place{Node: key}
		each := k
		each.one = strings.TrimSpace(k.one + " " + key.Value)
		r.decode(value, item.Field(1).Addr(), what, each)
	})
}

// pairs calls read for each key of a mapping with its value. A key that is given twice or
// that is not known is a mistake; all keys are known if known is nil.
func (r *reader) pairs(n *yaml.Node, what string, known []string, read func(key, value *yaml.Node)) {
	m := resolve(n)
	if m.Kind != yaml.MappingNode {
		r.errorf(n, "%s must be a mapping (key: value)", what)
		return
	}
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		switch first := seen[key.Value]; {
		case first != nil:
			r.errorf(key, "key %q is given twice (first at line %d)", key.Value, first.Line)
		case known != nil && !slices.Contains(known, key.Value):
			r.unknown(key, key.Value, what, known)
		default:
			read(key, value)
		}
		seen[key.Value] = key
	}
}

// unknown records that an object has no key of this name.
func (r *reader) unknown(at any, key, what string, known []string) {
	r.errorf(at, "unknown key %q in %s%s", key, what, Suggest(key, slices.Sorted(slices.Values(known))))
}

// match replaces a name by the known one that it stands for. unknown is the message about
// a name that is none of them.
func (r *reader) match(name *string, known []string, unknown string) {
	match, ok := Match(*name, known)
	if !ok && r.sound(name) {
		r.errorf(name, unknown+"%s", *name, Suggest(*name, known))
	}
	*name = match
}

// matchAll is match for a list.
func (r *reader) matchAll(list []string, known []string, unknown string) {
	for i := range list {
		r.match(&list[i], known, unknown)
	}
}
