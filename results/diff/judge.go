package diff

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Truth is the outcome of a predicate.
type Truth string

// A claim that no number bears on cannot be judged.
const (
	Holds    Truth = "holds"
	Fails    Truth = "does not hold"
	Unjudged Truth = "cannot be judged"
)

// Judgement is an outcome with the figures that it rests on.
type Judgement struct {
	Truth   Truth  `json:"verdict"`
	Figures string `json:"figures"`
}

// Judged is a claim with its two judgements.
type Judged struct {
	Quote, Where, Reading string
	Published, Measured   Judgement
}

// book is what a predicate may look up: the numbers of the paper's tables, as
// printed or as measured here, and, if measured, records.
type book struct {
	paper   *results.Publication // its rows
	values  map[valueID]results.Points
	records map[recordID]results.Record // nil for the published numbers
	like    map[string]string           // in a book of other data sets: the paper's that each is like
}

// asked is a data set of the paper: the set itself, or what it stands for.
func (b *book) asked(dataset string) string {
	if like, ok := b.like[dataset]; ok {
		return like
	}
	return dataset
}

// rest is how many of all things that a sentence is about have no answer. A
// book of other data sets has all that it is asked about.
func (b *book) rest(all, answered int) int {
	if b.like != nil {
		return 0
	}
	return max(0, all-answered)
}

// complete reports whether a ranking needs all methods of the paper's row. Other
// data sets have no such row: there it is over the methods that have a number.
func (b *book) complete() bool { return b.like == nil }

// name is what a row is about; other data sets are named in full.
func (b *book) name(s results.PublishedSetting) string {
	c := results.Cell{Dataset: s.Dataset, Backbone: s.Backbone, Loss: "ce", Corruption: s.Corruption, Severity: s.Severity}
	switch {
	case b.like == nil:
		return table.Setting(s)
	case s.Dataset == results.Average:
		return table.Name("backbone", s.Backbone)
	case s.Corruption == results.Average:
		c.Corruption = ""
		return fmt.Sprintf("%s, severity %d", cellName(c), s.Severity)
	}
	return cellName(c)
}

type valueID struct {
	setting results.PublishedSetting
	label   string
}

// predicate judges a claim on a book.
type predicate func(*book) Judgement

// judge runs every claim over the published and the measured numbers.
func judge(paper *results.Publication, settings []Setting, records []results.Record) []Judged {
	published := publishedBook(paper)
	measured := &book{paper: paper, values: map[valueID]results.Points{}, records: map[recordID]results.Record{}}
	for _, s := range settings {
		for _, c := range s.Cells {
			id := valueID{c.PublishedSetting, c.Label}
			if c.State == OK && c.Source == "measured" {
				measured.values[id] = c.Here
			}
		}
	}
	for id, r := range index(records) {
		if r.Status == results.OK && r.Source == "measured" {
			measured.records[id] = r
		}
	}
	return judgeBoth(published, measured)
}

func judgeBoth(published, measured *book) []Judged {
	var list []Judged
	for _, c := range claims() {
		list = append(list, Judged{
			Quote: c.quote, Where: c.where, Reading: c.reading,
			Published: c.published(published), Measured: c.measured(measured),
		})
	}
	return list
}

// publishedBook holds the numbers as printed.
func publishedBook(paper *results.Publication) *book {
	b := &book{paper: paper, values: map[valueID]results.Points{}}
	for _, r := range paper.Rows {
		for _, p := range r.Numbers {
			b.values[valueID{r.PublishedSetting, p.Label}] = p.Value
		}
	}
	return b
}

// values of a row; some may be missing.
type values struct {
	of     map[string]results.Points
	ranked []string // labels of the row to be ranked, HFE not
}

func (b *book) row(r results.PublishedRow) values {
	v := values{of: map[string]results.Points{}}
	for _, p := range r.Numbers {
		x, ok := b.values[valueID{r.PublishedSetting, p.Label}]
		if ok {
			v.of[p.Label] = x
		}
		if p.Ranked() && (ok || b.complete()) {
			v.ranked = append(v.ranked, p.Label)
		}
	}
	return v
}

// rows returns the rows of tables that are kept; nil keeps all. Whether to keep
// a row of another data set is asked of the set that it is like.
func (b *book) rows(keep func(results.PublishedSetting) bool, tables ...string) []results.PublishedRow {
	var list []results.PublishedRow
	for _, t := range tables {
		for _, r := range b.paper.Table(t) {
			s := r.PublishedSetting
			if s.Dataset = b.asked(s.Dataset); keep == nil || keep(s) {
				list = append(list, r)
			}
		}
	}
	return list
}

func (v values) has(labels ...string) bool {
	for _, l := range labels {
		if _, ok := v.of[l]; !ok {
			return false
		}
	}
	return true
}

