package spec

import (
	"cmp"
	"maps"
	"slices"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/figure"
)

// figureItem is a figure as it stands in the spec.
type figureItem struct {
	Name        string               `key:"name" as:"id" one:"figure name" default:"the kind" help:"Part of the file names, after the name of the spec." example:"reliability-clean"`
	Title       string               `key:"title" as:"line" default:"none" help:"Beginning of the caption, before the sentence that the kind makes." example:"Reliability on clean images"`
	Kind        string               `key:"kind" required:"" of:"{kinds}" help:"What is drawn." example:"reliability"`
	Methods     []string             `key:"methods" one:"a method" default:"all methods of the spec" help:"Methods to show, in this order." example:"[ts, qats]"`
	Metric      []string             `key:"metric" of:"{values}" pattern:"^ece_[0-9]+_(uniform|quantile)_(l1|l2|max)$" default:"ece; of dominance accuracy; of rank-agreement all that have a direction and a value on at least four fifths of the settings, except accuracy, and ECE and AECE with other numbers of bins" help:"A metric of the spec, as in results.csv, for the kinds {metric-kinds}; for rank-agreement a list of two or more." example:"nll"`
	Labels      keyed.ByName[string] `key:"labels" as:"line" one:"label of" default:"those of the spec and of the methods" help:"What is printed for ids of methods and settings." example:"{uncal: Before calibration}"`
	Heading     string               `key:"heading" as:"line" default:"made by the kind" help:"The line above the figure; \"\" for none." example:"CIFAR-10"`
	Width       float64              `key:"width" range:"1.5 to 40" want:"a width is 1.5 to 40 inches" default:"3.3 or 6.9, one or both columns of a paper" help:"Width in inches. Text keeps its size." example:"5"`
	Height      float64              `key:"height" range:"1 to 40" want:"a height is 1 to 40 inches" default:"made by the kind" help:"Height in inches, for the kinds with one panel: {panel-kinds}." example:"3"`
	Experiments []string             `key:"experiments" as:"id" one:"experiment" nonempty:"" default:"this spec" help:"Experiments whose rows are shown, for kinds that show several settings." example:"[mine, shift]"`
	filter
}

func (figureItem) About() (name, text string) {
	return "figure", "A figure. Its keys {columns} keep only the settings with the given values. Kinds that show one setting are drawn once for each setting."
}

// figures completes the listed figures.
func (r *reader) figures(items []figureItem, s *Spec) []figure.Spec {
	var all []figure.Spec
	for i := range items {
		f, ok := r.figure(&items[i], s)
		if !ok {
			continue
		}
		if slices.ContainsFunc(all, func(earlier figure.Spec) bool { return earlier.Name == f.Name }) {
			r.Errorf(&items[i], "two figures are named %q; give one of them another name", f.Name)
		}
		all = append(all, f)
	}
	return all
}

// figure checks the names in a figure, and completes it.
func (r *reader) figure(item *figureItem, s *Spec) (figure.Spec, bool) {
	before := r.Mistakes()
	kinds, _, _ := figureKinds()
	if !r.Given(&item.Kind) {
		r.Errorf(item, "a figure needs a kind%s", keyed.Suggest("", kinds))
	}
	r.Match(&item.Kind, kinds, "unknown kind of figure %q")
	r.shown(&item.Methods, s)
	for i := range item.Metric {
		r.directed(&item.Metric[i], s)
	}
	r.filter(&item.filter, s)
	if !r.Sound(item) || r.Mistakes() > before {
		return figure.Spec{}, false
	}
	labels := crosstab.Spec{Labels: s.labels(), SettingLabels: maps.Clone(s.Labels)}
	r.labels(item.Labels, labels, s)
	f := figure.Spec{
		Name: cmp.Or(item.Name, item.Kind), Kind: figure.Kinds()[slices.Index(kinds, item.Kind)], Caption: item.Title,
		Metrics: item.Metric, Methods: item.Methods, Labels: labels.Labels, SettingLabels: labels.SettingLabels, Width: item.Width, Height: item.Height, Experiments: item.Experiments, Only: item.only(s),
	}
	if r.Given(&item.Heading) {
		f.Heading = &item.Heading
	}
	if f.Height != 0 && !f.Kind.Stretches {
		r.Errorf(&item.Height, "the rows and panels of a %s figure decide its height; give only a width", f.Kind.Name)
	}
	if f.Kind.PerSetting && f.Experiments != nil {
		r.Errorf(item, "a %s figure shows one setting of this spec; experiments is for the kinds that show several settings", f.Kind.Name)
	}
	if what := wrongMetrics(f); what != "" {
		r.Errorf(&item.Metric, "a %s figure %s", f.Kind.Name, what)
	}
	if f.Methods == nil {
		f.Methods = s.MethodNames()
	}
	if f.Experiments == nil {
		f.Experiments = []string{s.Name}
	}
	return f, r.Mistakes() == before
}

// wrongMetrics says what a kind of figure takes if the number of its metrics is wrong.
func wrongMetrics(f figure.Spec) string {
	switch most := f.Kind.Metrics; {
	case f.Metrics == nil || most < 0 && len(f.Metrics) > 1:
	case most == 0:
		return "has no choice of a metric"
	case most < 0:
		return "compares two metrics or more"
	case len(f.Metrics) > most:
		return "shows one metric"
	}
	return ""
}

// directed checks a metric by which a method must be better than another.
func (r *reader) directed(name *string, s *Spec) {
	r.metric(name, s, s.outputs())
	if e, ok := metricOf(s.Metrics, *name); ok && !e.Better.Ranks() {
		r.Errorf(name, "metric %q has no direction, so no method is better by it", *name)
	}
}
