package spec

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/figure"
)

// Registry lists the names that specs may use.
type Registry struct {
	Methods  []calib.Entry   // calibrators
	External []calib.Entry   // methods that only a spec may name: their probabilities come from a program or from files
	Metrics  []metrics.Entry // a spec that names none has all except those OnRequest
	Like     []string        // the paper's data sets, which a spec may declare its own similar to

	MethodGroups, MetricGroups []Group
}

// Metric returns the registered metric with the given id in results.csv.
func (r Registry) Metric(id string) (metrics.Entry, bool) {
	return metricOf(metrics.Known(r.Metrics, id), id)
}

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
	File       string
	Text       string // of the file
	Builtin    bool   // the program carries the file
	Name       string // column experiment of results.csv
	Title      string
	Data       []string          // sources in order
	Layout     folder.Layout     // of the folders
	Ignore     data.Ignore       // labels of rows that are left out, in place of those of the folders' manifests
	Baseline   string            // method that the others are paired with; empty for none
	Labels     map[string]string // id of a dataset or a network of the spec -> its name in print
	Like       map[string]string // dataset of the spec -> similar dataset of the paper, for the paper's claims
	Domains    map[string]string // dataset of the spec -> what its inputs are
	Samples    map[string]string // dataset of the spec -> dataset that its test samples are of
	Methods    []Method
	Metrics    []metrics.Entry
	PerClass   bool            // scores of each class are in classes.csv
	Background []string        // classes that are left out of it, by number or by name
	Intervals  []metrics.Entry // metrics besides those of metrics.Paired whose differences to the baseline are in pairs.csv
	Settings   []Setting
	Tables     []crosstab.Spec
	Figures    []figure.Spec
}

// Read reads the spec in a file.
func Read(file string, known Registry) (*Spec, error) {
	src, err := inputfile.Read(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, src, known)
}