// answer is what one row says about a sentence.
type answer int

const (
	open  answer = iota // a number is missing
	aside               // the sentence is not about the row
	yes
	no
)

func when(so bool) answer {
	if so {
		return yes
	}
	return no
}

// qatsLowest asks whether no ranked method is below QaTS. One method below
// answers it; otherwise all have to be there.
func qatsLowest(v values) answer { return lowestAmong(v, v.ranked) }

func lowestAmong(v values, labels []string) answer {
	qats, ok := v.of["QaTS"]
	if !ok || len(labels) < 2 {
		return open
	}
	found := yes
	for _, l := range labels {
		switch x, ok := v.of[l]; {
		case !ok:
			found = open
		case x < qats:
			return no
		}
	}
	return found
}

// below asks whether QaTS is strictly below each of the methods.
func below(labels ...string) func(values) answer {
	return func(v values) answer {
		for _, l := range labels {
			if v.has("QaTS", l) && v.of["QaTS"] >= v.of[l] {
				return no
			}
		}
		if !v.has(append(labels, "QaTS")...) {
			return open
		}
		return yes
	}
}

// tally counts answers; exceptions are described.
type tally struct {
	yes, no, open, aside int
	exceptions           []string
}

func (t *tally) add(a answer, exception string) {
	switch a {
	case yes:
		t.yes++
	case no:
		t.no++
		t.exceptions = append(t.exceptions, exception)
	case open:
		t.open++
	case aside:
		t.aside++
	}
}

// all judges a sentence about every counted thing, save so many exceptions.
// Missing ones can leave it open and cannot confirm it.
func (t *tally) all(what string, allowed int) Judgement {
	switch {
	case t.yes+t.no+t.open == 0 && t.aside > 0:
		return Judgement{Holds, "there are no " + what}
	case t.yes+t.no == 0:
		return Judgement{Unjudged, none(what)}
	}
	j := Judgement{Holds, fmt.Sprintf("%d of %d %s", t.yes, t.yes+t.no, what)}
	if t.open > 0 {
		j = Judgement{Unjudged, fmt.Sprintf("%s; numbers are missing in %d more", j.Figures, t.open)}
	}
	if t.no > allowed {
		j.Truth = Fails
	}
	const shown = 3
	if len(t.exceptions) > 0 {
		list := t.exceptions[:min(shown, len(t.exceptions))]
		j.Figures += "; not " + strings.Join(list, "; ")
		if more := len(t.exceptions) - len(list); more > 0 {
			j.Figures += fmt.Sprintf("; and %d more", more)
		}
	}
	return j
}

func none(what string) string { return "no numbers for these " + what }

// every judges a sentence about rows.
func every(what string, allowed int, keep func(results.PublishedSetting) bool, ask func(values) answer, tables ...string) predicate {
	return func(b *book) Judgement {
		var t tally
		for _, r := range b.rows(keep, tables...) {
			v := b.row(r)
			t.add(ask(v), b.describe(r.PublishedSetting, v))
		}
		return t.all(what, allowed)
	}
}

// describe shows QaTS and the lowest other ranked number of a row.
func (b *book) describe(s results.PublishedSetting, v values) string {
	other := ""
	for _, l := range v.ranked {
		if x, ok := v.of[l]; ok && l != "QaTS" && (other == "" || x < v.of[other]) {
			other = l
		}
	}
	text := b.name(s)
	if v.has("QaTS") && other != "" {
		text += fmt.Sprintf(" (QaTS %s, %s %s)", v.of["QaTS"], other, v.of[other])
	}
	return text
}

// both requires two predicates of which the second shows the figures of an
// exact sentence.
func both(first, second predicate) predicate {
	return func(b *book) Judgement {
		x, y := first(b), second(b)
		j := Judgement{Holds, x.Figures + "; " + y.Figures}
		switch {
		case x.Truth == Fails || y.Truth == Fails:
			j.Truth = Fails
		case x.Truth == Unjudged || y.Truth == Unjudged:
			j.Truth = Unjudged
		}
		return j
	}
}

// unprinted is the judgement of a claim whose numbers no table holds.
func unprinted(why string) predicate {
	return func(*book) Judgement { return Judgement{Unjudged, why} }
}

func on(dataset string) func(results.PublishedSetting) bool {
	return func(s results.PublishedSetting) bool { return s.Dataset == dataset }
}

// corruptions keeps the rows of single corruptions; a severity of 0 keeps all.
func corruptions(severity int) func(results.PublishedSetting) bool {
	return func(s results.PublishedSetting) bool {
		return !s.IsAverage() && (severity == 0 || s.Severity == severity)
	}
}
