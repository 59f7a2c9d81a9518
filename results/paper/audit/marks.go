package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results/paper"
)

// ranking is the ranked numbers of a row that should have a mark.
type ranking struct{ best, second []paper.Number }

// rank returns the lowest and the next lowest ranked numbers of a row. Equal
// printed numbers share a place.
func rank(row paper.Row) ranking {
	var values []paper.Points
	for _, p := range row.Ranked() {
		values = append(values, p.Value)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	at := func(place int) []paper.Number {
		return slices.DeleteFunc(row.Ranked(), func(p paper.Number) bool { return place >= len(values) || p.Value != values[place] })
	}
	return ranking{at(0), at(1)}
}

// marked returns the numbers of a row, HFE included, that have a mark.
func marked(row paper.Row, mark paper.Mark) []paper.Number {
	return slices.DeleteFunc(slices.Clone(row.Numbers), func(p paper.Number) bool { return p.Mark != mark })
}

func (a *audit) bestMarks() {
	for _, row := range a.publication.Rows {
		a.mark(BestMark, BestMissing, row, marked(row, paper.Bold), rank(row).best)
	}
}

func (a *audit) secondMarks() {
	for _, row := range a.publication.Rows {
		r := rank(row)
		if slices.Equal(marked(row, paper.Bold), r.best) && a.underlines(row.Table) {
			a.mark(SecondMark, SecondMissing, row, marked(row, paper.Underline), r.second)
		}
	}
}

// mark compares the marked numbers of a row with those that should be marked. A mark on
// another number is a finding of the kind wrong; if there is none, a number without its
// mark is a finding of the kind missing.
func (a *audit) mark(wrong, missing Kind, row paper.Row, marked, right []paper.Number) {
	if slices.Equal(marked, right) {
		return
	}
	kind := missing
	if slices.ContainsFunc(marked, func(p paper.Number) bool { return !slices.Contains(right, p) }) {
		kind = wrong
	}
	a.find(kind, row.Setting, labels(right), numbers(marked), numbers(right), "")
}

// underlines reports whether a table marks the second best at all.
func (a *audit) underlines(id string) bool {
	return slices.ContainsFunc(a.publication.Table(id), func(row paper.Row) bool {
		return len(marked(row, paper.Underline)) > 0
	})
}

func (a *audit) gaps() {
	for _, row := range a.publication.Rows {
		qats, ok := row.Number("QaTS")
		if !ok || !qats.HasDelta {
			continue
		}
		others := slices.DeleteFunc(row.Ranked(), func(p paper.Number) bool { return p.Label == "QaTS" })
		if len(others) == 0 {
			continue
		}
		lowest := slices.MinFunc(others, func(p, q paper.Number) int { return cmp.Compare(p.Value, q.Value) })
		if gap := qats.Value - lowest.Value; gap != qats.Delta {
			note := fmt.Sprintf("%s %s, lowest other %s %s", qats.Label, qats.Value, lowest.Label, lowest.Value)
			a.find(Gap, row.Setting, "QaTS", qats.Delta.String(), gap.String(), note)
		}
	}
}

func labels(list []paper.Number) string {
	var names []string
	for _, p := range list {
		names = append(names, p.Label)
	}
	return strings.Join(names, " and ")
}

// numbers returns methods with their values.
func numbers(list []paper.Number) string {
	if len(list) == 0 {
		return "none"
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Label+" "+p.Value.String())
	}
	return strings.Join(names, ", ")
}
