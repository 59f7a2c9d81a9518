package spec

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
)

// An Object is a kind of mapping in a spec, such as a table.
type Object struct {
	Name  string // "spec", "method", "setting", "table" or "figure"
	About string // a description in one or two sentences
	Keys  []Key
}

// A Key is a key of an object: what the reader, the reference and the schema know of it.
type Key struct {
	Name     string
	Type     Type
	Required bool
	Choices  []string // the values that are known before a spec is read; nil for others
	Pattern  string   // regular expression that each text matches; empty for any text
	Most     int      // largest whole number; 0 for no limit
	Default  string   // in words; empty for none
	Meaning  string
	Example  string // a value in YAML

	read func(*yaml.Node) // reads the value
}

// Type is what a key accepts. Where it accepts a list, it accepts one item
// without brackets too.
type Type string

const (
	Text     Type = "text"
	ID       Type = "id"              // letters, digits and . _ + -, beginning with a letter or digit
	Flag     Type = "true or false"   //
	Count    Type = "whole number"    // 1 or more
	Texts    Type = "list of texts"   //
	IDs      Type = "list of ids"     //
	Numbers  Type = "list of numbers" //
	Counts   Type = "list of whole numbers"
	Labels   Type = "mapping of texts"
	IDsByID  Type = "mapping of ids"
	Options  Type = "mapping of options"
	Methods  Type = "list of methods"
	Settings Type = "list of settings"
	Tables   Type = "list of tables"
	Figures  Type = "list of figures"
)

// Reference returns every object of a spec with every key that Parse accepts.
//
// The reader and the reference share the keys and use different fields of them. The reader
// uses Name and read. It does not need Choices, so it may pass an empty registry. The
// reference calls no read, so it passes empty objects to be filled.
func Reference(known Registry) []Object {
	var r reader
	var w written
	columns := strings.Join(results.SettingColumns(), ", ")
	return []Object{
		{"spec", "A spec is one YAML document, one experiment: every method runs on every setting, and every metric is computed.", r.specKeys(&Spec{}, nil, known)},
		{"method", "A calibrator with options, under a name that is unique in the spec.", r.methodKeys(&w, known)},
		{"setting", "A grid of settings: the product of its lists.", r.settingKeys(&grid{})},
		{"table", "A table of one metric. Its keys " + columns + " keep only the settings with the given values.", r.tableKeys(&tableItem{}, &Spec{}, known.Metrics)},
		{"figure", "A figure. Its keys " + columns + " keep only the settings with the given values. Kinds that show one setting are drawn once for each setting.", r.figureKeys(&figureItem{}, &Spec{}, known.Metrics)},
	}
}

func names(list []calib.Entry) []string {
	return results.Values(list, func(e calib.Entry) string { return e.Name })
}

func metricNames(list []metrics.Entry) []string {
	return results.Values(list, func(e metrics.Entry) string { return e.Name })
}

func outputNames(list []metrics.Entry) []string {
	return slices.Concat(results.Values(list, metrics.Entry.Names)...)
}

func figureKinds() []string {
	return results.Values(plots.Registry(), func(k plots.Entry) string { return k.Name })
}

// WriteReference writes the reference of the spec language as Markdown.
func WriteReference(w io.Writer, known Registry) error {
	var b strings.Builder
	b.WriteString("# The spec language\n\nThis page is generated from the program: `qats spec > docs/spec.md`. " +
		"`qats spec --schema` prints the same as a JSON Schema, which editors use for completion.\n\n" +
		"A list with one item can be written without brackets. An unknown key is an error.\n")
	for _, o := range Reference(known) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| key | type | default | meaning | example |\n|---|---|---|---|---|\n", strings.ToUpper(o.Name[:1])+o.Name[1:], o.About)
		for _, k := range o.Keys {
			def := k.Default
			if k.Required {
				def = "required"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | `%s: %s` |\n", k.Name, k.Type, def, k.Meaning, k.Name, k.Example)
		}
	}
	b.WriteString("\n## Values\n\n")
	for _, list := range []struct {
		title  string
		values []string
	}{
		{"Methods", slices.Concat(names(known.Methods), names(known.External))},
		{"Kinds of figures", figureKinds()},
	} {
		fmt.Fprintf(&b, "* %s: `%s`.\n", list.title, strings.Join(list.values, "`, `"))
	}
	b.WriteString("* Metrics: those that `qats metrics` lists ([methods.md](methods.md)).\n")
	_, err := io.WriteString(w, b.String())
	return err
}
