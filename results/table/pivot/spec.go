package pivot

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Spec describes one table. Rows, Columns and Average name columns of
// results.csv: experiment, dataset, backbone, loss, corruption, severity,
// method. Identifiers are those of the file; labels are for print only.
//
// Marks rank the rivals. These are the methods, as columns or as rows; where
// methods are neither, the columns are the rivals.
type Spec struct {
	Name    string // of the file, and of the LaTeX label "tab:<name>"
	Caption string // plain text
	Number  int    // of the table in the paper that this one reproduces; 0 for none
	Metric  string // id of the metric shown, or results.TimeMetric: seconds, which are printed as milliseconds

	Rows    []string // outermost first; at least one. Rows that share the first are grouped
	Columns string   // what the columns are; empty means method

	// Only keeps some of the records, by columns that may make rows. If such a
	// column makes rows or columns, the list is also their order; otherwise the
	// order is that of the file. A listed rival without records is shown empty.
	Only results.Filter

	// Labels are the labels of methods by id, and SettingLabels those of ids in the
	// other columns. They override the names that the package knows. A label of a
	// method does not apply to a dataset of the same id.
	Labels, SettingLabels map[string]string

	// Average names what each cell is the mean over, for example corruption. Unless Rows, Columns or Average name variant,
	// it is also the mean over the trainings of a network, which differ in the seed alone. A mean over these and nothing else
	// has their standard deviation.
	Average []string

	// Mean adds the mean over all settings: a last row, or a last column where
	// methods are rows.
	Mean bool

	Better    metrics.Direction // metrics that do not rank are shown without marks
	Percent   bool              // print 100 x value with two decimals; otherwise four decimals
	Unranked  []string          // rivals without marks and gaps; as columns they are shown last
	Highlight string            // id of the rival whose gap to the best other one is shown; empty for none

	// Target lists methods that see unlabelled samples of the domain that they
	// are tested on. They are shown and not ranked.
	Target []string

	// OOD lists methods that read out-of-distribution samples. Where a method of Target or
	// OOD is shown, the table says which methods are neither: these are OOD-free.
	OOD []string

	// ConsistencyBand prints below each number the 95 % range of the metric for a
	// perfectly calibrated model with the same confidences and the same n
	// (Broecker and Smith 2007), as recorded under <metric>_null_lo and
	// <metric>_null_hi. It cannot be combined with Average, because the band of a
	// mean is not the mean of the bands.
	ConsistencyBand bool

	// Interval prints below each number its difference from the baseline of the
	// experiment, with the paired 95 % interval of pairs.csv; see Pivot.Pair. It
	// cannot be combined with Average.
	Interval bool
}

// dimensions are the columns that may make rows, columns or averages.
var dimensions = slices.Concat([]string{"experiment"}, results.SettingColumns(), []string{"method"})

// value returns the text of r in one of the dimensions.
func value(r results.Record, column string) string {
	if column == "method" {
		return r.Method
	}
	return r.Column(column)
}

