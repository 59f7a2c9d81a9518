package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/experiments/spec"
)

// smallest is a spec that each object of the language can be put into.
const smallest = `name: mine
title: Networks of my own
data: [arrays, bundle]
methods: [uncal, ts, qats, %s]
baseline: ts
metrics: [accuracy, aece, nll, %s]
settings:
  - {dataset: cifar10, backbone: [resnet50, densenet40]}
  - {dataset: cifar10-c, backbone: resnet50, corruption: [fog, snow], severity: [1, 5]}
  - %s
tables: [{metric: ece, name: first}, %s]
figures: [%s]
`

// inSpec returns a spec with an object that has the line as a key.
func inSpec(object, line string) string {
	method, metric, setting, table, figure := "hb", "ece", "{dataset: d, backbone: b}", "{metric: aece}", "{kind: reliability}"
	switch object {
	case "spec":
		return line + "\n" + regexp.MustCompile(`(?m)^`+strings.SplitN(line, ":", 2)[0]+`:.*\n(  .*\n)*`).ReplaceAllString(fmt.Sprintf(smallest, method, metric, setting, table, figure), "")
	case "method":
		method = "{name: x, method: qats-pw}"
		switch {
		case strings.HasPrefix(line, "name:"):
			method = "{method: qats-pw, " + line + "}"
		case strings.HasPrefix(line, "method:"):
			method = "{name: x, " + line + "}"
		default:
			method = "{name: x, method: qats-pw, " + line + "}"
		}
	case "setting":
		rest := map[string]string{"dataset": "dataset: d", "backbone": "backbone: b"}
		if strings.HasPrefix(line, "corruption:") {
			rest["severity"] = "severity: 1"
		}
		if strings.HasPrefix(line, "severity:") {
			rest["corruption"] = "corruption: fog"
		}
		setting = with(rest, line)
		if strings.HasPrefix(line, "dataset:") {
			setting = strings.Replace(setting, "cifar10", "cifar10, loss: focal", 1)
		}
	case "metric":
		metric = "ece, " + with(map[string]string{"metric": "metric: ece", "bins": "bins: 20"}, line)
	case "table":
		table = with(map[string]string{"metric": "metric: aece", "name": "name: second"}, line)
	case "figure":
		figure = with(map[string]string{"kind": "kind: critical-difference"}, line)
	}
	return fmt.Sprintf(smallest, method, metric, setting, table, figure)
}

// with returns a mapping with the line and the other lines, unless they have the
// same key.
func with(rest map[string]string, line string) string {
	lines := []string{line}
	for key, other := range rest {
		if !strings.HasPrefix(line, key+":") {
			lines = append(lines, other)
		}
	}
	return "{" + strings.Join(lines, ", ") + "}"
}

// TestReferenceHasEveryKey compares the keys of the reference with the keys that
// the reader lists in its message for an unknown key.
func TestReferenceHasEveryKey(t *testing.T) {
	list := regexp.MustCompile(`unknown key "zzzzzzzzzz" in [^(]*\(known: ([^)]*)\)`)
	for _, o := range spec.Reference(known) {
		_, err := spec.Parse("x", []byte(inSpec(o.Name, "zzzzzzzzzz: 1")), known)
		found := list.FindStringSubmatch(fmt.Sprint(err))
		if found == nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		var got []string
		for _, k := range o.Keys {
			got = append(got, k.Name)
		}
		slices.Sort(got)
		if want := strings.Split(found[1], ", "); !slices.Equal(got, want) {
			t.Errorf("%s: the reference has %v, the reader %v", o.Name, got, want)
		}
	}
}

// TestExamplesOfTheReferenceAreRead parses the example of every key, and validates
// it with the schema.
func TestExamplesOfTheReferenceAreRead(t *testing.T) {
	schema := compiled(t)
	for _, o := range spec.Reference(known) {
		for _, k := range o.Keys {
			src := inSpec(o.Name, k.Name+": "+k.Example)
			switch k.Name { // their keys are datasets of the spec
			case "like":
				src = strings.ReplaceAll(src, "cifar10-mine", "cifar10")
			case "samples":
				src = strings.ReplaceAll(src, "photos", "cifar10")
			case "height": // of the kinds that have one panel
				src = strings.ReplaceAll(src, "kind: critical-difference", "kind: severity")
			}
			if _, err := spec.Parse("x", []byte(src), known); err != nil {
				t.Errorf("%s %s: %v\n%s", o.Name, k.Name, err, src)
			}
			if err := schema.Validate(decoded(t, []byte(src))); err != nil {
				t.Errorf("%s %s: %v\n%s", o.Name, k.Name, err, src)
			}
		}
	}
}

