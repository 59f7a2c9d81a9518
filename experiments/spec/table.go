package spec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
)

// tableItem is a table as it stands in the spec.
type tableItem struct {
	Name            string               `key:"name" as:"id" one:"table name" default:"the metric" help:"Part of the file names, after the name of the spec." example:"clean-ece"`
	Title           string               `key:"title" as:"line" default:"the title of the spec and the metric" help:"Caption." example:"ECE on clean images"`
	Metric          string               `key:"metric" required:"" of:"{values} time" pattern:"^ece_[0-9]+_(uniform|quantile)_(l1|l2|max)$" help:"A metric of the spec, as in results.csv, or time: the processor time of the fits, from times.csv." example:"ece"`
	Rows            []string             `key:"rows" of:"method {columns}" default:"dataset, backbone, and other columns that differ between settings, without seeds" help:"Columns of results.csv that name a row." example:"[dataset, backbone]"`
	Columns         string               `key:"columns" as:"single" of:"method {columns}" default:"method" help:"Column of results.csv whose values are the columns of the table." example:"severity"`
	Average         []string             `key:"average" of:"{columns}" default:"none" help:"Columns of results.csv that are averaged over. The seeds of a network are too, unless rows or columns name variant; numbers only over seeds have their standard deviation." example:"[corruption]"`
	Mean            bool                 `key:"mean" default:"false" help:"Adds a last row with the mean over the rows." example:"true"`
	Methods         []string             `key:"methods" one:"a method" default:"all methods of the spec" help:"Methods to show, in this order." example:"[uncal, ts, qats]"`
	Labels          keyed.ByName[string] `key:"labels" as:"line" one:"label of" default:"those of the spec and of the methods" help:"What is printed for ids of methods and settings." example:"{resnet50: RN-50}"`
	Highlight       string               `key:"highlight" as:"single" default:"none" help:"Prints the gap between this method and the best other one." example:"qats"`
	Unranked        []string             `key:"unranked" one:"a method" default:"none" help:"Methods that are shown and not ranked. Those that see rows of the test domain and base-rate never are." example:"[ts]"`
	ConsistencyBand bool                 `key:"consistency_band" default:"false" help:"Prints below each ECE or AECE its consistency band. Not with average." example:"true"`
	Interval        bool                 `key:"interval" default:"false" help:"Prints below each number its difference from the baseline on the same rows, with the interval of pairs.csv. Not with average." example:"true"`
	Paper           int                  `key:"paper" range:"1 to 10" want:"the paper has tables 1 to 10" default:"none" help:"Number of the paper's table that it reproduces, 1 to 10." example:"1"`
	filter
}

func (tableItem) About() (name, text string) {
	return "table", "A table of one metric. Its keys {columns} keep only the settings with the given values."
}

// filter is the part of a table or a figure that restricts which settings it shows. It has
// a key for each column of results.csv that names a setting.
type filter struct {
	Dataset    []string `key:"dataset" default:"all" help:"Shows only settings with these values." example:"cifar10"`
	Backbone   []string `key:"backbone" default:"all" help:"Shows only settings with these values." example:"resnet50"`
	Loss       []string `key:"loss" default:"all" help:"Shows only settings with these values." example:"ce"`
	Corruption []string `key:"corruption" default:"all" help:"Shows only settings with these values." example:"[fog, snow]"`
	Severity   []string `key:"severity" default:"all" help:"Shows only settings with these values." example:"5"`
	Variant    []string `key:"variant" default:"\"\", sets as they are, and seeds, if corruption is given; else all that count" help:"Shows only settings with these values. Without it, tables and figures of several settings leave out those with rescale or splits, unless they have no others or the rows, columns or average of a table name variant." example:"[rescale=0.5, rescale=2]"`
}

// only returns the filter of the columns that are given. A view of s that names corruptions, of
// which "" is none, and no variants shows sets as they are, of networks with several trainings all of them.
func (f *filter) only(s *Spec) results.Filter {
	all := results.Filter{"dataset": f.Dataset, "backbone": f.Backbone, "loss": f.Loss, "corruption": f.Corruption, "severity": f.Severity, "variant": f.Variant}
	if f.Corruption != nil && f.Variant == nil {
		trained := lists.Where(s.Settings, func(x Setting) bool { return x.Variant.Training > 0 })
		all["variant"] = append([]string{""}, lists.Distinct(trained, func(x Setting) string { return x.Variant.String() })...)
	}
	maps.DeleteFunc(all, func(_ string, values []string) bool { return values == nil })
	return all
}

// filter checks the variants that a view of s shows.
func (r *reader) filter(f *filter, s *Spec) {
	for i := range f.Variant {
		if _, err := results.ParseVariant(f.Variant[i]); err != nil {
			r.Errorf(&f.Variant[i], "variant: %v", err)
		}
	}
	for i, name := range f.Corruption {
		if variant := formerCorruption(name); variant != "" && !s.has("corruption", name) {
			r.Errorf(&f.Corruption[i], "corruption %q: this is no corruption, but a variant; write %s", name, variant)
		}
	}
}

