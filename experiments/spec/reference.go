package spec

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// An Object is a kind of mapping in a spec, such as a table.
type Object struct {
	Name  string // "spec", "method", "setting", "table" or "figure"
	About string // a description in one or two sentences
	Keys  []Key
}

// A Key is a key of an object.
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
	Options  Type = "mapping of options"
	Methods  Type = "list of methods"
	Settings Type = "list of settings"
	Tables   Type = "list of tables"
	Figures  Type = "list of figures"
)

// Reference returns every object of a spec with every key that Parse accepts.
func Reference(known Registry) []Object {
	columns := results.SettingColumns()
	return []Object{
		{Name: "spec", About: "A spec is one YAML document, one experiment: every method runs on every setting, and every metric is computed.", Keys: []Key{
			{Name: "name", Type: ID, Required: true, Meaning: "Name of the experiment: the first column of the result files, and a part of the names of its tables and figures.", Example: "mine"},
			{Name: "title", Type: Text, Default: "the name", Meaning: "Heading in reports.", Example: "Networks of my own"},
			{Name: "data", Type: Texts, Pattern: `^(\.$|\./|\.?[^./])`, Default: "arrays", Meaning: "Where arrays are looked for, in this order: arrays (data/arrays and the folders of --data), bundle (data/bundle), calarena (data/calarena), simulate (virtual networks), or a folder below the project.", Example: "[arrays, bundle]"},
			{Name: "layout", Type: Text, Default: "the layout of docs/formats.md", Meaning: "Path of an array below its folder, for folders whose manifest.yaml states none, with the placeholders {dataset}, {backbone}, {loss}, {corruption}, {severity}, {split} and {array}.", Example: `"{dataset}/{backbone}/{split}/{array}.npy"`},
			{Name: "methods", Type: Methods, Required: true, Meaning: "The calibrators. An item is the name of a method (qats methods lists them), or a mapping.", Example: "[uncal, ts, qats]"},
			{Name: "baseline", Type: Text, Default: "ts, if it is among the methods", Meaning: "Name of the method with which pairs.csv compares all others, or none.", Example: "ts"},
			{Name: "metrics", Type: Texts, Choices: metricNames(known.Metrics), Default: "all that qats metrics lists, except those on request", Meaning: "The metrics to compute.", Example: "[accuracy, ece, aece, nll]"},
			{Name: "intervals", Type: Texts, Choices: metricNames(slices.DeleteFunc(slices.Clone(known.Metrics), func(e metrics.Entry) bool { return e.Paired || e.Whole })), Default: "none", Meaning: "Metrics of the spec, besides ECE and AECE, whose differences to the baseline get bootstrap intervals in pairs.csv, from the same resamples.", Example: "[nll]"},
			{Name: "settings", Type: Settings, Required: true, Meaning: "The test sets. An item is a mapping whose lists are multiplied: two datasets and three backbones are six settings.", Example: "[{dataset: cifar10, backbone: [resnet50, densenet40]}]"},
			{Name: "like", Type: Labels, Meaning: "For each dataset of the spec, the dataset of the paper that it is similar to. qats diff SPEC judges the paper's claims on it.", Example: "{cifar10-mine: cifar10}"},
			{Name: "tables", Type: Tables, Default: "a table of ECE and one of AECE", Meaning: "The tables that qats report renders.", Example: "[{metric: ece, highlight: qats}]"},
			{Name: "figures", Type: Figures, Default: "none", Meaning: "The figures that qats report draws.", Example: "[{kind: reliability, methods: [ts, qats]}]"},
		}},
		{Name: "method", About: "A calibrator with options, under a name that is unique in the spec.", Keys: []Key{
			{Name: "name", Type: ID, Default: "the value of method", Meaning: "Id of the method in the result files.", Example: "qats-pw2"},
			{Name: "method", Type: Text, Choices: slices.Concat(names(known.Methods), names(known.External)), Default: "the value of name", Meaning: "Name of the registered method.", Example: "qats-pw"},
			{Name: "label", Type: Text, Default: "the label of the registered method, or name if it is given", Meaning: "Name in tables and figures.", Example: "QaTS-PW2"},
			{Name: "options", Type: Options, Default: "the defaults of the method", Meaning: "Options of the method; qats methods lists them with their ranges.", Example: "{segments: 2}"},
		}},
		{Name: "setting", About: "A grid of settings: the product of its lists.", Keys: []Key{
			{Name: "dataset", Type: IDs, Required: true, Meaning: "Data sets.", Example: "cifar10"},
			{Name: "backbone", Type: IDs, Required: true, Meaning: "Networks.", Example: "[resnet50, densenet40]"},
			{Name: "loss", Type: IDs, Default: "ce", Meaning: "Training losses.", Example: "[ce, focal]"},
			{Name: "corruption", Type: IDs, Default: "none: clean images", Meaning: "Corruptions of the test images; needs severity.", Example: "[fog, snow]"},
			{Name: "severity", Type: Counts, Default: "none: clean images", Meaning: "Severities, 1 to 5; needs corruption.", Example: "[1, 3, 5]"},
			{Name: "rescale", Type: Numbers, Default: "none", Meaning: "Factors on the test logits, 1e-6 to 1e6, one setting each. The calibration set stays as it is. Not with corruption.", Example: "[0.5, 2]"},
			{Name: "splits", Type: Count, Most: MaxSplits, Default: "none", Meaning: "How many times calibration and test rows are redrawn from their union, one setting each, at most 1000. Not with corruption, rescale or calibrate_on.", Example: "20"},
			{Name: "test_shares", Type: Text, Choices: []string{"calibration"}, Default: "none", Meaning: "calibration thins out the test rows to the class shares of the calibration set: the skewed test set of a long-tailed network, without label shift. Not with corruption, rescale, splits or calibrate_on.", Example: "calibration"},
			{Name: "calibrate_on", Type: ID, Default: "the dataset itself", Meaning: "Data set whose calibration set is used.", Example: "cifar10"},
		}},
		{Name: "table", About: "A table of one metric. Its keys " + strings.Join(columns, ", ") + " keep only the settings with the given values.", Keys: slices.Concat([]Key{
			{Name: "name", Type: ID, Default: "the metric", Meaning: "Part of the file names, after the name of the spec.", Example: "clean-ece"},
			{Name: "title", Type: Text, Default: "the title of the spec and the metric", Meaning: "Caption.", Example: "ECE on clean images"},
			{Name: "metric", Type: Text, Choices: append(outputNames(known.Metrics), results.TimeMetric), Required: true, Meaning: "A metric of the spec, as in results.csv, or time: the processor time of the fits, from times.csv.", Example: "ece"},
			{Name: "rows", Type: Texts, Choices: append([]string{"method"}, columns...), Default: "dataset, backbone, and other columns that differ between settings", Meaning: "Columns of results.csv that name a row.", Example: "[dataset, backbone]"},
			{Name: "columns", Type: Text, Choices: append([]string{"method"}, columns...), Default: "method", Meaning: "Column of results.csv whose values are the columns of the table.", Example: "severity"},
			{Name: "average", Type: Texts, Choices: columns, Default: "none", Meaning: "Columns of results.csv that are averaged over.", Example: "[corruption]"},
			{Name: "mean", Type: Flag, Default: "false", Meaning: "Adds a last row with the mean over the rows.", Example: "true"},
			{Name: "methods", Type: Texts, Default: "all methods of the spec", Meaning: "Methods to show, in this order.", Example: "[uncal, ts, qats]"},
			{Name: "labels", Type: Labels, Default: "the paper's names", Meaning: "What is printed for ids of methods and settings.", Example: "{resnet50: RN-50}"},
			{Name: "highlight", Type: Texts, Default: "none", Meaning: "Prints the gap between this method and the best other one.", Example: "qats"},
			{Name: "unranked", Type: Texts, Default: "none", Meaning: "Methods that are shown and not ranked.", Example: "[ts]"},
			{Name: "consistency_band", Type: Flag, Default: "false", Meaning: "Prints below each ECE or AECE its consistency band. Not with average.", Example: "true"},
			{Name: "interval", Type: Flag, Default: "false", Meaning: "Prints below each ECE or AECE its difference from the baseline, with the paired 95 % interval. Not with average.", Example: "true"},
			{Name: "paper", Type: Count, Most: len(paper.Tables()), Default: "none", Meaning: fmt.Sprintf("Number of the paper's table that it reproduces, 1 to %d.", len(paper.Tables())), Example: "1"},
		}, filterKeys())},
		{Name: "figure", About: "A figure. Its keys " + strings.Join(columns, ", ") + " keep only the settings with the given values. Kinds that show one setting are drawn once for each setting.", Keys: slices.Concat([]Key{
			{Name: "name", Type: ID, Default: "the kind", Meaning: "Part of the file names, after the name of the spec.", Example: "reliability-clean"},
			{Name: "title", Type: Text, Default: "a sentence made by the kind", Meaning: "Caption.", Example: "Reliability on clean images"},
			{Name: "kind", Type: Text, Required: true, Choices: figureKinds(), Meaning: "What is drawn.", Example: "reliability"},
			{Name: "methods", Type: Texts, Default: "all methods of the spec", Meaning: "Methods to show, in this order.", Example: "[ts, qats]"},
			{Name: "metric", Type: Texts, Choices: outputNames(known.Metrics), Default: "ece; of rank-agreement all that have a direction and a value on at least four fifths of the settings, except accuracy, and ECE and AECE with other numbers of bins", Meaning: "A metric of the spec, as in results.csv, for the kinds " + strings.Join(plots.ByMetric(), ", ") + "; for rank-agreement a list of two or more.", Example: "nll"},
			{Name: "experiments", Type: IDs, Default: "this spec", Meaning: "Experiments whose rows are shown, for kinds that show several settings.", Example: "[mine, shift]"},
		}, filterKeys())},
	}
}

