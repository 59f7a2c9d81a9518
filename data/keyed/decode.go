package keyed

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// Options are the options of a method, which the method reads.
type Options *yaml.Node

// A ByName is a mapping whose keys are not known before the file is read.
type ByName[T any] []Named[T]

// Named is a value under a name.
type Named[T any] struct {
	Name  string
	Value T
}

// A Mapping is a ByName of any type.
type Mapping interface{ Value() reflect.Type }

func (ByName[T]) Value() reflect.Type { return reflect.TypeFor[T]() }

// A Value reads itself from a node. It returns the node that is wrong.
type Value interface {
	ReadNode(n *yaml.Node) (wrong *yaml.Node, err error)
}

// Decode fills in the value at dst, a pointer, from a node. The key has the rules of the
// value, and what is its name in messages. Mistakes are recorded at their nodes, and the
// place of dst and of every value in it can be looked up.
func (r *Reader) Decode(n *yaml.Node, dst reflect.Value, what string, k Key) {
	before := len(r.mistakes)
	v := dst.Elem()
	if r.Nulls && Resolve(n).Tag == "!!null" && v.Kind() != reflect.Struct {
		return
	}
	switch p := dst.Interface().(type) {
	case Value:
		if at, err := p.ReadNode(Resolve(n)); err != nil {
			r.Errorf(at, "%v", err)
		}
	case *Options:
		*p = n
	case Mapping:
		r.names(n, v, what, k)
	case Object:
		r.object(n, v)
	default:
		switch {
		case v.Kind() == reflect.Slice:
			r.list(n, v, what, k)
		case v.Kind() == reflect.Map:
			r.mapping(n, v, what, k)
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			r.Decode(n, v, what, k)
		case k.As == "single" && len(items(n)) != 1:
			r.Errorf(n, "%s: name one, not %d", what, len(items(n)))
		case k.As == "single":
			n = items(n)[0]
			fallthrough
		default:
			r.value(n, v, cmp.Or(k.One, what), k)
		}
	}
	r.places[dst.Interface()] = place{n, len(r.mistakes) - before}
}

// value decodes a single value: a text, true or false, or a number.
func (r *Reader) value(n *yaml.Node, v reflect.Value, what string, k Key) {
	if v.Kind() == reflect.Bool {
		var yes bool
		if s := Resolve(n); s.Tag != "!!bool" || s.Decode(&yes) != nil {
			r.Errorf(n, "%s must be true or false", what)
		}
		v.SetBool(yes)
		return
	}
	s, ok := r.scalar(n, what)
	if !ok {
		return
	}
	least, most, limited := Bounds(k.Range)
	if !limited {
		least, most = -math.MaxFloat64, math.MaxFloat64
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		i, err := strconv.ParseInt(s, 10, 64)
		if !limited {
			least = 0
		}
		if err != nil || float64(i) < least || float64(i) > most {
			r.Errorf(n, "%s %q: %s", what, s, cmp.Or(k.want, "must be a whole number of at least 0"))
			return
		}
		v.SetInt(i)
	case reflect.Float64:
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= least && x <= most) {
			r.Errorf(n, "%s %q: %s", what, s, cmp.Or(k.want, "must be a number"))
			return
		}
		v.SetFloat(x)
	default:
		v.SetString(r.text(n, s, what, k))
	}
}

// maxText is the length of the longest line, in bytes.
const maxText = 1000

// text returns a text in its form. An id becomes a folder and a column of results.csv. A
// line is shown to people: line breaks, which YAML may have in a long text, are spaces. A phrase has none, and a
// part of a note has no semicolon either. A choice is one of the words that the key names.
func (r *Reader) text(n *yaml.Node, s, what string, k Key) string {
	if k.As == "line" {
		s = strings.Join(strings.Fields(s), " ")
	}
	wrong := ""
	switch k.As {
	case "id":
		if !IsID(s) {
			wrong = fmt.Sprintf("%s %q: use letters, digits and . _ + - only, beginning with a letter or digit", what, s)
		}
	case "line":
		switch {
		case len(s) > maxText:
			wrong = tooLong(what, s)
		case strings.ContainsFunc(s, unicode.IsControl):
			wrong = fmt.Sprintf("%s %q has a control character: leave it out", what, s)
		}
	case "phrase", "part":
		if err := CheckPhrase(what, s); err != nil {
			wrong = err.Error()
		} else if k.As == "part" && strings.Contains(s, ";") {
			wrong = what + " must not contain a semicolon"
		} else if k.nonempty && s == "" {
			wrong = what + ": want a text"
		}
	case "sha256":
		if len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
			wrong = what + " must be 64 hexadecimal digits in lower case"
		}
	case "choice":
		if !slices.Contains(k.Choices, s) {
			wrong = fmt.Sprintf("%s %q; want one of %s", what, s, strings.Join(k.Choices, ", "))
		}
	}
	if wrong != "" {
		r.Errorf(n, "%s", wrong)
		return ""
	}
	return s
}

func tooLong(what, s string) string {
	return fmt.Sprintf("%s has %d bytes: at most %d", what, len(s), maxText)
}

// CheckPhrase returns an error for a text that is not one line of some words. what names it.
func CheckPhrase(what, s string) error {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return fmt.Errorf("%s must be one line, without control characters", what)
	}
	if len(s) > maxText {
		return errors.New(tooLong(what, s))
	}
	return nil
}

// scalar returns the text of a single value that is not null.
func (r *Reader) scalar(n *yaml.Node, what string) (string, bool) {
	s := Resolve(n)
	if s.Kind != yaml.ScalarNode || s.Tag == "!!null" {
		r.Errorf(n, "%s must be a single value", what)
		return "", false
	}
	return s.Value, true
}

