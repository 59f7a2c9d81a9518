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
	bounds := slices.Clone(s.Report.AtBound)
	for _, p := range s.Parameters {
		r := row
		r.Name, r.Value, r.Bound = p.Name, p.Value, p.Bound
		bounds = slices.DeleteFunc(bounds, func(b string) bool { return b == p.Bound })
		list = append(list, r)
	}
	for _, b := range distinct(bounds) {
		r := row
		r.Bound = b
		list = append(list, r)
	}
	for _, w := range distinct(s.Report.Warnings) {
		r := row
		r.Warning = w
		list = append(list, r)
	}
	return list
}

// distinct returns the different texts in the order of their first place.
func distinct(list []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}