// document is a spec as it stands in the file.
type document struct {
	Name       string               `key:"name" as:"id" required:"" help:"Name of the experiment: the first column of the result files, and a part of the names of its tables and figures." example:"mine"`
	Title      string               `key:"title" as:"line" default:"the name" help:"Heading in reports." example:"Networks of my own"`
	Data       []string             `key:"data" pattern:"^(\\.$|\\./|\\.?[^./])" default:"arrays" help:"Where arrays are looked for, in this order: arrays (data/arrays and the folders of --data), bundle (data/bundle), calarena (data/calarena), real (data/real), wild (data/wild), confidence (data/confidence), simulate (virtual networks), or a folder below the project." example:"[arrays, bundle]"`
	Layout     string               `key:"layout" default:"the layout of docs/formats.md" help:"Path of an array below its folder, for folders whose manifest.yaml states none, with the placeholders {dataset}, {backbone}, {loss}, {corruption}, {severity}, {split} and {array}." example:"\"{dataset}/{backbone}/{split}/{array}.npy\""`
	Ignore     []int                `key:"ignore" one:"label" nonempty:"" range:"-2147483648 to 2147483647" want:"want a whole number, such as 255" default:"what manifest.yaml says, or else 255 if no class has that number" help:"Labels of rows without a class, such as void pixels: these rows are left out of calibration and test." example:"255"`
	Methods    []methodItem         `key:"methods" required:"" help:"The calibrators. An item is the name of a method or of a group (qats doc methods lists both), or a mapping. A method that is listed itself, or in an earlier group, is left out of a group." example:"[\"@recommended\", sms]"`
	Baseline   string               `key:"baseline" default:"ts, if it is among the methods" help:"Name of the method with which pairs.csv compares all others, or none." example:"ts"`
	Metrics    []metricItem         `key:"metrics" one:"a metric" nonempty:"" default:"\"@default\"" help:"The metrics to compute: names of metrics and of groups (qats doc metrics lists both), or mappings with options." example:"[\"@default\", smece, {metric: ece, bins: 10}]"`
	Intervals  []string             `key:"intervals" one:"a metric" nonempty:"" of:"{resampled}" default:"none" help:"Metrics of the spec, besides ECE, AECE, NLL and Brier score, whose differences to the baseline are in pairs.csv, with an interval and a verdict." example:"[accuracy]"`
	PerClass   bool                 `key:"per_class" default:"true with background, else false" help:"Write classes.csv too: the ECE of each class's probability against the rest." example:"true"`
	Background []string             `key:"background" one:"class" nonempty:"" default:"none" help:"Classes that classes.csv and the mean over classes leave out, such as the background: numbers from 0, or names that manifest.yaml gives. With it, per_class is true." example:"[0]"`
	Settings   []grid               `key:"settings" required:"" help:"The test sets. An item is a mapping whose lists are multiplied: two datasets and three backbones are six settings." example:"[{dataset: cifar10, backbone: [resnet50, densenet40]}]"`
	Labels     keyed.ByName[string] `key:"labels" as:"line" one:"label of" default:"what manifest.yaml says, or else the ids" help:"What tables, figures and pages print for ids of datasets and networks." example:"{cifar10: CIFAR-10, resnet50: RN-50}"`
	Like       keyed.ByName[string] `key:"like" help:"For each dataset of the spec, the dataset of the paper that it is similar to. qats paper diff SPEC judges the paper's claims on it." example:"{cifar10-mine: cifar10}"`
	Domains    keyed.ByName[string] `key:"domains" as:"line" default:"what manifest.yaml says" help:"For each dataset of the spec, what its inputs are: images, text, language models, or tables and signals. qats compare --only domain=NAME compares the settings of one domain." example:"{cifar10: images}"`
	Samples    keyed.ByName[string] `key:"samples" as:"id" default:"what manifest.yaml or else the dataset's name says" help:"For each dataset of the spec, the dataset that its test samples are of. qats compare counts data sets with common test samples once." example:"{photos: cifar10}"`
	Tables     []tableItem          `key:"tables" default:"a table of ECE and one of AECE" help:"The tables that qats report renders." example:"[{metric: ece, highlight: qats}]"`
	Figures    []figureItem         `key:"figures" default:"none" help:"The figures that qats report draws." example:"[{kind: reliability, methods: [ts, qats]}]"`
}

func (document) About() (name, text string) {
	return "spec", "A spec is one YAML document, one experiment: every method runs on every setting, and every metric is computed."
}

