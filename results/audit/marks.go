package audit

import (
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
)

// ranking is the ranked numbers of a row that are to bear a mark.
type ranking struct{ best, second []results.Published }

// rank finds them in one pass; equal printed numbers share a place.
func rank(row results.PublishedRow) ranking {
	var r ranking
	for _, p := range row.Ranked() {
		switch {
		case len(r.best) == 0 || p.Value < r.best[0].Value:
			r.second = r.best
			r.best = []results.Published{p}
		case p.Value == r.best[0].Value:
			r.best = append(r.best, p)
		case len(r.second) == 0 || p.Value < r.second[0].Value:
			r.second = []results.Published{p}
		case p.Value == r.second[0].Value:
			r.second = append(r.second, p)
		}
	}
	return r
}

// marked returns the numbers of a row, HFE included, that bear a mark.
func marked(row results.PublishedRow, mark results.Mark) []results.Published {
	var list []results.Published
	for _, p := range row.Numbers {
		if p.Mark == mark {
			list = append(list, p)
		}
	}
	return list
}

func (a *audit) bestMarks() {
	for _, row := range a.paper.Rows {
		best, bold := rank(row).best, marked(row, results.Bold)
		if !slices.Equal(bold, best) {
			a.find(BestMark, row.PublishedSetting, labels(best), numbers(bold), numbers(best), "")
		}
	}
}

func (a *audit) secondMarks() {
	for _, row := range a.paper.Rows {
		r, underlined := rank(row), marked(row, results.Underline)
		if slices.Equal(marked(row, results.Bold), r.best) && !slices.Equal(underlined, r.second) && a.underlines(row.Table) {
			a.find(SecondMark, row.PublishedSetting, labels(r.second), numbers(underlined), numbers(r.second), "")
		}
	}
}

// underlines reports whether a table marks the second at all.
func (a *audit) underlines(id string) bool {
	return slices.ContainsFunc(a.paper.Table(id), func(row results.PublishedRow) bool {
		return len(marked(row, results.Underline)) > 0
	})
}

func (a *audit) gaps() {
	for _, row := range a.paper.Rows {
		qats, ok := row.Number("QaTS")
		if !ok || !qats.HasDelta {
			continue
		}
		var other []results.Published // the best but QaTS
		for _, p := range row.Ranked() {
			if p.Label != "QaTS" && (len(other) == 0 || p.Value < other[0].Value) {
				other = []results.Published{p}
			}
		}
		if len(other) == 0 {
			continue
		}
		if gap := qats.Value - other[0].Value; gap != qats.Delta {
			note := numbers([]results.Published{qats}) + ", best other " + numbers(other)
			a.find(Gap, row.PublishedSetting, "QaTS", qats.Delta.String(), gap.String(), note)
		}
	}
}

func labels(list []results.Published) string {
	var names []string
	for _, p := range list {
		names = append(names, p.Label)
	}
	return strings.Join(names, " and ")
}

// numbers prints methods with their values.
func numbers(list []results.Published) string {
	if len(list) == 0 {
		return "none"
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Label+" "+p.Value.String())
	}
	return strings.Join(names, ", ")
}
