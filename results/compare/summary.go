package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/table"
)

// Summary is one table of the comparisons of a source by several metrics: a method a row, in the order of
// the first metric, and for each metric the mean, the mean rank, the difference, the settings that
// the verdicts decide, and p with Holm's correction where a test can show anything. What has no
// number by any metric has no column. The remarks are the notes, the most important first.
func Summary(views []View) *table.Table {
	first := views[0]
	t := first.table("", "Methods minus "+first.Label(first.Against)+" ("+first.Source+")")
	t.Name = "compare-" + first.Source
	if first.Ratio && len(views) == 1 {
		t.Caption = "Methods over " + first.Label(first.Against) + " (" + first.Source + ")"
	}
	order := first.order()
	for _, v := range views[1:] {
		for _, m := range v.order() {
			if !slices.Contains(order, m) {
				order = append(order, m)
			}
		}
	}
	same := !slices.ContainsFunc(views, func(v View) bool { // all metrics have the same numbers of settings
		return slices.ContainsFunc(order, func(m string) bool { return v.rowOf(m).Settings != first.rowOf(m).Settings })
	})
	rows := make([][]table.Cell, len(order))
	add := func(c table.Column, over string, cell func(i int) table.Cell) {
		t.Columns, t.Over = append(t.Columns, c), append(t.Over, table.Words(over))
		for i := range order {
			rows[i] = append(rows[i], cell(i))
		}
	}
	add(table.Column{Key: "method", Head: "Method"}, "", func(i int) table.Cell {
		cell := table.Cell{Text: first.Label(order[i]), Value: order[i]}
		if first.Sees(order[i]) {
			cell.Signs = targetSign
		}
		return cell
	})
	for _, v := range views {
		v.summarize(same, func(c table.Column, over string, cell func(m string) table.Cell) {
			add(c, over, func(i int) table.Cell { return cell(order[i]) })
		})
	}
	if same {
		number := table.Column{Key: "settings", Head: "settings", Align: table.Right, Apart: true}
		add(number, "", func(i int) table.Cell { return table.Int(first.rowOf(order[i]).Settings) })
	}
	for _, cells := range rows {
		t.Rows = append(t.Rows, table.Row{Cells: cells})
	}
	t.Remarks = summaryNotes(views)
	return t
}

// rowOf returns the row of a method, which may be Against.
func (v View) rowOf(method string) Row {
	if method == v.Against {
		return v.Own
	}
	if i := slices.IndexFunc(v.Rows, func(r Row) bool { return r.Method == method }); i >= 0 {
		return v.Rows[i]
	}
	return Row{Method: method}
}

// summarize adds the columns of a metric to a summary, with the number of settings unless it is the same for
// all metrics.
func (v View) summarize(same bool, add func(c table.Column, over string, cell func(method string) table.Cell)) {
	over, apart := v.MetricLabel, true
	switch {
	case v.Percent:
		over += " (%)"
	case v.Ratio:
		over += " (ms)"
	}
	column := func(key, head string, cell func(Row) table.Cell) {
		above := ""
		if key == "mean" { // which has the room
			above = over
		}
		add(table.Column{Key: v.Metric + "_" + key, Head: head, Align: table.Right, Apart: apart}, above, func(m string) table.Cell {
			if r := v.rowOf(m); r.Settings > 0 {
				return cell(r)
			}
			return none
		})
		apart = false
	}
	beside := func(cell func(Row) table.Cell) func(Row) table.Cell { // of the other methods
		return func(r Row) table.Cell {
			if r.Method == v.Against {
				return table.Cell{}
			}
			return cell(r)
		}
	}
	var best []string
	if v.Ranking.Methods == nil || v.Ranking.Settings == v.Settings { // else the ranked means are not those that are printed
		best = v.Best()
	}
	column("mean", "mean", func(r Row) table.Cell {
		cell := v.mean(r)
		if slices.Contains(best, r.Method) {
			cell.Mark = table.Best
		}
		return cell
	})
	if v.Ranking.Methods != nil {
		column("rank", "rank", func(r Row) table.Cell {
			if i := slices.Index(v.Ranking.Methods, r.Method); i >= 0 {
				return table.Cell{Text: table.Fixed(v.Ranking.Ranks[i], 2), Value: v.Ranking.Ranks[i]}
			}
			return none
		})
	}
	change := "diff."
	if v.Ratio {
		change = "ratio"
	}
	column("difference", change, beside(func(r Row) table.Cell { return v.change(r.Difference) }))
	if v.Verdicts > 0 {
		verdicts := func(n func(Row) int) func(Row) table.Cell {
			return beside(func(r Row) table.Cell {
				if r.NoVerdict == r.Settings {
					return none
				}
				return table.Int(n(r))
			})
		}
		column("win", "win", verdicts(func(r Row) int { return r.Win }))
		column("loss", "loss", verdicts(func(r Row) int { return r.Loss }))
	}
	if v.Judged() && v.Testable() {
		column("p_holm", "Holm", beside(func(r Row) table.Cell { return Probability(r.Holm) }))
	}
	if !same {
		column("settings", "settings", func(r Row) table.Cell { return table.Int(r.Settings) })
	}
}