// TestReferenceIsCurrent compares docs/spec.md and spec.schema.json with what
// qats doc spec prints.
func TestReferenceIsCurrent(t *testing.T) {
	var page, schema bytes.Buffer
	if err := spec.WriteReference(&page, known); err != nil {
		t.Fatal(err)
	}
	if err := spec.WriteSchema(&schema, known); err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "../../docs/spec.md", page.String())
	compareGolden(t, "../spec.schema.json", schema.String())
}

// compiled returns the schema of a spec.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	var b bytes.Buffer
	if err := spec.WriteSchema(&b, known); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("spec.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("spec.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// decoded returns YAML as the validator wants it: as JSON.
func decoded(t *testing.T, src []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(src, &v); err != nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestSchemaAcceptsTheSpecsOfTheProject, each of which also names the schema for
// editors.
func TestSchemaAcceptsTheSpecsOfTheProject(t *testing.T) {
	schema := compiled(t)
	for _, pattern := range []string{"../*.yaml", "../paper/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(decoded(t, src)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			up, _ := filepath.Rel(filepath.Dir(file), "../spec.schema.json")
			if !strings.HasPrefix(string(src), "# yaml-language-server: $schema="+filepath.ToSlash(up)+"\n") {
				t.Errorf("%s: its first line does not name the schema", file)
			}
		}
	}
}

// onlyParse are the mistakes of testdata/bad that a schema cannot see, with the
// reason.
var onlyParse = map[string]string{
	"baseline":                "refers to another part of the spec",
	"duplicate-method":        "two items that differ have one name",
	"duplicate-setting":       "two grids overlap",
	"external-limit":          "a time is text",
	"external-needs":          "names of arrays with a folder before them",
	"external-no-command":     "which options a method needs is not in the table of options",
	"external-shell":          "which options a method needs is not in the table of options",
	"figure-metric":           "depends on the kind",
	"figure-metric-absent":    "refers to another part of the spec",
	"figure-metric-neutral":   "depends on the metric",
	"figure-metrics":          "depends on the kind",
	"figure-one-metric":       "depends on the kind",
	"figure-one-setting":      "depends on the kind",
	"figure-twice":            "two items that differ have one name",
	"filter-former":           "depends on the settings",
	"filter-split":            "depends on the settings",
	"group-in-table":          "refers to another part of the spec",
	"huge-grid":               "the size of a product",
	"layout-climbs":           "a path with placeholders",
	"layout-placeholder":      "a path with placeholders",
	"like":                    "refers to another part of the spec",
	"merge-key":               "decoders merge before a schema sees the result",
	"precomputed-array":       "a path with placeholders",
	"precomputed-climbs":      "a path with placeholders",
	"precomputed-no-path":     "which options a method needs is not in the table of options",
	"table-consistency-band":  "depends on the metric",
	"table-highlight":         "refers to another part of the spec",
	"table-highlight-neutral": "depends on the metric",
	"table-label":             "refers to another part of the spec",
	"table-metric":            "refers to another part of the spec",
	"table-no-method":         "refers to another part of the spec",
	"table-number-twice":      "two items that differ have one number",
	"table-place":             "columns that are in two places",
	"two-documents":           "a schema sees one document",
}

// TestSchemaRejectsMistakes validates the files of testdata/bad.
func TestSchemaRejectsMistakes(t *testing.T) {
	schema := compiled(t)
	files, _ := filepath.Glob("testdata/bad/*.yaml")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		accepted := schema.Validate(decoded(t, src)) == nil
		if why, excused := onlyParse[name]; accepted != excused {
			t.Errorf("%s: accepted %v, want %v (%s)", name, accepted, excused, why)
		}
	}
}
