package report

import (
	"slices"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Know adds to rows without a row of methods.csv what the registry knows of their methods: a folder of
// results.csv alone has labels too, and a method that sees the test domain is not ranked.
func Know(rows *results.Rows) {
	for _, id := range lists.Distinct(rows.Records, func(r results.Record) string { return r.Method }) {
		e, registered := all.Lookup(id)
		if !registered || slices.ContainsFunc(rows.Methods, func(m results.MethodInfo) bool { return m.Method == id }) {
			continue
		}
		m := spec.Method{Name: e.Name, Label: e.Label, Entry: e, Method: e.Method}
		rows.Methods = append(rows.Methods, m.Info(""))
	}
}
