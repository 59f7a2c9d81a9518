package spec

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
)

// figures reads the list of figures.
func (r *reader) figures(n *yaml.Node, s *Spec) []plots.Spec {
	if n == nil {
		return nil
	}
	var all []plots.Spec
	r.list(n, func(item *yaml.Node) {
		f, ok := r.figure(item, s)
		if !ok {
			return
		}
		if slices.ContainsFunc(all, func(earlier plots.Spec) bool { return earlier.Name == f.Name }) {
			r.errorf(item, "two figures are named %q; give one of them another name", f.Name)
		}
		all = append(all, f)
	})
	return all
}

// figureItem is a figure as it stands in the spec.
type figureItem struct {
	plots.Spec
	metric *yaml.Node
}

// figureKeys are the keys of a figure of s. Only the Choices depend on the known metrics.
func (r *reader) figureKeys(f *figureItem, s *Spec, known []metrics.Entry) []Key {
	kind := func(v *yaml.Node) {
		kinds := figureKinds()
		var name string
		if r.choice(&name, "kind", kinds, "unknown kind of figure %q")(v); name != "" {
			f.Kind = plots.Registry()[slices.Index(kinds, name)]
		}
	}
	metric := func(v *yaml.Node) {
		f.metric = v
		f.Metrics = r.directed(v, s)
	}
	return slices.Concat([]Key{
		{Name: "name", Type: ID, read: r.text(&f.Name, "name"), Default: "the kind", Meaning: "Part of the file names, after the name of the spec.", Example: "reliability-clean"},
		{Name: "title", Type: Text, read: r.oneLine(&f.Caption, "title"), Default: "a sentence made by the kind", Meaning: "Caption.", Example: "Reliability on clean images"},
		{Name: "kind", Type: Text, read: kind, Required: true, Choices: figureKinds(), Meaning: "What is drawn.", Example: "reliability"},
		{Name: "methods", Type: Texts, read: r.methodsOf(&f.Methods, s), Default: "all methods of the spec", Meaning: "Methods to show, in this order.", Example: "[ts, qats]"},
		{Name: "metric", Type: Texts, read: metric, Choices: outputNames(known), Default: "ece; of rank-agreement all that have a direction and a value on at least four fifths of the settings, except accuracy, and ECE and AECE with other numbers of bins", Meaning: "A metric of the spec, as in results.csv, for the kinds " + strings.Join(plots.ByMetric(), ", ") + "; for rank-agreement a list of two or more.", Example: "nll"},
		{Name: "experiments", Type: IDs, read: r.ids(&f.Experiments, "experiment"), Default: "this spec", Meaning: "Experiments whose rows are shown, for kinds that show several settings.", Example: "[mine, shift]"},
	}, r.filterKeys(f.Only, s))
}

// figure reads one figure.
func (r *reader) figure(item *yaml.Node, s *Spec) (plots.Spec, bool) {
	f := figureItem{Spec: plots.Spec{Only: results.Filter{}, Labels: s.labels()}}
	before := len(r.errs)
	r.keys(item, "a figure", r.figureKeys(&f, s, nil))
	asTheyAre(f.Only)
	if len(r.errs) > before {
		return f.Spec, false
	}
	if f.Kind.Name == "" {
		r.errorf(item, "a figure needs a kind%s", Suggest("", figureKinds()))
		return f.Spec, false
	}
	if f.Kind.PerCell && f.Experiments != nil {
		r.errorf(item, "a %s figure shows one setting of this spec; experiments is for the kinds that show several settings", f.Kind.Name)
		return f.Spec, false
	}
	if what := wrongMetrics(f.Spec); what != "" {
		r.errorf(f.metric, "a %s figure %s", f.Kind.Name, what)
		return f.Spec, false
	}
	f.Name = cmp.Or(f.Name, f.Kind.Name)
	if f.Methods == nil {
		f.Methods = s.MethodNames()
	}
	if f.Experiments == nil {
		f.Experiments = []string{s.Name}
	}
	return f.Spec, r.id(item, "figure name", f.Name)
}

// wrongMetrics says what a kind of figure takes if the number of its metrics is wrong.
func wrongMetrics(f plots.Spec) string {
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

// directed reads metrics of a spec by which a method can be better than another.
func (r *reader) directed(n *yaml.Node, s *Spec) (list []string) {
	r.list(n, func(item *yaml.Node) {
		id, ok := r.metric(item, s, s.outputs())
		if e, _ := metricOf(s.Metrics, id); ok && e.Better == metrics.Neutral {
			r.errorf(item, "metric %q has no direction, so no method is better by it", id)
		}
		list = append(list, id)
	})
	return list
}
