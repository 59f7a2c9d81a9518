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
		best, bold := rank(row).best, marked(row, paper.Bold)
		if !slices.Equal(bold, best) {
			a.find(BestMark, row.Setting, labels(best), numbers(bold), numbers(best), "")
		}
	}
}

func (a *audit) secondMarks() {
	for _, row := range a.publication.Rows {
		r, underlined := rank(row), marked(row, paper.Underline)
		if slices.Equal(marked(row, paper.Bold), r.best) && !slices.Equal(underlined, r.second) && a.underlines(row.Table) {
			a.find(SecondMark, row.Setting, labels(r.second), numbers(underlined), numbers(r.second), "")
		}
	}
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
