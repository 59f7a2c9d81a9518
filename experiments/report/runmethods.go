package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/figure"
)

// added are methods of a run that its spec does not list: those that the Python package served.
// They have rows like the others.
type added struct {
	spec, names []string          // methods of the spec, and the added ones
	labels      map[string]string // in print, of the added ones
	target      []string          // those that see the domain that they are tested on
	shown       bool              // by some table
}

// addedTo returns the methods of records that the spec of these names does not list.
func addedTo(names []string, records []results.Record, methods []results.MethodInfo) added {
	a := added{spec: names}
	a.names = lists.Where(lists.Distinct(records, func(r results.Record) string { return r.Method }), func(m string) bool { return !slices.Contains(names, m) })
	a.labels, a.target = results.Labels(methods), results.Targets(methods)
	return a
}

// all reports whether a view shows all methods of the spec, as one does that names none.
func (a *added) all(shown []string) bool {
	return len(a.names) > 0 && !slices.ContainsFunc(a.spec, func(m string) bool { return !slices.Contains(shown, m) })
}

// table returns a table with the added methods, if it shows all of the spec.
func (a *added) table(t crosstab.Spec) crosstab.Spec {
	if !a.all(t.Only["method"]) {
		return t
	}
	a.shown = true
	t.Only, t.Labels = maps.Clone(t.Only), a.withLabels(t.Labels)
	t.Only["method"] = slices.Concat(t.Only["method"], a.names)
	for _, m := range a.names {
		if slices.Contains(a.target, m) {
			t.Target = append(slices.Clone(t.Target), m)
		}
	}
	return t
}

// figure returns a figure with the added methods, if it shows all of the spec and is no figure of
// two methods.
func (a *added) figure(f figure.Spec) figure.Spec {
	if f.Kind.Two || !a.all(f.Methods) {
		return f
	}
	f.Methods, f.Labels = slices.Concat(f.Methods, a.names), a.withLabels(f.Labels)
	return f
}

// withLabels returns labels and those of the added methods.
func (a *added) withLabels(labels map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, labels)
	for _, m := range a.names {
		all[m] = a.label(m)
	}
	return all
}

func (a *added) label(method string) string {
	if l := a.labels[method]; l != "" {
		return l
	}
	return method
}

// leftOut says which of the methods no table shows, and where they are.
func (a *added) leftOut(s, dir string) (format string, args []any) {
	if a.shown || len(a.names) == 0 {
		return "", nil
	}
	return "%s: no table shows %s, which the run added and the spec does not list, because all of them name their methods; a table without methods shows all of the run, and so do index.html and " + called.Command() + " compare --out %s",
		[]any{s, strings.Join(lists.Values(a.names, a.label), ", "), dir}
}
