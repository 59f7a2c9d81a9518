package spec

import (
	"cmp"
	"slices"

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

// figure reads one figure.
func (r *reader) figure(item *yaml.Node, s *Spec) (plots.Spec, bool) {
	f := plots.Spec{Only: results.Filter{}, Labels: s.labels()}
	kinds := plots.Registry()
	names := figureKinds()
	before := len(r.errs)
	fields := r.only(f.Only)
	fields["name"] = r.text(&f.Name, "name")
	fields["title"] = r.text(&f.Caption, "title")
	fields["kind"] = func(v *yaml.Node) {
		name, ok := r.scalar(v, "kind")
		if match, found := Match(name, names); ok && found {
			f.Kind = kinds[slices.Index(names, match)]
		} else if ok {
			r.errorf(v, "unknown kind of figure %q%s", name, Suggest(name, names))
		}
	}
	fields["methods"] = r.methodsOf(&f.Methods, s)
	var metric *yaml.Node
	fields["metric"] = func(v *yaml.Node) {
		metric = v
		f.Metrics = r.directed(v, s)
	}
	fields["experiments"] = r.ids(&f.Experiments, "experiment")
	r.object(item, "a figure", fields)
	if len(r.errs) > before {
		return f, false
	}
	if f.Kind.Name == "" {
		r.errorf(item, "a figure needs a kind%s", Suggest("", names))
		return f, false
	}
	if f.Kind.PerCell && f.Experiments != nil {
		r.errorf(item, "a %s figure shows one setting of this spec; experiments is for the kinds that show several settings", f.Kind.Name)
		return f, false
	}
	if what := wrongMetrics(f); what != "" {
		r.errorf(metric, "a %s figure %s", f.Kind.Name, what)
		return f, false
	}
	f.Name = cmp.Or(f.Name, f.Kind.Name)
	if f.Methods == nil {
		f.Methods = s.methodNames()
	}
	if f.Experiments == nil {
		f.Experiments = []string{s.Name}
	}
	return f, r.id(item, "figure name", f.Name)
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
		id, ok := r.scalar(item, "metric")
		if !ok {
			return
		}
		match, known := Match(id, s.outputs())
		if !known {
			r.notComputed(item, id, s, s.outputs())
		} else if e, _ := metricOf(s.Metrics, match); e.Better == metrics.Neutral {
			r.errorf(item, "metric %q has no direction, so no method is better by it", match)
		}
		list = append(list, match)
	})
	return list
}
