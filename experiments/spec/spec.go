package spec

import (
	"fmt"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table/pivot"
)

// Registry lists the names that specs may use.
type Registry struct {
	Methods  []calib.Entry   // calibrators
	External []calib.Entry   // methods that only a spec may name: their probabilities come from a program or from files
	Metrics  []metrics.Entry // a spec that names none has all except those OnRequest
}

// Metric returns the registered metric with the given id in results.csv.
func (r Registry) Metric(id string) (metrics.Entry, bool) { return metricOf(r.Metrics, id) }

// metricOf returns the metric with an output of this id, and whether there is one.
func metricOf(list []metrics.Entry, id string) (metrics.Entry, bool) {
	i := slices.IndexFunc(list, func(e metrics.Entry) bool { return slices.Contains(e.Names(), id) })
	if i < 0 {
		return metrics.Entry{}, false
	}
	return list[i], true
}

// Spec is one experiment: settings x methods x metrics, and the views drawn of
// them. It is immutable once read.
type Spec struct {
	File      string
	Text      string // of the file
	Builtin   bool   // the program carries the file
	Name      string // column experiment of results.csv
	Title     string
	Data      []string          // sources in order
	Layout    data.Layout       // of the folders
	Baseline  string            // method that the others are paired with; empty for none
	Like      map[string]string // dataset of the spec -> similar dataset of the paper, for the paper's claims
	Samples   map[string]string // dataset of the spec -> dataset that its test samples are of
	Methods   []Method
	Metrics   []metrics.Entry
	Intervals []metrics.Entry // metrics besides those of metrics.Paired whose differences to the baseline are in pairs.csv
	Settings  []Setting
	Tables    []pivot.Spec
	Figures   []plots.Spec
}

// Read reads the spec in a file.
func Read(file string, known Registry) (*Spec, error) {
	src, err := inputfile.Read(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, src, known)
}

