package spec

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
)

// objects are the kinds of mappings in a spec.
var objects = []keyed.Object{document{}, methodItem{}, metricItem{}, grid{}, tableItem{}, figureItem{}}

// An Object is a kind of mapping in a spec, such as a table.
type Object struct {
	Name  string // "spec", "method", "setting", "table" or "figure"
	About string // a description in one or two sentences
	Keys  []keyed.Key
}

// Reference returns every object of a spec with every key that Parse accepts.
func Reference(known Registry) []Object {
	words := known.words()
	var list []Object
	for _, o := range objects {
		name, text := o.About()
		list = append(list, Object{name, keyed.Expand(text, words), keyed.KeysOf(reflect.TypeOf(o), words)})
	}
	return list
}

// words are the lists that tags of keys name in braces.
func (r Registry) words() map[string][]string {
	kinds, byMetric, onePanel := figureKinds()
	resampled := slices.DeleteFunc(slices.Clone(r.Metrics), func(e metrics.Entry) bool { return e.AlwaysPaired() || !e.Comparable() })
	return map[string][]string{
		"methods":       slices.Concat(names(r.Methods), names(r.External)),
		"metrics":       metricNames(r.Metrics),
		"method-groups": groupNames(r.MethodGroups),
		"metric-groups": groupNames(r.MetricGroups),
		"resampled":     metricNames(resampled),
		"values":        outputNames(r.Metrics),
		"columns":       results.SettingColumns(),
		"kinds":         kinds,
		"metric-kinds":  byMetric,
		"panel-kinds":   onePanel,
	}
}

func names(list []calib.Entry) []string {
	return lists.Values(list, func(e calib.Entry) string { return e.Name })
}

func metricNames(list []metrics.Entry) []string {
	return lists.Values(list, func(e metrics.Entry) string { return e.Name })
}

func outputNames(list []metrics.Entry) []string {
	return slices.Concat(lists.Values(list, metrics.Entry.Names)...)
}

// figureKinds returns the names of all kinds of figures, of those that show metrics
// which a spec can name, and of those whose one panel can have any height.
func figureKinds() (all, byMetric, onePanel []string) {
	for _, k := range figure.Kinds() {
		all = append(all, k.Name)
		if k.Metrics != 0 {
			byMetric = append(byMetric, k.Name)
		}
		if k.Stretches {
			onePanel = append(onePanel, k.Name)
		}
	}
	return all, byMetric, onePanel
}

// WriteReference writes the reference of the spec language as Markdown.
func WriteReference(w io.Writer, known Registry) error {
	var b strings.Builder
	b.WriteString("# The spec language\n\nThis page is generated from the program: `qats doc spec > docs/spec.md`. " +
		"`qats doc spec --schema` prints the same as a JSON Schema, which editors use for completion.\n\n" +
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
	words := known.words()
	for _, list := range [][2]string{{"Methods", "methods"}, {"Groups of methods", "method-groups"}, {"Groups of metrics", "metric-groups"}, {"Kinds of figures", "kinds"}} {
		fmt.Fprintf(&b, "* %s: `%s`.\n", list[0], strings.Join(words[list[1]], "`, `"))
	}
	b.WriteString("* Metrics: those that `qats doc metrics` lists ([methods.md](methods.md)).\n")
	_, err := io.WriteString(w, b.String())
	return err
}
