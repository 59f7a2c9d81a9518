package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// comparison is a comparison of methods by one metric over one source.
type comparison struct {
	ID, Title, Source string
	Untested          bool   // no test over the blocks can show a difference, and the table of verdicts stands open
	Text              string // the page that qats compare prints
	BlockNotes        []string
	RankNotes         []string
	Charts            []chart
	Table             *table.Table // the numbers of the charts of ranks and shifts

	view compare.View
}

// comparisonsOf compares by each metric, measured before simulated. The error of a
// comparison that cannot be made is a note.
func comparisonsOf(f *results.Rows, o Options) (list []comparison, notes []string) {
	for _, metric := range o.Metrics {
		if !slices.ContainsFunc(f.Records, func(r record) bool { return r.Metric == metric && r.Method == o.Against && r.Status == "ok" }) {
			continue
		}
		made, err := compare.Of(f.Records, f.Pairs, o.comparing(metric, o.Against))
		if err != nil {
			notes = append(notes, fmt.Sprintf("No comparison by %s: %v.", metric, err))
			continue
		}
		for _, c := range made {
			one := comparisonOf(o.view(c, c.Splits(f.Records, f.Pairs)), smallestOf(f, o, c))
			one.Charts = append(one.Charts, binsOf(f, o, metric, c.Source)...)
			list = append(list, one)
		}
	}
	return list, notes
}

func comparisonOf(v compare.View, least smallest) comparison {
	var text strings.Builder
	v.Text(&text) // a strings.Builder returns no error
	c := comparison{
		ID: "compare-" + v.Metric + "-" + v.Source, Source: v.Source, Text: text.String(), Untested: v.Judged() && !v.Testable(), BlockNotes: append(v.BlockNotes(), v.Signs()...), RankNotes: v.RankingNotes(),
		Title: fmt.Sprintf("%s, methods against %s", v.MetricLabel, v.Label(v.Against)), Table: least.table(v),
		view: v,
	}
	if v.Ranking.Tested() {
		c.Charts = append(c.Charts, chart{"Mean ranks with the critical difference", drawn(plots.Ranks(v.Comparison, v.Labels)), least.note(v), ""})
	}
	if len(v.Rows) > 0 && v.Judged() && !v.Ratio { // of times the text has the ratios
		c.Charts = append(c.Charts, chart{Heading: "Shift to " + v.Label(v.Against), Figure: drawn(plots.Differences(v.Comparison, v.Labels))})
	}
	return c
}

// smallest has the smallest differences that the test rows of a setting can show.
type smallest struct {
	against  string            // the method that the differences are to
	byMethod map[string]string // as printed; nil where most ranked methods have none
}

// smallestOf returns the smallest differences to Against. A run makes pairs against one
// method, which need not be Against: then they are the differences to that method.
func smallestOf(f *results.Rows, o Options, c *compare.Comparison) smallest {
	if found := smallestIn(c, c); found.byMethod != nil || !c.Ranking.Tested() {
		return found
	}
	base, pairs := "", map[string]int{}
	for _, p := range f.Pairs {
		if p.Metric != c.Metric || p.Source != c.Source || !results.Counts(p.Setting, o.Variants) {
			continue
		}
		if pairs[p.Against]++; pairs[p.Against] > pairs[base] {
			base = p.Against
		}
	}
	if base == "" || base == c.Against {
		return smallest{}
	}
	made, err := compare.Untested(f.Records, f.Pairs, o.comparing(c.Metric, base))
	if err != nil {
		return smallest{} // the ranking does without
	}
	for _, other := range made {
		if other.Source == c.Source {
			return smallestIn(c, other)
		}
	}
	return smallest{}
}

// smallestIn returns the smallest differences that a comparison of the same rows has of
// the methods that c ranks.
func smallestIn(c, other *compare.Comparison) smallest {
	found := smallest{other.Against, map[string]string{}}
	for _, r := range other.Rows {
		if r.Smallest > 0 && slices.Contains(c.Ranking.Methods, r.Method) {
			found.byMethod[r.Method] = compare.View{Comparison: c}.Number(r.Smallest)
		}
	}
	if 2*len(found.byMethod) < len(c.Ranking.Methods) {
		return smallest{}
	}
	return found
}

// table returns the table of methods of qats compare. Differences to another method than
// Against have a column of their own.
func (least smallest) table(v compare.View) *table.Table {
	t := bare(v.MethodTable(), "Ranks and differences, "+v.MetricLabel)
	if least.byMethod == nil || least.against == v.Against {
		return t
	}
	method := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == "method" })
	t.Columns = append(t.Columns, table.Column{Head: "smallest to " + v.Label(least.against), Align: table.Right})
	for i := range t.Rows {
		cells := &t.Rows[i].Cells
		*cells = append(*cells, table.Words(cmp.Or(least.byMethod[(*cells)[method].Value.(string)], "-")))
	}
	return t
}

// bare returns a table without what the page says elsewhere.
func bare(t *table.Table, caption string) *table.Table {
	t.Caption, t.Origin, t.Legend, t.Remarks = caption, "", nil, nil
	return t
}

// note explains the smallest differences.
func (least smallest) note(v compare.View) string {
	if least.byMethod == nil {
		return ""
	}
	unit, what := "", "half the width of the 95 % interval that decides"
	if v.Percent {
		unit = ", in points (per cent)"
	}
	if v.By.Squared {
		what = "the root of " + what + ", which is of squared gaps"
	}
	return fmt.Sprintf("Smallest difference%s: how far a method must be from %s on one setting before the test rows of the setting can show it. It is %s, median over the settings.",
		unit, v.Label(least.against), what)
}
