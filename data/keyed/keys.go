package keyed

import (
	"reflect"
	"strconv"
	"strings"
)

// A Key is a key of an object. It is declared once, by a field of a struct and its tags;
// the reader, the reference and the schema are made from that.
type Key struct {
	Name     string   // tag key
	Type     string   // of the value, in words, by the type of the field
	Required bool     // tag required
	Choices  []string // tag of: the values that are known before a spec is read; nil for others
	Range    string   // tag range, as "1 to 5"; empty for any number of at least 0
	Default  string   // tag default, in words; empty for none
	Meaning  string   // tag help
	Example  string   // tag example: a value in YAML

	As       string       // tag as: a form of text (Reader.text), or "single" (a list of one is accepted)
	want     string       // tag want: what a message demands of a number
	One      string       // tag one: what messages call the value, or an item of it, where the key is not the word
	Pattern  string       // tag pattern: regular expression that each text matches
	nonempty bool         // tag nonempty: an empty list is a mistake
	Brief    bool         // tag brief: a single value in place of the object stands for this key
	Field    reflect.Type // its type
	index    []int        // its place in the struct
}

// An Object is a struct whose fields are the keys of a mapping.
type Object interface {
	About() (name, text string)
}

// KeysOf returns the keys of a struct. A name in braces in a tag stands for the words of
// that name, if there are any.
func KeysOf(t reflect.Type, words map[string][]string) []Key {
	var keys []Key
	for _, f := range reflect.VisibleFields(t) {
		name, ok := f.Tag.Lookup("key")
		if !ok {
			continue
		}
		k := Key{
			Name: name, Type: typeName(f.Type, f.Tag.Get("as")), Default: f.Tag.Get("default"), Example: f.Tag.Get("example"),
			Range: f.Tag.Get("range"), Meaning: Expand(f.Tag.Get("help"), words),
			As: f.Tag.Get("as"), want: f.Tag.Get("want"), One: f.Tag.Get("one"), Pattern: f.Tag.Get("pattern"), Field: f.Type, index: f.Index,
		}
		_, k.Required = f.Tag.Lookup("required")
		_, k.nonempty = f.Tag.Lookup("nonempty")
		_, k.Brief = f.Tag.Lookup("brief")
		if of := f.Tag.Get("of"); of != "" {
			for word := range strings.FieldsSeq(of) {
				k.Choices = append(k.Choices, choices(word, words)...)
			}
		}
		keys = append(keys, k)
	}
	return keys
}

// choices returns the words that a word of the tag of stands for: itself, or a list.
func choices(word string, words map[string][]string) []string {
	if name, ok := strings.CutPrefix(word, "{"); ok {
		return words[strings.TrimSuffix(name, "}")]
	}
	return []string{word}
}

// Expand replaces names in braces by their words.
func Expand(text string, words map[string][]string) string {
	for name, list := range words {
		text = strings.ReplaceAll(text, "{"+name+"}", strings.Join(list, ", "))
	}
	return text
}

// Bounds returns the limits of a range such as "1 to 5".
func Bounds(text string) (least, most float64, ok bool) {
	low, high, _ := strings.Cut(text, " to ")
	least, errLeast := strconv.ParseFloat(low, 64)
	most, errMost := strconv.ParseFloat(high, 64)
	return least, most, errLeast == nil && errMost == nil
}

// typeName returns what a type accepts, in words. Where it accepts a list, it accepts one
// item without brackets too.
func typeName(t reflect.Type, as string) string {
	switch x := reflect.Zero(t).Interface().(type) {
	case Object:
		name, _ := x.About()
		return name
	case Mapping:
		return "mapping of " + typeName(x.Value(), as) + "s"
	case Options:
		return "mapping of options"
	}
	switch t.Kind() {
	case reflect.Slice:
		return "list of " + typeName(t.Elem(), as) + "s"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Float64:
		return "number"
	}
	if as == "id" {
		return "id"
	}
	return "text"
}
