// Package crosstab declares the tables that a spec can ask for, without making them: which columns of results.csv are
// rows, columns and averages, and what is marked. Package results/table/pivot makes and prints them.
package crosstab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
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

// Dimensions are the columns that may make rows, columns or averages.
var Dimensions = slices.Concat([]string{"experiment"}, results.SettingColumns(), []string{"method"})

// Check returns the spec with its defaults filled in, or the first mistake in it.
func (s Spec) Check() (Spec, error) {
	if s.Columns == "" {
		s.Columns = "method"
	}
	if s.Metric == "" {
		return s, fmt.Errorf("no metric")
	}
	if len(s.Rows) == 0 {
		return s, fmt.Errorf("no rows; name one of %s", strings.Join(Dimensions, ", "))
	}
	place := map[string]string{}
	for _, part := range []struct {
		name    string
		columns []string
	}{{"rows", s.Rows}, {"columns", []string{s.Columns}}, {"average", s.Average}} {
		for _, c := range part.columns {
			if !slices.Contains(Dimensions, c) {
				return s, fmt.Errorf("%s: %q is none of %s", part.name, c, strings.Join(Dimensions, ", "))
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
		if !slices.Contains(Dimensions, c) {
			return fmt.Errorf("only: %q is none of %s", c, strings.Join(Dimensions, ", "))
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

// Variant is the column whose ids tell trainings of a network, draws of rows and other copies of a setting apart.
const Variant = "variant"

// JoinsSeeds reports whether the table makes one number of the trainings of a network: it says nothing else about variants.
func (s Spec) JoinsSeeds() bool {
	return s.Columns != Variant && !slices.Contains(s.Rows, Variant) && !slices.Contains(s.Average, Variant)
}

// Counts reports whether the table shows a setting beside others that count
// ([results.Counts]): it counts, or the table asks for variants by name, as rows, columns, an
// average or a filter.
func (s Spec) Counts(c results.Setting) bool {
	if _, named := s.Only[Variant]; named || !s.JoinsSeeds() {
		return true
	}
	return results.Counts(c, nil)
}

// MethodsAreRows reports whether methods make the rows. Rankings then run down a
// column.
func (s Spec) MethodsAreRows() bool { return slices.Contains(s.Rows, "method") }
