package claims

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// book holds the numbers that predicates look up: those of the rows of the paper's tables, as
// printed or as measured, and, if measured, records and the bins of networks.
type book struct {
	rows    []row
	records map[results.Place]results.Record // nil for the printed numbers
	bins    []binned
	like    map[string]string // in a book of similar data sets: the paper's data set of each
	names   results.Names     // of data sets and networks
}

// row is a row of a table with its numbers; some may be missing.
type row struct {
	paper.Setting
	of     map[string]paper.Points // by label
	ranked []string                // labels to be ranked, without HFE
}

// newRow returns a row of a table with the numbers that have a value. A ranking needs all
// methods of the paper's row, if it is complete, or else is over the methods that have a number.
func newRow(s paper.Setting, printed []paper.Number, complete bool, value func(paper.Number) (paper.Points, bool)) row {
	r := row{Setting: s, of: map[string]paper.Points{}}
	for _, n := range printed {
		x, ok := value(n)
		if ok {
			r.of[n.Label] = x
		}
		if n.Ranked() && (ok || complete) {
			r.ranked = append(r.ranked, n.Label)
		}
	}
	return r
}

// printedBook has the numbers as printed.
func printedBook(publication *paper.Publication) *book {
	return &book{names: paper.Names(), rows: lists.Values(publication.Rows, func(r paper.Row) row {
		return newRow(r.Setting, r.Numbers, true, func(n paper.Number) (paper.Points, bool) { return n.Value, true })
	})}
}

// measuredBook has the numbers, the records and the bins that are measured on the paper's own networks.
func measuredBook(reproduced []Row, records map[results.Place]results.Record, bins []results.Bin) *book {
	b := &book{names: paper.Names(), records: map[results.Place]results.Record{}}
	for _, of := range reproduced {
		here := map[string]Cell{}
		for _, c := range of.Cells {
			here[c.Label] = c
		}
		b.rows = append(b.rows, newRow(of.Setting, lists.Values(of.Cells, func(c Cell) paper.Number { return c.Number }), true,
			func(n paper.Number) (paper.Points, bool) {
				c := here[n.Label]
				return c.Here, c.State == OK && c.Source == measured
			}))
	}
	own := map[results.Setting]bool{}
	for at, r := range records {
		if r.Status == results.OK && sourceOf(r) == measured {
			b.records[at] = r
			own[at.Setting] = true
		}
	}
	b.bins = uncalibrated(bins, func(s results.Setting) string {
		if !own[s] {
			return ""
		}
		return s.Experiment
	})
	return b
}

// similar reports whether the book is of similar data sets. A sentence about all settings is then
// about those in the book.
func (b *book) similar() bool { return b.like != nil }

// original returns the paper's data set: the set itself, or the one that it is
// similar to.
func (b *book) original(dataset string) string { return cmp.Or(b.like[dataset], dataset) }

// missing returns how many of the expected answers of a sentence are missing.
func (b *book) missing(all, answered int) int {
	if b.similar() {
		return 0
	}
	return max(0, all-answered)
}

// name names a row. In a book of similar data sets it always has the data set.
func (b *book) name(s paper.Setting) string {
	c := results.Setting{Dataset: s.Dataset, Backbone: s.Backbone, Loss: "ce", Corruption: s.Corruption, Severity: s.Severity}
	switch {
	case !b.similar():
		return s.Title()
	case s.Dataset == paper.Average:
		return b.names.Name("backbone", s.Backbone)
	case s.Corruption == paper.Average:
		c.Corruption = ""
		return fmt.Sprintf("%s, severity %d", b.cell(c), s.Severity)
	}
	return b.cell(c)
}

func (b *book) cell(c results.Setting) string { return b.names.Setting(c, ", ") }

// rowsOf returns the rows of tables that a predicate is about. A row of a similar data set is among
// them if that of the paper's data set is.
func (b *book) rowsOf(s selection) (list []row) {
	for _, t := range s.Tables {
		for _, r := range b.rows {
			if r.Table == t && (s.Dataset == nil || slices.Contains(s.Dataset, b.original(r.Dataset))) && (s.Backbone == nil || slices.Contains(s.Backbone, r.Backbone)) &&
				!(s.Single && r.IsAverage()) && (s.Severity == 0 || s.Severity == r.Severity) {
				list = append(list, r)
			}
		}
	}
	return list
}

func (r row) has(labels ...string) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { _, ok := r.of[l]; return !ok })
}

// lowest returns the method with the lowest number of some, the first of equal ones, and how many
// have a number. It returns nothing if none has one.
func (r row) lowest(of []string) (label string, found int) {
	for _, l := range of {
		if x, ok := r.of[l]; ok {
			if found++; label == "" || x < r.of[label] {
				label = l
			}
		}
	}
	return label, found
}

// others are the ranked methods but for QaTS.
func (r row) others() []string {
	return lists.Where(r.ranked, func(l string) bool { return l != "QaTS" })
}

// describe names a row with QaTS and the lowest number of the methods that a sentence is about.
func (b *book) describe(r row, of []string) string {
	text := b.name(r.Setting)
	if other, _ := r.lowest(of); other != "" && r.has("QaTS") {
		text += fmt.Sprintf(" (QaTS %s, %s %s)", r.of["QaTS"], other, r.of[other])
	}
	return text
}

// value returns a measured value.
func (b *book) value(c results.Setting, method, metric string) (float64, bool) {
	r, ok := b.records[results.PlaceOf(c, method, metric)]
	return r.Value, ok
}

// pair is the values of QaTS and of another method in a setting.
type pair struct {
	results.Setting
	qats, other float64
}

// pairs returns the settings of experiments with a measured metric of QaTS and of another
// method, in a fixed order.
func (b *book) pairs(metric, other string, experiments ...string) (list []pair) {
	for at, r := range b.records {
		y, ok := b.value(at.Setting, other, metric)
		if ok && at.Metric == metric && at.Method == "qats" && slices.Contains(experiments, at.Experiment) {
			list = append(list, pair{at.Setting, r.Value, y})
		}
	}
	slices.SortFunc(list, func(x, y pair) int {
		return cmp.Or(cmp.Compare(x.Experiment, y.Experiment), cmp.Compare(x.Dataset, y.Dataset), cmp.Compare(x.Backbone, y.Backbone),
			cmp.Compare(x.Loss, y.Loss), cmp.Compare(x.Corruption, y.Corruption), cmp.Compare(x.Severity, y.Severity), cmp.Compare(x.Variant.String(), y.Variant.String()))
	})
	return list
}
