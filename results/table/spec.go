package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Better says which values win.
type Better = metrics.Direction

// Neutral metrics are shown without marks.
const (
	Neutral = metrics.Neutral
	Lower   = metrics.Lower
	Higher  = metrics.Higher
)

// Spec describes one table. Rows, Columns and the rest name columns of
// results.csv: experiment, dataset, backbone, loss, corruption, severity,
// method. Identifiers are those of the file; labels are only for print.
//
// The rivals, which marks rank, are the methods, be they columns or rows.
// Where they are neither, the columns are the rivals.
type Spec struct {
	Name    string // of the file, and of the LaTeX label "tab:<name>"
	Caption string // plain text
	Number  int    // of the table in the paper that this one reproduces; 0 for none
	Metric  string // id of the metric shown

	Rows    []string // outermost first; at least one. Rows that share the first are grouped
	Columns string   // what the columns are; empty means method

	// Only keeps the records whose column is in the list. If the column makes
	// rows or columns, the list is also their order; without one the order is
	// that of the file. A listed rival without records is shown empty.
	Only map[string][]string

	Labels map[string]string // id -> label, before the names that the package knows

	Average []string // each cell is the mean over these, for example corruption

	// Mean adds the mean over all settings: a last row, or a last column where
	// methods make the rows.
	Mean bool

	Better    Better
	Percent   bool     // print 100 x value with two decimals; otherwise four decimals
	Unranked  []string // rivals that take no part in marks and gaps; columns of them are shown last
	Gap       bool     // show the gap of the highlighted rival
	Highlight string   // id of that rival; empty means the last ranked one

	// Target are methods that see unlabelled samples of the domain that they
	// are tested on. Where one is shown, so is which methods do without.
	Target []string

	// NullBand prints beneath each number what a perfectly calibrated model
	// with the same confidences scores at the same n, as recorded under
	// <metric>_null_lo and <metric>_null_hi. Not with Average: the band of a
	// mean is not the mean of the bands.
	NullBand bool
}

// columns that may make rows, columns or averages.
var dimensions = []string{"experiment", "dataset", "backbone", "loss", "corruption", "severity", "method"}

// value returns the field of r in a column of dimensions.
func value(r results.Record, column string) string {
	switch column {
	case "experiment":
		return r.Experiment
	case "dataset":
		return r.Dataset
	case "backbone":
		return r.Backbone
	case "loss":
		return r.Loss
	case "corruption":
		return r.Corruption
	case "severity":
		if r.Severity == 0 {
			return ""
		}
		return strconv.Itoa(r.Severity)
	}
	return r.Method
}

// check returns the spec with its defaults filled in.
func (s Spec) check() (Spec, error) {
	if s.Columns == "" {
		s.Columns = "method"
	}
	if s.Metric == "" {
		return s, fmt.Errorf("no metric")
	}
	if len(s.Rows) == 0 {
		return s, fmt.Errorf("no rows; name one of %s", strings.Join(dimensions, ", "))
	}
	used := map[string]string{}
	for _, part := range []struct {
		name    string
		columns []string
	}{{"rows", s.Rows}, {"columns", []string{s.Columns}}, {"average", s.Average}} {
		for _, c := range part.columns {
			if !slices.Contains(dimensions, c) {
				return s, fmt.Errorf("%s: %q is none of %s", part.name, c, strings.Join(dimensions, ", "))
			}
			if before, twice := used[c]; twice {
				return s, fmt.Errorf("%s: %s is already in %s", part.name, c, before)
			}
			used[c] = part.name
		}
	}
	for _, c := range sortedKeys(s.Only) {
		if !slices.Contains(dimensions, c) {
			return s, fmt.Errorf("only: %q is none of %s", c, strings.Join(dimensions, ", "))
		}
		if len(s.Only[c]) == 0 {
			return s, fmt.Errorf("only: no value of %s is kept", c)
		}
		for i, id := range s.Only[c] {
			if slices.Contains(s.Only[c][:i], id) {
				return s, fmt.Errorf("only: %s %q is listed twice", c, id)
			}
		}
	}
	if !slices.Contains([]Better{Neutral, Lower, Higher}, s.Better) {
		return s, fmt.Errorf("better: %q is neither lower nor higher", string(s.Better))
	}
	if s.Gap && s.Better == Neutral {
		return s, fmt.Errorf("gap: neither lower nor higher is better")
	}
	if s.NullBand && len(s.Average) > 0 {
		return s, fmt.Errorf("null band: the band of an average is not the average of the bands")
	}
	return s, nil
}

// sortedKeys returns the keys of m in order, so that the first error is always
// the same one.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// down reports whether methods make the rows, and are ranked down a column.
func (s Spec) down() bool { return slices.Contains(s.Rows, "method") }

// label returns what is printed for an id of a column.
func (s Spec) label(column, id string) string {
	if l, ok := s.Labels[id]; ok {
		return l
	}
	return Name(column, id)
}

// digits returns the number of decimals.
func (s Spec) digits() int { return metrics.Entry{Percent: s.Percent}.Digits() }

// print returns v with the decimals of the table.
func (s Spec) print(v float64) string {
	if s.Percent {
		v *= 100
	}
	return fixed(v, s.digits())
}

// difference returns the signed difference of two printed numbers.
func (s Spec) difference(a, b string) string {
	text := fixed(number(a)-number(b), s.digits())
	if number(text) > 0 {
		text = "+" + text
	}
	return text
}

// fixed prints v with so many decimals and no negative zero.
func fixed(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// number reads back what fixed printed.
func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}