// Parse reads a spec; file is for messages. The error joins up to ten
// mistakes, each as file:line:column: what is wrong.
func Parse(file string, src []byte, known Registry) (*Spec, error) {
	r := &reader{file: file}
	root := r.root(src)
	if root == nil {
		return nil, r.err()
	}
	s := &Spec{File: file, Text: string(src), Data: []string{"arrays"}}
	// Parts that refer to other parts are read after them, whatever their order
	// in the file.
	parts := map[string]*yaml.Node{}
	r.keys(root, "a spec", r.specKeys(s, parts, known))
	methods, settings := parts["methods"], parts["settings"]
	if len(r.errs) == 0 {
		switch {
		case s.Name == "":
			r.errorf(root, "the spec has no name")
		case methods == nil:
			r.errorf(root, "the spec has no methods")
		case settings == nil:
			r.errorf(root, "the spec has no settings")
		}
	}
	if methods != nil {
		s.Methods = r.methods(methods, slices.Concat(known.Methods, known.External))
	}
	if settings != nil {
		s.Settings = r.settings(settings, s.Name)
	}
	if n := parts["metrics"]; n != nil {
		s.Metrics = r.metrics(n, s, known.Metrics)
	} else {
		s.Metrics = slices.DeleteFunc(slices.Clone(known.Metrics), func(e metrics.Entry) bool { return e.OnRequest })
	}
	s.Baseline = r.baseline(parts["baseline"], s)
	s.Intervals = r.intervals(parts["intervals"], s)
	s.Like = r.like(parts["like"], s)
	s.Samples = r.samples(parts["samples"], s)
	if len(r.errs) == 0 && (len(s.Methods) == 0 || len(s.Settings) == 0) {
		r.errorf(root, "the spec has no cells: methods and settings must not be empty")
	}
	if len(r.errs) == 0 {
		s.Tables, s.Figures = r.tables(parts["tables"], s), r.figures(parts["figures"], s)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// specKeys are the keys of a spec. The values of those that refer to others go to parts.
func (r *reader) specKeys(s *Spec, parts map[string]*yaml.Node, known Registry) []Key {
	later := func(key string) func(*yaml.Node) { return func(n *yaml.Node) { parts[key] = n } }
	resampled := slices.DeleteFunc(slices.Clone(known.Metrics), func(e metrics.Entry) bool { return e.Paired || !e.Comparable() })
	return []Key{
		{Name: "name", Type: ID, read: r.oneID(&s.Name, "name"), Required: true, Meaning: "Name of the experiment: the first column of the result files, and a part of the names of its tables and figures.", Example: "mine"},
		{Name: "title", Type: Text, read: r.oneLine(&s.Title, "title"), Default: "the name", Meaning: "Heading in reports.", Example: "Networks of my own"},
		{Name: "data", Type: Texts, read: r.dataFolders(&s.Data), Pattern: `^(\.$|\./|\.?[^./])`, Default: "arrays", Meaning: "Where arrays are looked for, in this order: arrays (data/arrays and the folders of --data), bundle (data/bundle), calarena (data/calarena), simulate (virtual networks), or a folder below the project.", Example: "[arrays, bundle]"},
		{Name: "layout", Type: Text, read: r.layout(&s.Layout), Default: "the layout of docs/formats.md", Meaning: "Path of an array below its folder, for folders whose manifest.yaml states none, with the placeholders {dataset}, {backbone}, {loss}, {corruption}, {severity}, {split} and {array}.", Example: `"{dataset}/{backbone}/{split}/{array}.npy"`},
		{Name: "methods", Type: Methods, read: later("methods"), Required: true, Meaning: "The calibrators. An item is the name of a method (qats methods lists them), or a mapping.", Example: "[uncal, ts, qats]"},
		{Name: "baseline", Type: Text, read: later("baseline"), Default: "ts, if it is among the methods", Meaning: "Name of the method with which pairs.csv compares all others, or none.", Example: "ts"},
		{Name: "metrics", Type: Texts, read: later("metrics"), Choices: metricNames(known.Metrics), Default: "all that qats metrics lists, except those on request", Meaning: "The metrics to compute.", Example: "[accuracy, ece, aece, nll]"},
		{Name: "intervals", Type: Texts, read: later("intervals"), Choices: metricNames(resampled), Default: "none", Meaning: "Metrics of the spec, besides ECE, AECE, NLL and Brier score, whose differences to the baseline are in pairs.csv, with an interval and a verdict.", Example: "[accuracy]"},
		{Name: "settings", Type: Settings, read: later("settings"), Required: true, Meaning: "The test sets. An item is a mapping whose lists are multiplied: two datasets and three backbones are six settings.", Example: "[{dataset: cifar10, backbone: [resnet50, densenet40]}]"},
		{Name: "like", Type: Labels, read: later("like"), Meaning: "For each dataset of the spec, the dataset of the paper that it is similar to. qats diff SPEC judges the paper's claims on it.", Example: "{cifar10-mine: cifar10}"},
		{Name: "samples", Type: IDsByID, read: later("samples"), Default: "what manifest.yaml or else the dataset's name says", Meaning: "For each dataset of the spec, the dataset that its test samples are of. qats compare counts data sets with common test samples once.", Example: "{photos: cifar10}"},
		{Name: "tables", Type: Tables, read: later("tables"), Default: "a table of ECE and one of AECE", Meaning: "The tables that qats report renders.", Example: "[{metric: ece, highlight: qats}]"},
		{Name: "figures", Type: Figures, read: later("figures"), Default: "none", Meaning: "The figures that qats report draws.", Example: "[{kind: reliability, methods: [ts, qats]}]"},
	}
}

// dataFolders reads the sources in order. Somebody else may have written the
// spec, so it can name folders of the project only.
func (r *reader) dataFolders(dst *[]string) func(*yaml.Node) {
	return listOf(r, dst, "", func(one *string) func(*yaml.Node) {
		return func(item *yaml.Node) {
			before := len(r.errs)
			if r.text(one, "data")(item); len(r.errs) == before && !filepath.IsLocal(*one) {
				r.errorf(item, "data %q: name arrays, bundle or a folder below the project; give other folders by --data", *one)
			}
		}
	})
}

func (r *reader) layout(dst *data.Layout) func(*yaml.Node) {
	return func(n *yaml.Node) {
		text, ok := r.scalar(n, "layout")
		if !ok {
			return
		}
		layout, err := data.ParseLayout(text)
		if err != nil {
			r.errorf(n, "%v", err)
			return
		}
		*dst = layout
	}
}

// Uncalibrated is the name of the registered method that changes nothing.
const Uncalibrated = "uncal"

// metrics reads the metrics of a spec whose methods are read.
func (r *reader) metrics(n *yaml.Node, s *Spec, registry []metrics.Entry) []metrics.Entry {
	uncal := slices.ContainsFunc(s.Methods, func(m Method) bool { return m.Entry.Name == Uncalibrated })
	return r.entries(n, "metrics", registry, func(e metrics.Entry) string {
		if e.Uncal && !uncal {
			return fmt.Sprintf("metric %q compares with the method %s; add it to the methods", e.Name, Uncalibrated)
		}
		return ""
	})
}

// intervals reads the metrics whose differences to the baseline get intervals, of a
// spec whose metrics and baseline are read.
func (r *reader) intervals(n *yaml.Node, s *Spec) []metrics.Entry {
	if n == nil {
		return nil
	}
	if s.Baseline == "" {
		r.errorf(n, "intervals are of differences to the baseline, and the spec has none")
		return nil
	}
	return r.entries(n, "intervals", s.Metrics, func(e metrics.Entry) string {
		switch {
		case e.Paired:
			return fmt.Sprintf("metric %q always has intervals", e.Name)
		case !e.Comparable():
			return fmt.Sprintf("metric %q has no interval: its value does not come from rows that could be drawn again", e.Name)
		}
		return ""
	})
}

// entries reads a list of different metrics of a registry. wrong returns why a metric
// cannot be in the list, or "" if it can.
func (r *reader) entries(n *yaml.Node, key string, registry []metrics.Entry, wrong func(metrics.Entry) string) []metrics.Entry {
	all := []metrics.Entry{}
	r.list(n, func(item *yaml.Node) {
		name, ok := r.scalar(item, "a metric")
		if !ok {
			return
		}
		entry, err := MatchMetric(registry, name)
		switch {
		case err != nil:
			r.errorf(item, "%v", err)
		case slices.ContainsFunc(all, func(e metrics.Entry) bool { return e.Name == entry.Name }):
			r.errorf(item, "metric %q is listed twice", entry.Name)
		case wrong(entry) != "":
			r.errorf(item, "%s", wrong(entry))
		default:
			all = append(all, entry)
		}
	})
	r.notEmpty(n, key, len(all))
	return all
}

// baseline returns the method that the others are paired with: the named one, none
// for "none", and by default ts if the spec has it.
func (r *reader) baseline(n *yaml.Node, s *Spec) string {
	known := s.MethodNames()
	if n == nil {
		if slices.Contains(known, "ts") {
			return "ts"
		}
		return ""
	}
	name, ok := r.scalar(n, "baseline")
	match, found := Match(name, known)
	switch {
	case ok && found:
		return match
	case ok && name != "none" && len(known) > 0: // a spec without methods has an error of its own
		r.errorf(n, "baseline %q is not among the methods%s", name, Suggest(name, known))
	}
	return ""
}

// like reads the datasets of the paper that datasets of the spec are similar to.
func (r *reader) like(n *yaml.Node, s *Spec) map[string]string {
	known := paper.Datasets()
	return r.byDataset(n, "like", s, func(of *string, dataset string) func(*yaml.Node) {
		return r.choice(of, dataset, known, "the paper has no dataset %q")
	})
}

// samples reads the datasets that the test samples of datasets of the spec are of.
func (r *reader) samples(n *yaml.Node, s *Spec) map[string]string {
	return r.byDataset(n, "samples", s, r.oneID)
}

// byDataset reads a mapping whose keys are datasets of the spec; one reads a value.
func (r *reader) byDataset(n *yaml.Node, key string, s *Spec, one func(of *string, dataset string) func(*yaml.Node)) map[string]string {
	if n == nil {
		return nil
	}
	values := map[string]string{}
	fields := map[string]func(*yaml.Node){}
	for _, setting := range s.Settings {
		fields[setting.Dataset] = func(value *yaml.Node) {
			var of string
			one(&of, setting.Dataset)(value)
			values[setting.Dataset] = of
		}
	}
	r.object(n, key+" (datasets of the settings)", fields)
	return values
}

// MethodNames returns the names of the methods in order.
func (s *Spec) MethodNames() []string {
	return results.Values(s.Methods, func(m Method) string { return m.Name })
}

// labels returns the name in print of each method.
func (s *Spec) labels() map[string]string {
	labels := map[string]string{}
	for _, m := range s.Methods {
		labels[m.Name] = m.Label
	}
	return labels
}

// outputs returns the ids of all metrics of the spec.
func (s *Spec) outputs() []string {
	return outputNames(s.Metrics)
}
