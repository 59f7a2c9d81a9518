package compare

import (
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// nothingShown stands where the rule shows no difference.
const nothingShown = "~"

// Summary has the comparisons of a source by several metrics in short: a table for each table of the
// judgement, with a method a row. The first row is that of Against with its means; the others have the verdict of the
// rule, and the shift to Against by each metric with its interval, or the mean difference where the blocks
// give no interval. Methods with too few blocks for a test are left out where others have enough. Methods that may change the predicted class have the change of the accuracy beside. The first table
// ends with [results.BaseRate]. The remarks of the last table are the notes, the most important first.
func Summary(views []View) []*table.Table {
	first := views[0]
	var list []*table.Table
	for i, g := range first.summarizedGroups() {
		t := first.summary(views, g, first.inTable(g, i == 0), View.summarized)
		if i > 0 {
			t.Origin = ""
		}
		list = append(list, t)
	}
	list[len(list)-1].Remarks = summaryNotes(views)
	return list
}

// summarizedGroups are the groups of a summary, without the methods that have too few blocks for a test where others have
// enough: one of all methods where nothing is judged.
func (v View) summarizedGroups() []Group {
	if !v.Judged() || v.Ratio || len(v.Judgement.Groups) == 0 {
		return []Group{{Methods: lists.Values(v.Rows, func(r Row) Judged { return Judged{Method: r.Method} })}}
	}
	var list []Group
	for _, g := range v.Judgement.Groups {
		if g.Methods = lists.Where(g.Methods, func(m Judged) bool { return m.Verdict != TooFew }); len(g.Methods) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// inTable returns the methods of a table in its order: Against, those of a group, and in the first table
// [results.BaseRate].
func (v View) inTable(g Group, first bool) []string {
	methods := append([]string{v.Against}, v.inOrder(g)...)
	if first && v.Floor != nil {
		methods = append(methods, v.Floor.Method)
	}
	return methods
}

// summary is the table of methods of a group. cell is the cell of a method in the column of a view.
func (v View) summary(views []View, g Group, methods []string, cell func(by View, method string) table.Cell) *table.Table {
	title := "Difference to " + v.Label(v.Against) + " (" + v.Source + ")"
	if v.Ratio && len(views) == 1 {
		title = "Time over that of " + v.Label(v.Against) + " (" + v.Source + ")"
	}
	if g.Predicts != "" {
		title = g.Title() + ": d" + title[1:]
	}
	t := v.table("", title)
	t.Name = strings.TrimSuffix("compare-"+v.Source+"-"+string(g.Predicts), "-")
	rows := make([][]table.Cell, len(methods))
	column := func(c table.Column, cell func(m string) table.Cell) {
		t.Columns = append(t.Columns, c)
		for i, m := range methods {
			rows[i] = append(rows[i], cell(m))
		}
	}
	column(table.Column{Key: "method", Head: "Method"}, func(m string) table.Cell {
		cell := table.Cell{Text: v.Label(m), Value: m}
		if v.Sees(m) {
			cell.Signs = targetSign
		}
		return cell
	})
	if slices.ContainsFunc(g.Methods, func(m Judged) bool { return m.Verdict != "" && m.Verdict != NotRecorded }) && g.Possible {
		column(table.Column{Key: "verdict", Head: "verdict"}, func(m string) table.Cell {
			judged, _ := v.Judgement.Of(m)
			switch judged.Verdict {
			case Better, Worse, Opposed:
				return table.Words(string(judged.Verdict))
			case NotShown:
				return table.Words(nothingShown)
			}
			return table.Cell{}
		})
	}
	for _, by := range views {
		if slices.ContainsFunc(methods[1:], func(m string) bool { return by.rowOf(m).Settings > 0 }) {
			column(table.Column{Key: by.Metric, Head: by.headed(), Align: table.Right, Apart: true}, func(m string) table.Cell { return cell(by, m) })
		}
	}
	if g.Predicts != results.Keeps && slices.ContainsFunc(g.Methods, func(m Judged) bool { return m.Accuracy == m.Accuracy && m.Verdict != "" }) {
		column(table.Column{Key: "accuracy", Head: "accuracy", Align: table.Right}, func(m string) table.Cell {
			if judged, has := v.Judgement.Of(m); has && judged.Accuracy == judged.Accuracy {
				return table.Cell{Text: table.Signed(100*judged.Accuracy, 2), Value: judged.Accuracy}
			}
			return table.Cell{}
		})
	}
	for _, cells := range rows {
		t.Rows = append(t.Rows, table.Row{Cells: cells})
	}
	return t
}

// inOrder returns the methods of a table: by the first of the metrics, the best shift or mean first.
func (v View) inOrder(g Group) []string {
	order := v.order()
	list := lists.Values(g.Methods, func(m Judged) string { return m.Method })
	place := func(m string) int {
		if i := slices.Index(order, m); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b string) int { return place(a) - place(b) })
	for _, m := range v.Ranking.Target {
		if v.Judgement.holds(g, m) {
			list = append(list, m)
		}
	}
	return lists.Distinct(list, func(m string) string { return m })
}

// holds reports whether a table shows a method that is not judged: that of what it does to predictions, or else the
// last one.
func (j *Judgement) holds(g Group, method string) bool {
	if j == nil || len(j.Groups) == 0 || j.predicts[method] == g.Predicts {
		return true
	}
	own := slices.ContainsFunc(j.Groups, func(of Group) bool { return of.Predicts == j.predicts[method] })
	return !own && g.Predicts == j.Groups[len(j.Groups)-1].Predicts
}

// headed is the heading of the column of the metric.
func (v View) headed() string {
	switch {
	case v.Percent:
		return v.MetricLabel + " (%)"
	case v.Ratio:
		return v.MetricLabel + " (ms)"
	}
	return v.MetricLabel
}

// shifted is the cell of a method: the mean of Against, and the difference of another one with its interval.
func (v View) shifted(m string) table.Cell {
	r := v.rowOf(m)
	switch {
	case r.Settings == 0:
		return none
	case m == v.Against:
		return v.mean(r)
	case v.Judged() && r.Shift.Bounded:
		return table.Cell{Text: v.signed(r.Shift.Estimate) + " " + v.interval(r.Shift.Lo, r.Shift.Hi), Value: v.value(r.Shift.Estimate)}
	case v.Judged() && len(r.On) == 1 && r.Settings == 1 && r.On[0].Interval != "":
		return table.Cell{Text: v.difference(r.On[0], ""), Value: v.value(r.Difference)}
	}
	return v.change(r.Difference)
}

// summarized is shifted with the settings won and lost where there is no interval.
func (v View) summarized(m string) table.Cell {
	cell := v.shifted(m)
	if v.counted(v.rowOf(m)) && m != v.Against {
		r := v.rowOf(m)
		cell.Text += " (" + table.Int(r.Win).Text + "/" + table.Int(r.Loss).Text + ")"
	}
	return cell
}

// counted reports whether a row has no interval, but verdicts on single settings.
func (v View) counted(r Row) bool {
	one := len(r.On) == 1 && r.Settings == 1 && r.On[0].Interval != ""
	return r.Settings > 0 && v.Judged() && !r.Shift.Bounded && !one && r.NoVerdict < r.Settings
}

// rowOf returns the row of a method, which may be Against or [results.BaseRate].
func (v View) rowOf(method string) Row {
	if method == v.Against {
		return v.Own
	}
	if i := slices.IndexFunc(v.Rows, func(r Row) bool { return r.Method == method }); i >= 0 {
		return v.Rows[i]
	}
	if v.Floor != nil && method == v.Floor.Method {
		return *v.Floor
	}
	return Row{Method: method}
}

// summaryNotes are the notes of a summary: what its columns are, on what they are, their signs, and what is
// not ranked. A note that several metrics share stands once.
func summaryNotes(views []View) []string { return notesOf(views, false) }

// notesOf are the notes of a summary, or of a short one, whose table has no counts of settings, and no row of which
// there is too little.
func notesOf(views []View, short bool) []string {
	notes := []string{summaryLegend(views, !short)}
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
	if first := views[0]; first.Judgement != nil && !first.Ratio {
		of := append(first.Conclusion().FloorNotes(), first.Conclusion().RuleNote())
		if !short {
			of = append(of, first.Conclusion().TooFewNote())
		}
		for _, note := range of {
			if note != "" {
				notes = append(notes, note)
			}
		}
	}
	each(func(v View) []string { return []string{"Over " + v.Extent.String() + "." + sharing(v)} })
	if !short {
		each(View.Signs)
	}
	each(View.contrary)
	each(View.leftOut)
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
	return map[Block]string{BySamples: " Settings that may share test samples", ByDataset: " Settings of one data set", ByNetwork: " Settings of one network"}[v.Block] + " count once together."
}

// summaryLegend says what the cells of a summary are, with settings won and lost or without.
func summaryLegend(views []View, counts bool) string {
	any := func(of func(View) bool) bool { return slices.ContainsFunc(views, of) }
	against := views[0].Label(views[0].Against)
	units := unitOf(views[0].Block) + "s"
	var list, higher []string
	if any(func(v View) bool { return !v.Ratio }) {
		text := "Row " + against + ": means over " + units + ". Other rows: "
		switch {
		case any(func(v View) bool { return slices.ContainsFunc(v.Rows, func(r Row) bool { return r.Shift.Bounded }) }):
			text += "the shift to " + against + " over " + units + ", with its 95 % interval"
		case views[0].Settings == 1:
			text += "the difference to " + against + ", with the 95 % interval of the test rows"
		default:
			text += "the mean difference to " + against
		}
		if any(func(v View) bool { return v.Percent }) {
			text += ", in points where the mean is in per cent"
		}
		if counts && any(func(v View) bool {
			return v.Verdicts > 0 && v.Settings > 1 && !slices.ContainsFunc(v.Rows, func(r Row) bool { return r.Shift.Bounded })
		}) {
			text += "; (a/b): better on a settings and worse on b, by the 95 % intervals of their test rows"
		}
		list = append(list, text+".")
	}
	if any(func(v View) bool { return v.Ratio }) {
		list = append(list, "Fit time: geometric means over "+units+", in milliseconds; ratio to the time of "+against+".")
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
	return english.Count(len(list), "warning") + " of fits: --full prints them."
}