// filterKeys returns the keys that restrict what a view shows.
func filterKeys() []Key {
	var keys []Key
	for _, column := range results.SettingColumns() {
		example := map[string]string{"dataset": "cifar10", "backbone": "resnet50", "loss": "ce", "corruption": "[fog, snow]", "severity": "5"}[column]
		keys = append(keys, Key{Name: column, Type: Texts, Default: "all", Meaning: "Shows only settings with these values.", Example: example})
	}
	return keys
}

// namesOf returns the name of each item.
func namesOf[T any](list []T, name func(T) string) []string {
	all := make([]string, len(list))
	for i, x := range list {
		all[i] = name(x)
	}
	return all
}

func names(list []calib.Entry) []string {
	return namesOf(list, func(e calib.Entry) string { return e.Name })
}

func metricNames(list []metrics.Entry) []string {
	return namesOf(list, func(e metrics.Entry) string { return e.Name })
}

func outputNames(list []metrics.Entry) []string {
	var all []string
	for _, e := range list {
		all = append(all, e.Names()...)
	}
	return all
}

func figureKinds() []string {
	return namesOf(plots.Registry(), func(k plots.Entry) string { return k.Name })
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
		{"Metrics", metricNames(known.Metrics)},
		{"Kinds of figures", figureKinds()},
	} {
		fmt.Fprintf(&b, "* %s: `%s`.\n", list.title, strings.Join(list.values, "`, `"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