// summaryNotes are the notes of a summary: what the columns are, on what they are, their signs, and what is
// not ranked. A note that several metrics share stands once.
func summaryNotes(views []View) []string {
	notes := []string{summaryLegend(views)}
	// each adds the notes of all metrics, with the metric before those that not all have.
	each := func(of func(View) []string) {
		var found []string
		by := map[string][]string{} // labels of metrics
		for _, v := range views {
			for _, note := range of(v) {
				if by[note] == nil {
					found = append(found, note)
				}
				by[note] = append(by[note], v.MetricLabel)
			}
		}
		for _, note := range found {
			if len(by[note]) < len(views) {
				note = english.List(by[note]) + ": " + note
			}
			notes = append(notes, note)
		}
	}
	each(func(v View) []string { return []string{"Over " + v.Extent.String() + "." + sharing(v)} })
	each(View.Signs)
	each(View.contrary)
	each(View.leftOut)
	each(View.powerNotes)
	each(View.alikeNote)
	each(func(v View) []string {
		if aside := v.aside(); aside != "" {
			return []string{aside}
		}
		return nil
	})
	return notes
}

// sharing says, after a space, what a block is where settings have one in common.
func sharing(v View) string {
	if len(v.Blocks) == v.Settings {
		return ""
	}
	return " Settings of a block " + map[Block]string{BySamples: "share test samples", ByDataset: "are of one data set", ByNetwork: "are of one network"}[v.Block] + " and count once together."
}

// summaryLegend says what the columns of a summary are.
func summaryLegend(views []View) string {
	any := func(of func(View) bool) bool { return slices.ContainsFunc(views, of) }
	against := views[0].Label(views[0].Against)
	var list, higher []string
	if any(func(v View) bool { return !v.Ratio }) {
		list = append(list, fmt.Sprintf("mean: over blocks; diff.: mean difference to %s, in points where the mean is in per cent.", against))
	}
	if any(func(v View) bool { return v.Ratio }) {
		list = append(list, fmt.Sprintf("Fit time: geometric means over blocks, in milliseconds; ratio: to the time of %s.", against))
	}
	for _, v := range views {
		if v.Better == metrics.Higher {
			higher = append(higher, v.MetricLabel)
		}
	}
	switch {
	case len(higher) == len(views):
		list = append(list, "Higher is better.")
	case higher != nil:
		list = append(list, "Lower is better, but higher for "+english.List(higher)+".")
	default:
		list = append(list, "Lower is better.")
	}
	if any(func(v View) bool { return v.Verdicts > 0 }) {
		list = append(list, "win, loss: settings where the test rows show that the method is better, worse (95 %).")
	}
	if any(func(v View) bool { return v.Judged() && v.Testable() }) {
		list = append(list, "Holm: p of Wilcoxon's test over blocks, with Holm's correction.")
	}
	if any(func(v View) bool { return v.Ranking.Methods != nil }) {
		list = append(list, "rank: mean rank over blocks; 1 is best.")
	}
	return strings.Join(list, " ")
}

// WarningNote says how many warnings of fits the comparisons have, or nothing if there are none. A
// warning that several metrics share counts once.
func WarningNote(views []View) string {
	type warning struct{ method, text string }
	var list []warning
	for _, v := range views {
		for _, w := range v.Warnings {
			if x := (warning{w.Method, w.Text}); !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	if list == nil {
		return ""
	}
	return english.Count(len(list), "warning") + " of fits: --explain prints them."
}
