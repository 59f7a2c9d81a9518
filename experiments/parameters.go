package experiments

import (
	"slices"

	"github.com/qats-bench/qats/results"
)

// parameterRows returns the rows of fits.csv of a cell, each with the columns of row:
// the parameters of its fit with their active bounds, then the other active bounds,
// then the warnings.
func parameterRows(row results.Parameter, s *scores) []results.Parameter {
	var list []results.Parameter
	text := func(s string) string { return s }
	bounds := slices.Clone(s.Report.AtBound)
	for _, p := range s.Parameters {
		r := row
		r.Name, r.Value, r.Bound = p.Name, p.Value, p.Bound
		bounds = slices.DeleteFunc(bounds, func(b string) bool { return b == p.Bound })
		list = append(list, r)
	}
	for _, b := range results.Distinct(bounds, text) {
		r := row
		r.Bound = b
		list = append(list, r)
	}
	for _, w := range results.Distinct(s.Report.Warnings, text) {
		r := row
		r.Warning = w
		list = append(list, r)
	}
	return list
}