// IsID reports whether s can be a name in a spec.
func IsID(s string) bool { return IDPattern.MatchString(s) }

var IDPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// items returns the items of a sequence, or a single value as the only item.
func items(n *yaml.Node) []*yaml.Node {
	if s := Resolve(n); s.Kind == yaml.SequenceNode {
		return s.Content
	}
	return []*yaml.Node{n}
}

// list decodes a list. The ids of a list are different.
func (r *Reader) list(n *yaml.Node, v reflect.Value, what string, k Key) {
	nodes := items(n)
	if len(nodes) == 0 && k.nonempty {
		r.Errorf(n, "%s: the list is empty", what)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(nodes), len(nodes)))
	for i, item := range nodes {
		r.Decode(item, v.Index(i).Addr(), what, k)
	}
	if ids, ok := v.Interface().([]string); ok && k.As == "id" {
		seen := map[string]bool{}
		for i, id := range ids {
			if id != "" && seen[id] {
				r.Errorf(nodes[i], "%s %q is listed twice", cmp.Or(k.One, what), id)
			}
			seen[id] = true
		}
	}
}

// object decodes a mapping into a struct.
func (r *Reader) object(n *yaml.Node, v reflect.Value) {
	name, _ := v.Interface().(Object).About()
	keys, ok := r.keys[v.Type()]
	if !ok {
		keys = KeysOf(v.Type(), nil)
		r.keys[v.Type()] = keys
	}
	var known []string
	for _, k := range keys {
		if k.Brief && Resolve(n).Kind != yaml.MappingNode {
			r.Decode(n, v.FieldByIndex(k.index).Addr(), "a "+name, Key{})
			return
		}
		known = append(known, k.Name)
	}
	r.Pairs(n, "a "+name, known, func(key, value *yaml.Node) {
		k := keys[slices.Index(known, key.Value)]
		r.Decode(value, v.FieldByIndex(k.index).Addr(), k.Name, k)
	})
}

// An Item names a key of a map by a pointer to the map, for messages about the key.
type Item struct {
	Of   any
	Name string
}

// mapping decodes a mapping into a map. Its values have no place of their own, but its keys have: see Item.
func (r *Reader) mapping(n *yaml.Node, v reflect.Value, what string, k Key) {
	v.Set(reflect.MakeMap(v.Type()))
	r.Pairs(n, what, nil, func(key, value *yaml.Node) {
		item := reflect.New(v.Type().Elem())
		r.places[Item{v.Addr().Interface(), key.Value}] = place{Node: key}
		each := k
		each.One = strings.TrimSpace(k.One + " " + key.Value)
		r.Decode(value, item, each.One, each)
		v.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), item.Elem())
	})
}

// names decodes a mapping from names, or one value for all of them under "".
func (r *Reader) names(n *yaml.Node, v reflect.Value, what string, k Key) {
	m := Resolve(n)
	if k.Brief && m.Kind != yaml.MappingNode {
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		r.Decode(n, v.Index(0).Field(1).Addr(), what, k)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, len(m.Content)/2)) // the items keep their addresses
	r.Pairs(n, what, nil, func(key, value *yaml.Node) {
		v.SetLen(v.Len() + 1)
		item := v.Index(v.Len() - 1)
		item.Field(0).SetString(key.Value)
		r.places[item.Field(0).Addr().Interface()] = place{Node: key}
		each := k
		each.One = strings.TrimSpace(k.One + " " + key.Value)
		r.Decode(value, item.Field(1).Addr(), what, each)
	})
}

// Pairs calls read for each key of a mapping with its value. A key that is given twice or
// that is not known is a mistake; all keys are known if known is nil.
func (r *Reader) Pairs(n *yaml.Node, what string, known []string, read func(key, value *yaml.Node)) {
	m := Resolve(n)
	if m.Kind != yaml.MappingNode {
		r.Errorf(n, "%s must be a mapping (key: value)", what)
		return
	}
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		switch first := seen[key.Value]; {
		case first != nil:
			r.Errorf(key, "key %q is given twice (first at line %d)", key.Value, first.Line)
		case known != nil && !slices.Contains(known, key.Value):
			r.Unknown(key, key.Value, what, known)
		default:
			read(key, value)
		}
		seen[key.Value] = key
	}
}

// Unknown records that an object has no key of this name.
func (r *Reader) Unknown(at any, key, what string, known []string) {
	r.Errorf(at, "unknown key %q in %s%s", key, what, Suggest(key, slices.Sorted(slices.Values(known))))
}

// Match replaces a name by the known one that it stands for. unknown is the message about
// a name that is none of them.
func (r *Reader) Match(name *string, known []string, unknown string) {
	match, ok := Match(*name, known)
	if !ok && r.Sound(name) {
		r.Errorf(name, unknown+"%s", *name, Suggest(*name, known))
	}
	*name = match
}

// MatchAll is match for a list.
func (r *Reader) MatchAll(list []string, known []string, unknown string) {
	for i := range list {
		r.Match(&list[i], known, unknown)
	}
}

// Merge sets each key of dst, a pointer to a struct, that src states: src has another value for it than none. Maps are joined.
func Merge[T Object](dst *T, src T) {
	to, from := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src)
	for _, k := range KeysOf(from.Type(), nil) {
		into, x := to.FieldByIndex(k.index), from.FieldByIndex(k.index)
		switch {
		case x.IsZero():
		case x.Kind() == reflect.Map:
			if into.IsNil() { // a map of its own, since src may be merged into others too
				into.Set(reflect.MakeMap(x.Type()))
			}
			for _, key := range x.MapKeys() {
				into.SetMapIndex(key, x.MapIndex(key))
			}
		default:
			into.Set(x)
		}
	}
}
