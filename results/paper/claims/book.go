package claims

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table"
)

// book holds the numbers that predicates look up: the numbers of the paper's
// tables, as printed or as measured, and, if measured, records.
type book struct {
	publication *paper.Publication // its rows
	values      map[valueID]paper.Points
	records     map[results.Place]results.Record // nil for the printed numbers
	like        map[string]string                // in a book of similar data sets: the paper's data set of each
}

type valueID struct {
	setting paper.Setting
	label   string
}

// printedBook has the numbers as printed.
func printedBook(publication *paper.Publication) *book {
	b := &book{publication: publication, values: map[valueID]paper.Points{}}
	for _, r := range publication.Rows {
		for _, n := range r.Numbers {
			b.values[valueID{r.Setting, n.Label}] = n.Value
		}
	}
	return b
}

// original returns the paper's data set: the set itself, or the one that it is
// similar to.
func (b *book) original(dataset string) string {
	if like, ok := b.like[dataset]; ok {
		return like
	}
	return dataset
}

// missing returns how many of the expected answers of a sentence are missing. In a
// book of similar data sets it is 0: a sentence about all settings is about those
// in the book.
func (b *book) missing(all, answered int) int {
	if b.like != nil {
		return 0
	}
	return max(0, all-answered)
}

// complete reports whether a ranking needs all methods of the paper's row. In a
// book of similar data sets it is over the methods that have a number.
func (b *book) complete() bool { return b.like == nil }

// name names a row. In a book of similar data sets it always has the data set.
func (b *book) name(s paper.Setting) string {
	c := results.Setting{Dataset: s.Dataset, Backbone: s.Backbone, Loss: "ce", Corruption: s.Corruption, Severity: s.Severity}
	switch {
	case b.like == nil:
		return s.Title(table.Name)
	case s.Dataset == paper.Average:
		return table.Name("backbone", s.Backbone)
	case s.Corruption == paper.Average:
		c.Corruption = ""
		return fmt.Sprintf("%s, severity %d", cellName(c), s.Severity)
	}
	return cellName(c)
}

func cellName(c results.Setting) string { return table.PaperSettingName(c, ", ") }

// rows returns the rows of tables that keep accepts; nil keeps all. A row of a
// similar data set is kept if that of the paper's data set is.
func (b *book) rows(keep func(paper.Setting) bool, tables ...string) []paper.Row {
	var list []paper.Row
	for _, t := range tables {
		for _, r := range b.publication.Table(t) {
			s := r.Setting
			if s.Dataset = b.original(s.Dataset); keep == nil || keep(s) {
				list = append(list, r)
			}
		}
	}
	return list
}

// values are the numbers of a row; some may be missing.
type values struct {
	of     map[string]paper.Points // by label
	ranked []string                // labels to be ranked, without HFE
}

func (b *book) row(r paper.Row) values {
	v := values{of: map[string]paper.Points{}}
	for _, n := range r.Numbers {
		x, ok := b.values[valueID{r.Setting, n.Label}]
		if ok {
			v.of[n.Label] = x
		}
		if n.Ranked() && (ok || b.complete()) {
			v.ranked = append(v.ranked, n.Label)
		}
	}
	return v
}

func (v values) has(labels ...string) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { _, ok := v.of[l]; return !ok })
}

// lowestOther returns the method other than QaTS with the lowest number, of the given ones or,
// without any, of all that are ranked. It returns nothing if none has a number.
func (v values) lowestOther(of ...string) string {
	other := ""
	if of == nil {
		of = v.ranked
	}
	for _, l := range of {
		if x, ok := v.of[l]; ok && l != "QaTS" && (other == "" || x < v.of[other]) {
			other = l
		}
	}
	return other
}

// describe names a row with QaTS and the lowest number of the methods that a sentence is about:
// of those given, or of all others that are ranked.
func (b *book) describe(s paper.Setting, v values, of []string) string {
	text := b.name(s)
	if other := v.lowestOther(of...); v.has("QaTS") && other != "" {
		text += fmt.Sprintf(" (QaTS %s, %s %s)", v.of["QaTS"], other, v.of[other])
	}
	return text
}