// has reports whether a setting of s has a value in a column of results.csv.
func (s *Spec) has(column, value string) bool {
	return slices.ContainsFunc(s.Settings, func(x Setting) bool { return x.Column(column) == value })
}

// formerCorruption returns the filter in place of a corruption that specs of earlier versions
// named, and nothing for a corruption.
func formerCorruption(name string) string {
	factor, rescaled := strings.CutPrefix(name, "rescale-")
	switch {
	case rescaled:
		return "variant: rescale=" + factor
	case name == "split":
		return "variant: [split=1, split=2], with the numbers of the draws, and no severity"
	case name == "cal-shares":
		return "variant: test_shares=calibration"
	}
	return ""
}

// tables completes the listed tables. A spec without the list has a table of ECE
// and one of AECE.
func (r *reader) tables(d *document, s *Spec) []crosstab.Spec {
	if !r.Given(&d.Tables) {
		return defaultTables(s)
	}
	var all []crosstab.Spec
	for i := range d.Tables {
		item := &d.Tables[i]
		t, ok := r.table(item, s)
		if !ok {
			continue
		}
		for _, earlier := range all {
			if earlier.Name == t.Name {
				r.Errorf(item, "two tables are named %q; give one of them another name", cmp.Or(item.Name, item.Metric))
			}
			if t.Number > 0 && earlier.Number == t.Number {
				r.Errorf(item, "two tables are number %d of the paper, %s and %s", t.Number, earlier.Name, t.Name)
			}
		}
		all = append(all, t)
	}
	return all
}

// newTable returns a table with the properties that all tables of a spec share.
func newTable(s *Spec) crosstab.Spec {
	t := crosstab.Spec{Columns: "method", Labels: s.labels(), SettingLabels: maps.Clone(s.Labels), Only: results.Filter{}}
	for _, m := range s.Methods {
		switch c := m.Contract(); {
		case results.IsFloor(m.Entry.Name):
			t.Unranked = append(t.Unranked, m.Name)
		case c.Target != 0:
			t.Target = append(t.Target, m.Name)
		case !c.OODFree():
			t.OOD = append(t.OOD, m.Name)
		}
	}
	return t
}

// table checks the names in a table, and completes it.
func (r *reader) table(item *tableItem, s *Spec) (crosstab.Spec, bool) {
	before := r.Mistakes()
	columns, methods := results.SettingColumns(), s.MethodNames()
	placed := append([]string{"method"}, columns...)
	if !r.Given(&item.Metric) {
		r.Errorf(item, "a table needs a metric")
	}
	r.metric(&item.Metric, s, append(s.outputs(), results.TimeMetric))
	r.MatchAll(item.Rows, placed, "rows: unknown column %q")
	r.Match(&item.Columns, placed, "columns: unknown column %q")
	r.MatchAll(item.Average, columns, "average: unknown column %q")
	for _, list := range []*[]string{&item.Methods, &item.Unranked} {
		r.shown(list, s)
	}
	r.Match(&item.Highlight, methods, notInSpec)
	r.filter(&item.filter, s)
	t := newTable(s)
	r.labels(item.Labels, t, s)
	if !r.Sound(item) || r.Mistakes() > before {
		return t, false
	}
	t.Caption, t.Number, t.Metric = item.Title, item.Paper, item.Metric
	t.Rows, t.Columns, t.Average, t.Mean = item.Rows, cmp.Or(item.Columns, t.Columns), item.Average, item.Mean
	t.Highlight, t.Unranked = item.Highlight, append(t.Unranked, item.Unranked...)
	t.ConsistencyBand, t.Interval, t.Only = item.ConsistencyBand, item.Interval, item.only(s)
	name := cmp.Or(item.Name, item.Metric)
	t, err := complete(name, t, item.Methods, s)
	if err != nil {
		r.Errorf(item, "table %s: %v", name, err)
	}
	return t, err == nil
}

// shown replaces the methods of a view by those of the spec that they stand for. A group
// stands for those of its methods that the spec has under their registered names and that
// the view does not name itself.
func (r *reader) shown(list *[]string, s *Spec) {
	known := s.MethodNames()
	var all []string
	for i := range *list {
		name := &(*list)[i]
		if !IsGroup(*name) || !r.Sound(name) {
			r.Match(name, known, notInSpec)
			all = append(all, *name)
			continue
		}
		g, err := MatchGroup(r.known.MethodGroups, *name)
		if err != nil {
			r.Errorf(name, "%v", err)
			continue
		}
		members := lists.Where(g.Members(), func(m string) bool {
			return slices.Contains(known, m) && !slices.Contains(all, m) && !slices.Contains(*list, m)
		})
		if len(members) == 0 {
			r.Errorf(name, "this spec has no method of %s that the list does not name", g.Name)
		}
		all = append(all, members...)
	}
	if *list != nil {
		*list = all
	}
}

