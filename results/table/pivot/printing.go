package pivot

import (
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/table"
)

// printing prints the numbers and the names of a table.
type printing struct{ crosstab.Spec }

// value returns the text of r in one of the crosstab.Dimensions.
func value(r results.Record, column string) string {
	if column == "method" {
		return r.Method
	}
	return r.Column(column)
}

// label returns the label of an id of a column.
func (s printing) label(column, id string) string {
	labels := s.SettingLabels
	if column == "method" {
		labels = s.Labels
	}
	if l, ok := labels[id]; ok {
		return l
	}
	return results.Name(column, id)
}

// digits returns the number of decimals of the table.
func (s printing) digits() int {
	if s.Metric == results.TimeMetric {
		return 2
	}
	return metrics.Entry{Percent: s.Percent}.Digits()
}

// print returns v as the table prints it.
func (s printing) print(v float64) string { return s.printed(v, s.digits()) }

// printed returns a number as print does, with some digits after the point.
func (s printing) printed(v float64, digits int) string {
	switch {
	case s.Percent:
		v *= 100
	case s.Metric == results.TimeMetric:
		v *= 1000
	}
	return table.Fixed(v, digits)
}

// signed returns a difference as the table prints it, with its sign.
func (s printing) signed(v float64) string { return table.Plus(s.print(v)) }

// difference returns the printed number a minus the printed number b, with its
// sign.
func (s printing) difference(a, b string) string {
	return table.Signed(table.Parse(a)-table.Parse(b), s.digits())
}
