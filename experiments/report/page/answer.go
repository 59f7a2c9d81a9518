package page

import (
	"slices"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// answer is what is concluded of the settings of a source: [compare.View.Statement], or what is shown of
// the method that a trial has chosen.
type answer struct {
	ID, Source string // of the first comparison of the source
	Text       english.Text
	Tables     []*table.Table // of the rule, with its notes
	Notes      []string
}

// answersOf returns the answers of comparisons, one of each source.
func answersOf(f *results.Rows, list []comparison, o Options) (answers []answer) {
	for _, c := range list {
		if slices.ContainsFunc(answers, func(a answer) bool { return a.Source == c.Source }) {
			continue
		}
		of := lists.Where(list, func(other comparison) bool { return other.Source == c.Source })
		one := answer{ID: c.ID, Source: c.Source, Text: statement(f, c.view)}
		one.Tables = compare.Summary(lists.Values(of, func(c comparison) compare.View { return c.view }))
		for _, t := range one.Tables {
			one.Notes = append(one.Notes, t.Remarks...)
			t.Origin, t.Remarks = "", nil
		}
		answers = append(answers, one)
	}
	return answers
}

func statement(f *results.Rows, v compare.View) english.Text {
	if chosen, by := chosenOf(f); chosen != "" && v.Judgement != nil {
		return v.Conclusion().Chosen(chosen, "was chosen on the calibration rows, by cross-fitted "+by)
	}
	return v.Statement()
}