// notInSpec is the message about the name of a method in a view.
const notInSpec = "method %q is not in this spec"

// complete fills in the defaults of a table, and checks it.
func complete(name string, t crosstab.Spec, methods []string, s *Spec) (crosstab.Spec, error) {
	t.Name = s.Name + "-" + name
	t.Caption = cmp.Or(t.Caption, s.Heading()+": "+results.Name("metric", t.Metric))
	if e, ok := metricOf(s.Metrics, t.Metric); ok {
		t.Percent, t.Better = e.Percent, e.Better
	} else { // results.TimeMetric
		t.Better = metrics.Lower
	}
	if methods == nil {
		methods = s.MethodNames()
	}
	t.Only["method"] = methods
	if len(t.Rows) == 0 {
		t.Rows = varying(s, append([]string{t.Columns}, t.Average...))
		if t.Columns != "method" {
			t.Rows = append(t.Rows, "method")
		}
	}
	return t.Check()
}

// Heading is the title of the spec, or its name if it has no title.
func (s *Spec) Heading() string {
	return cmp.Or(s.Title, s.Name)
}

// OfPaper reports whether a table of the spec is one of the paper's.
func (s *Spec) OfPaper() bool {
	return slices.ContainsFunc(s.Tables, func(t crosstab.Spec) bool { return t.Number > 0 })
}

// labels adds labels for ids of methods and settings to a table. An id that a
// method and a setting share is the method.
func (r *reader) labels(given keyed.ByName[string], t crosstab.Spec, s *Spec) {
	dst := map[string]map[string]string{}
	for _, setting := range s.Settings {
		for _, column := range results.SettingColumns() {
			dst[setting.Column(column)] = t.SettingLabels
		}
	}
	delete(dst, "") // the value of a column that does not apply
	for _, m := range s.Methods {
		dst[m.Name] = t.Labels
	}
	for i := range given {
		x := &given[i]
		if labels := dst[x.Name]; labels != nil {
			labels[x.Name] = x.Value
		} else {
			r.Unknown(&x.Name, x.Name, "labels", slices.Collect(maps.Keys(dst)))
		}
	}
}

func defaultTables(s *Spec) []crosstab.Spec {
	var all []crosstab.Spec
	for _, metric := range []string{"ece", "aece"} {
		if _, ok := metricOf(s.Metrics, metric); ok {
			t := newTable(s)
			t.Metric = metric
			if slices.Contains(s.MethodNames(), "qats") {
				t.Highlight = "qats"
			}
			t, _ = complete(metric, t, nil, s)
			all = append(all, t)
		}
	}
	return all
}

// varying returns the columns that distinguish the settings of s, except those that
// have a place in the table already. Dataset and backbone are always among them. The variant is not
// where trains says so: a table has the means over seeds then, and leaves out what does not count.
func varying(s *Spec, placed []string) []string {
	var list []string
	for _, column := range results.SettingColumns() {
		always := column == "dataset" || column == "backbone"
		values := lists.Distinct(s.Settings, func(x Setting) string { return x.Column(column) })
		if column == "variant" && s.trains() {
			values = nil
		}
		if (always || len(values) > 1) && !slices.Contains(placed, column) {
			list = append(list, column)
		}
	}
	return list
}

// trains reports whether the settings of s that count are networks with several trainings, and networks without any: a row for
// each network has the mean over its seeds or the number of the one.
func (s *Spec) trains() bool {
	trained := map[results.Setting]bool{} // of each network: by seeds
	several := false
	for _, x := range s.Settings {
		if !results.Counts(x.Setting, nil) {
			continue
		}
		network, seeded := x.WithoutTraining(), x.Variant.Training > 0
		network.Variant = results.Variant{}
		if before, known := trained[network]; known && (!before || !seeded) {
			return false
		}
		trained[network] = seeded
		several = several || seeded
	}
	return several
}

// metric checks the metric of a view of s, and replaces it by the one that it stands for.
func (r *reader) metric(name *string, s *Spec, choices []string) {
	if !r.Sound(name) {
		return
	}
	match, known := keyed.Match(*name, choices)
	switch several := SeveralValues(*name, s.Metrics, choices); {
	case known:
		*name = match
	case several != "":
		r.Errorf(name, "metric %q %s", *name, several)
	default:
		text := keyed.Suggest(*name, choices)
		if e, registered := metricOf(r.known.Metrics, *name); registered {
			text = fmt.Sprintf(`: add %s to its metrics, as in metrics: ["@default", %s]`, e.Name, e.Name)
		}
		r.Errorf(name, "metric %q is not computed by this spec%s", *name, text)
	}
}
