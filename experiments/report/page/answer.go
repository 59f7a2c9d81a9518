package page

import (
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// answer is what a comparison says: [compare.View.Statement], or of the method that a trial has
// chosen.
type answer struct {
	ID, Source string // of the comparison
	Text       english.Text
}

// answersOf returns the answers of comparisons: those by the first metric, and the others.
func answersOf(f *results.Rows, list []comparison, o Options) (first, others []answer) {
	for _, c := range list {
		one := answer{c.ID, c.Source, statement(f, compare.View{Comparison: c.made, Labels: o.labels})}
		if c.made.Metric == list[0].made.Metric {
			first = append(first, one)
		} else {
			others = append(others, one)
		}
	}
	return first, others
}

func statement(f *results.Rows, v compare.View) english.Text {
	if chosen, by := chosenOf(f); chosen != "" {
		return v.Of(chosen, "was chosen on the calibration rows, by cross-fitted "+by)
	}
	return v.Statement()
}