// Parse reads a spec; file is for messages. The error joins up to ten
// mistakes, each as file:line:column: what is wrong.
func Parse(file string, src []byte, known Registry) (*Spec, error) {
	r := newReader(file)
	root := r.root(src)
	if root == nil {
		return nil, r.Err()
	}
	var d document
	r.Decode(root, reflect.ValueOf(&d), "", keyed.Key{})
	if r.OnlyIn(&d.Methods, &d.Baseline, &d.Metrics, &d.Intervals, &d.Settings, &d.Labels, &d.Like, &d.Domains, &d.Samples, &d.Tables, &d.Figures) {
		switch {
		case d.Name == "":
			r.Errorf(root, "the spec has no name")
		case !r.Given(&d.Methods):
			r.Errorf(root, "the spec has no methods")
		case !r.Given(&d.Settings):
			r.Errorf(root, "the spec has no settings")
		}
	}
	s := &Spec{File: file, Text: string(src), Name: d.Name, Title: d.Title, Data: r.folders(&d), Layout: r.layout(&d)}
	r.known = known
	s.Ignore = r.ignore(&d)
	s.Background = r.background(&d)
	s.PerClass = d.PerClass || s.Background != nil
	s.Methods = r.methods(d.Methods, known)
	s.Settings = r.settings(d.Settings, s.Name)
	s.Metrics = r.metrics(&d, s, known)
	s.Baseline = r.baseline(&d, s)
	s.Intervals = r.intervals(&d, s)
	s.Labels = r.settingLabels(&d, s)
	s.Domains = r.byDataset(d.Domains, "domains", s)
	s.Like, s.Samples = r.like(&d, s), r.byDataset(d.Samples, "samples", s)
	if r.OnlyIn(&d.Tables, &d.Figures) { // else a name in a view may be unknown because its declaration is wrong
		if len(s.Methods) == 0 || len(s.Settings) == 0 {
			r.Errorf(root, "the spec has no cells: methods and settings must not be empty")
		} else {
			s.Tables, s.Figures = r.tables(&d, s), r.figures(d.Figures, s)
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// settingLabels returns the names in print of datasets and networks of a spec whose settings are
// read.
func (r *reader) settingLabels(d *document, s *Spec) map[string]string {
	known := lists.Distinct(s.Settings, func(x Setting) string { return x.Dataset })
	known = append(known, lists.Distinct(s.Settings, func(x Setting) string { return x.Backbone })...)
	labels := map[string]string{}
	for i := range d.Labels {
		x := &d.Labels[i]
		if !slices.Contains(known, x.Name) && len(known) > 0 {
			r.Unknown(&x.Name, x.Name, "labels (datasets and networks of the settings)", known)
		}
		labels[x.Name] = x.Value
	}
	return labels
}

// folders returns the sources in order. Somebody else may have written the
// spec, so it can name folders of the project only.
func (r *reader) folders(d *document) []string {
	if !r.Given(&d.Data) {
		return []string{"arrays"}
	}
	for i := range d.Data {
		if folder := &d.Data[i]; r.Sound(folder) && !filepath.IsLocal(*folder) {
			r.Errorf(folder, "data %q: name arrays, bundle or a folder below the project; give other folders by --data", *folder)
		}
	}
	return d.Data
}

// layout returns the layout of the folders.
func (r *reader) layout(d *document) folder.Layout {
	if !r.Sound(&d.Layout) {
		return folder.Layout{}
	}
	layout, err := folder.ParseLayout(d.Layout)
	if err != nil {
		r.Errorf(&d.Layout, "%v", err)
	}
	return layout
}

// background returns the classes that the scores of classes leave out.
func (r *reader) background(d *document) []string {
	for i := range d.Background {
		if name := &d.Background[i]; r.Sound(name) && slices.Contains(d.Background[:i], *name) {
			r.Errorf(name, "background: %s is listed twice", *name)
		}
	}
	return d.Background
}

// ignore returns the labels of rows that are left out.
func (r *reader) ignore(d *document) (list data.Ignore) {
	for i := range d.Ignore {
		v := &d.Ignore[i]
		if r.Sound(v) && slices.Contains(list, int32(*v)) {
			r.Errorf(v, "ignore: %d is listed twice", *v)
		}
		list = append(list, int32(*v))
	}
	return list
}

// Uncalibrated is the name of the registered method that changes nothing.
const Uncalibrated = "uncal"

// metrics returns the metrics of a spec whose methods are read. A group stands for those of
// its metrics that the spec can have and does not list itself.
func (r *reader) metrics(d *document, s *Spec, known Registry) []metrics.Entry {
	if !r.Given(&d.Metrics) {
		return slices.DeleteFunc(slices.Clone(known.Metrics), func(e metrics.Entry) bool { return e.OnRequest })
	}
	uncal := slices.ContainsFunc(s.Methods, func(m Method) bool { return m.Entry.Name == Uncalibrated })
	items := make([]metricName, len(d.Metrics))
	for i := range d.Metrics {
		items[i] = r.nameOf(&d.Metrics[i])
	}
	return r.entries(items, withOptions(known.Metrics, items), known.MetricGroups, func(e metrics.Entry) string {
		if e.Uncal && !uncal {
			return fmt.Sprintf("metric %q compares with the method %s; add it to the methods", e.Name, Uncalibrated)
		}
		return ""
	})
}

// intervals returns the metrics whose differences to the baseline get intervals, of a
// spec whose metrics and baseline are read.
func (r *reader) intervals(d *document, s *Spec) []metrics.Entry {
	if !r.Given(&d.Intervals) {
		return nil
	}
	if s.Baseline == "" {
		r.Errorf(&d.Intervals, "intervals are of differences to the baseline, and the spec has none")
		return nil
	}
	return r.entries(texts(d.Intervals), s.Metrics, nil, func(e metrics.Entry) string {
		switch {
		case e.AlwaysPaired():
			return fmt.Sprintf("metric %q always has intervals", e.Name)
		case !e.Comparable():
			return fmt.Sprintf("metric %q has no interval: its value does not come from rows that could be drawn again", e.Name)
		}
		return ""
	})
}

// entries returns the named metrics of a registry, which must be different, and those of the
// named groups. wrong returns why a metric cannot be in the list, or "" if it can.
func (r *reader) entries(list []metricName, registry []metrics.Entry, groups []Group, wrong func(metrics.Entry) string) []metrics.Entry {
	places := make([][]metrics.Entry, len(list)) // of each name
	seen := map[string]bool{}
	for i := range list {
		name, at := list[i].name, list[i].at
		if !r.Sound(at) || groups != nil && IsGroup(name) {
			continue
		}
		entry, err := MatchMetric(registry, groups, name)
		switch {
		case err != nil:
			r.Errorf(at, "%v", err)
		case seen[entry.Name]:
			r.Errorf(at, "metric %q is listed twice", entry.Name)
		case wrong(entry) != "":
			r.Errorf(at, "%s", wrong(entry))
		default:
			seen[entry.Name], places[i] = true, []metrics.Entry{entry}
		}
	}
	for i := range list {
		name, at := list[i].name, list[i].at
		if !r.Sound(at) || groups == nil || !IsGroup(name) {
			continue
		}
		members, err := MembersOf(groups, name, registry, func(e metrics.Entry) string { return e.Name })
		if err != nil {
			r.Errorf(at, "%v", err)
			continue
		}
		places[i] = lists.Where(members, func(e metrics.Entry) bool { return !seen[e.Name] && wrong(e) == "" })
		for _, e := range places[i] {
			seen[e.Name] = true
		}
	}
	return slices.Concat(places...)
}

// baseline returns the method that the others are paired with: the named one, none
// for "none", and by default ts if the spec has it.
func (r *reader) baseline(d *document, s *Spec) string {
	known := s.MethodNames()
	if !r.Given(&d.Baseline) {
		if slices.Contains(known, "ts") {
			return "ts"
		}
		return ""
	}
	match, found := keyed.Match(d.Baseline, known)
	if !found && r.Sound(&d.Baseline) && d.Baseline != "none" && len(known) > 0 { // a spec without methods has an error of its own
		r.Errorf(&d.Baseline, "baseline %q is not among the methods%s", d.Baseline, keyed.Suggest(d.Baseline, known))
	}
	return match
}

// like returns the datasets of the paper that datasets of the spec are similar to.
func (r *reader) like(d *document, s *Spec) map[string]string {
	for i := range d.Like {
		r.Match(&d.Like[i].Value, r.known.Like, "the paper has no dataset %q")
	}
	return r.byDataset(d.Like, "like", s)
}

// byDataset returns a mapping whose names must be datasets of the spec.
func (r *reader) byDataset(given keyed.ByName[string], key string, s *Spec) map[string]string {
	if given == nil {
		return nil
	}
	known := Datasets([]*Spec{s})
	values := map[string]string{}
	for i := range given {
		x := &given[i]
		if !slices.Contains(known, x.Name) {
			r.Unknown(&x.Name, x.Name, key+" (datasets of the settings)", known)
		}
		values[x.Name] = x.Value
	}
	return values
}

// MethodNames returns the names of the methods in order.
func (s *Spec) MethodNames() []string {
	return lists.Values(s.Methods, func(m Method) string { return m.Name })
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