// Check returns the spec with its defaults filled in, or the first mistake in it.
func (s Spec) Check() (Spec, error) {
	if s.Columns == "" {
		s.Columns = "method"
	}
	if s.Metric == "" {
		return s, fmt.Errorf("no metric")
	}
	if len(s.Rows) == 0 {
		return s, fmt.Errorf("no rows; name one of %s", strings.Join(dimensions, ", "))
	}
	place := map[string]string{}
	for _, part := range []struct {
		name    string
		columns []string
	}{{"rows", s.Rows}, {"columns", []string{s.Columns}}, {"average", s.Average}} {
		for _, c := range part.columns {
			if !slices.Contains(dimensions, c) {
				return s, fmt.Errorf("%s: %q is none of %s", part.name, c, strings.Join(dimensions, ", "))
			}
			if before, twice := place[c]; twice {
				return s, fmt.Errorf("%s: %s is already in %s", part.name, c, before)
			}
			place[c] = part.name
		}
	}
	if place["method"] == "" && len(s.Only["method"]) > 1 {
		return s, fmt.Errorf("columns are %s and rows %s; add method to rows, or show one method", s.Columns, strings.Join(s.Rows, ", "))
	}
	if err := checkOnly(s.Only); err != nil {
		return s, err
	}
	if !slices.Contains([]metrics.Direction{metrics.Neutral, metrics.Lower, metrics.Higher, metrics.Target}, s.Better) {
		return s, fmt.Errorf("better: %q is neither lower, higher nor target", string(s.Better))
	}
	if s.Highlight != "" && !s.Better.Ranks() {
		return s, fmt.Errorf("highlight: %s has no better direction, so there is no gap to show", s.Metric)
	}
	if s.Metric == results.TimeMetric && (s.ConsistencyBand || s.Interval) {
		return s, fmt.Errorf("fit times have neither a consistency band nor an interval: remove consistency_band and interval")
	}
	if s.ConsistencyBand && len(s.Average) > 0 {
		return s, fmt.Errorf("consistency band and average: the band of an average is not the average of the bands")
	}
	if s.Interval && len(s.Average) > 0 {
		return s, fmt.Errorf("interval and average: pairs.csv has no intervals of averages")
	}
	return s, nil
}

// checkOnly checks the columns in order, so that the first error is always the
// same one.
func checkOnly(only results.Filter) error {
	for _, c := range slices.Sorted(maps.Keys(only)) {
		if !slices.Contains(dimensions, c) {
			return fmt.Errorf("only: %q is none of %s", c, strings.Join(dimensions, ", "))
		}
		if len(only[c]) == 0 {
			return fmt.Errorf("only: no value of %s is kept", c)
		}
		for i, id := range only[c] {
			if slices.Contains(only[c][:i], id) {
				return fmt.Errorf("only: %s %q is listed twice", c, id)
			}
		}
	}
	return nil
}

// variant is the column whose ids tell trainings of a network, draws of rows and other copies of a setting apart.
const variant = "variant"

// joinsSeeds reports whether the table makes one number of the trainings of a network: it says nothing else about variants.
func (s Spec) joinsSeeds() bool {
	return s.Columns != variant && !slices.Contains(s.Rows, variant) && !slices.Contains(s.Average, variant)
}

// counts reports whether the table shows a setting beside others that count
// ([results.Counts]): it counts, or the table asks for variants by name, as rows, columns, an
// average or a filter.
func (s Spec) counts(c results.Setting) bool {
	if _, named := s.Only[variant]; named || !s.joinsSeeds() {
		return true
	}
	return results.Counts(c, nil)
}

// methodsAreRows reports whether methods make the rows. Rankings then run down a
// column.
func (s Spec) methodsAreRows() bool { return slices.Contains(s.Rows, "method") }

// label returns the label of an id of a column.
func (s Spec) label(column, id string) string {
	labels := s.SettingLabels
	if column == "method" {
		labels = s.Labels
	}
	if l, ok := labels[id]; ok {
		return l
	}
	return table.Name(column, id)
}

// digits returns the number of decimals of the table.
func (s Spec) digits() int {
	if s.Metric == results.TimeMetric {
		return 2
	}
	return metrics.Entry{Percent: s.Percent}.Digits()
}

// print returns v as the table prints it.
func (s Spec) print(v float64) string { return s.printed(v, s.digits()) }

// printed returns a number as print does, with some digits after the point.
func (s Spec) printed(v float64, digits int) string {
	switch {
	case s.Percent:
		v *= 100
	case s.Metric == results.TimeMetric:
		v *= 1000
	}
	return table.Fixed(v, digits)
}

// signed returns a difference as the table prints it, with its sign.
func (s Spec) signed(v float64) string { return table.Plus(s.print(v)) }

// difference returns the printed number a minus the printed number b, with its
// sign.
func (s Spec) difference(a, b string) string {
	return table.Signed(table.Parse(a)-table.Parse(b), s.digits())
}
