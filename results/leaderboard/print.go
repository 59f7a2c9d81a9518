package leaderboard

import (
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// none is a cell without a number.
var none = table.Cell{Text: "-"}

// fewer is the sign of a mean over fewer settings than others of the table.
const fewer = "f"

// names are the names of the two scores and of the calibration errors in keys of columns: a table has top-label scores in the
// columns of the scores, so that all tables have the same columns.
var names = []string{"nll", "brier", described, "aece"}

// Printed returns the board as it is printed.
func (b *Board) Printed() *Printed {
	p := &Printed{Title: b.Title, Legend: b.legend(), Settings: b.Settings, From: b.From, Methods: b.Methods, Entries: b.Entries}
	for _, t := range b.Tables {
		p.Sections = append(p.Sections, Section{t.Contract, t.Contract.About(), t.Statement(), t.Table()})
	}
	return p
}

// Table returns the table for print and, with columns that are in no print, for data.
func (t Table) Table() *table.Table {
	out := &table.Table{Caption: t.Contract.Title(), Columns: t.columns()}
	most := 0
	for _, r := range t.Rows {
		most = max(most, r.Means[0].Settings)
	}
	for _, r := range t.Rows {
		cells := t.cells(out.Columns, r, most)
		if r.NotRanked != "" {
			note := "Not ranked, since it " + r.NotRanked + "."
			if !slices.Contains(out.Notes, note) {
				out.Notes = append(out.Notes, note)
			}
			at := slices.IndexFunc(out.Columns, func(c table.Column) bool { return c.Key == "rank" })
			cells[at].Notes = []int{slices.Index(out.Notes, note)}
		}
		out.Rows = append(out.Rows, table.Row{Cells: cells, Total: r.Beside})
	}
	out.Remarks = t.remarks(most)
	return out
}

// columns returns the columns of a table.
func (t Table) columns() []table.Column {
	number := func(key, head string) table.Column { return table.Column{Key: key, Head: head, Align: table.Right} }
	data := func(keys ...string) []table.Column {
		return lists.Values(keys, func(key string) table.Column { return table.Column{Key: key, Data: true} })
	}
	// a mean and, signed, a difference of a metric
	of := func(k int, key, head string, signed bool) table.Column {
		e, _, _ := metrics.LookupOutput(t.Contract.Metrics()[k])
		c := table.Column{Key: key, Head: head, Align: table.Right, Digits: e.Digits(), Signed: signed}
		if e.Percent {
			c.Factor = 100
		}
		return c
	}
	to := func(k int, key, head string) []table.Column {
		key = names[k] + "_minus_" + key
		list := append([]table.Column{of(k, key, head, true)}, data(key+"_lo", key+"_hi")...)
		if k < len(t.Contract.Scores()) {
			list = append(list, number("p_holm_"+key, "Holm"))
		}
		return list
	}
	unprinted := func(list []table.Column) []table.Column {
		for i := range list {
			list[i].Data = true
		}
		return list
	}
	return slices.Concat(
		data("method"), []table.Column{{Key: "label", Head: "Method"}}, data("table", "origin", "protocol", "status"),
		[]table.Column{number("rank", "Rank")}, data("rank_nll", "rank_brier", "not_ranked", "scores"),
		[]table.Column{{Key: "against_ts", Head: "Against\nTS"}}, data("best"), []table.Column{{Key: "against_qats", Head: "Against\nQaTS"}},
		[]table.Column{of(0, "nll", "NLL", false)}, to(0, TS, "to TS"), unprinted(to(0, QaTS, "")),
		[]table.Column{of(1, "brier", "Brier\nscore", false)}, to(1, TS, "to TS"), unprinted(to(1, QaTS, "")),
		[]table.Column{of(2, described, "ECE\n(%)", false)}, to(2, TS, "to TS"), unprinted(to(2, QaTS, "")),
		unprinted([]table.Column{of(3, "aece", "", false)}),
		[]table.Column{of(0, "nll_minus_ts_corrupted", "corrupted,\nNLL to TS", true)}, unprinted([]table.Column{of(1, "brier_minus_ts_corrupted", "", true)}), data("settings_corrupted"),
		t.ifDrawn(of(0, "nll_minus_ts_drawn", "drawn,\nNLL to TS", true)), unprinted([]table.Column{of(1, "brier_minus_ts_drawn", "", true)}), data("draws"),
		[]table.Column{{Key: "settings", Head: "Settings", Align: table.Right, Data: t.alike()}}, data("blocks"))
}

// alike reports whether all methods of the table are compared on the same number of settings.
func (t Table) alike() bool {
	return !slices.ContainsFunc(t.Rows, func(r Row) bool { return t.most(r).Settings != t.most(t.Rows[0]).Settings })
}

// ifDrawn returns columns that are printed where some row has drawn splits.
func (t Table) ifDrawn(columns ...table.Column) []table.Column {
	for i := range columns {
		columns[i].Data = !t.Drawn
	}
	return columns
}

// cells returns the cells of a row.
func (t Table) cells(columns []table.Column, r Row, most int) []table.Cell {
	origin, below := "registry", ""
	if r.Authors != nil {
		origin = strings.Join(r.Authors, ", ")
		below = origin + ". " + r.Reference + ". Protocol " + r.Protocol
	}
	if r.Beside {
		below = "of another table"
	}
	protocol := table.Cell{}
	if r.Protocol != "" {
		protocol = table.Words(r.Protocol)
	}
	cells := []table.Cell{table.Words(r.Method), {Text: r.Label, Value: r.Label, Below: below}, table.Words(string(t.Contract)), table.Words(origin), protocol, table.Words(string(r.Status)), none}
	add := func(list ...table.Cell) { cells = append(cells, list...) }
	if !math.IsNaN(r.Rank) {
		cells[6] = table.Cell{Text: table.Fixed(r.Rank, 2), Value: r.Rank}
		add(table.Cell{Value: r.Ranks[0]}, table.Cell{Value: r.Ranks[1]}, table.Cell{})
	} else {
		if r.Status != Verified {
			cells[6].Text = string(r.Status)
		}
		if r.Look != "" {
			cells[6].Text = "look"
		}
		add(table.Cell{}, table.Cell{}, words(r.NotRanked))
	}
	verdict := t.verdict(r.ToTS.Verdict, r)
	best := table.Cell{}
	if r.Best {
		verdict.Mark, verdict.Below, best = table.Best, "best", table.Cell{Value: true}
	}
	add(table.Words(strings.Join(t.Contract.Scores(), " ")), verdict, best, t.verdict(r.ToQaTS.Verdict, r))
	for k, mean := range r.Means {
		cell := none
		if mean.Settings > 0 {
			cell = columns[len(cells)].Number(mean.Value)
			if mean.Settings < most {
				cell.Signs = fewer
			}
		}
		add(cell)
		if k > len(t.Contract.Scores()) { // the other calibration errors have no differences
			continue
		}
		for _, to := range []Against{r.ToTS, r.ToQaTS} {
			list := shift(columns[len(cells)], to.Rows[k])
			if k < len(t.Contract.Scores()) {
				p := table.Cell{}
				if h := to.Holm[k]; !math.IsNaN(h) {
					p = compare.Probability(h)
				}
				list = append(list, p)
			}
			add(list...)
		}
	}
	settings := table.Cell{}
	for _, row := range r.Corrupted {
		cell := table.Cell{}
		if row != nil {
			cell, settings = columns[len(cells)].Number(row.Difference), table.Int(row.Settings)
		}
		add(cell)
	}
	add(settings)
	draws := table.Cell{}
	for k := range t.Contract.Scores() {
		cell := table.Cell{}
		if r.Drawn != nil {
			cell, draws = shift(columns[len(cells)], r.Drawn[k])[0], table.Int(r.Draws)
		}
		add(cell)
	}
	add(draws)
	return append(cells, table.Int(t.most(r).Settings), table.Int(t.most(r).Blocks))
}

// most returns the mean of a row that is over most settings: of a method without NLL that of another metric.
func (t Table) most(r Row) compare.Row {
	return slices.MaxFunc(r.Means, func(a, b compare.Row) int { return a.Settings - b.Settings })
}

// words is a cell with a text; an empty text is no value.
func words(text string) table.Cell {
	if text == "" {
		return table.Cell{}
	}
	return table.Words(text)
}

// verdict is the cell with the verdict on a row.
func (t Table) verdict(v compare.Verdict, r Row) table.Cell {
	switch {
	case v != "":
		return table.Words(string(v))
	case r.NotRanked == notRecorded:
		return table.Words(string(compare.NotRecorded))
	}
	return table.Cell{}
}

// shift returns the cells of a shift and of the ends of its interval.
func shift(c table.Column, of *compare.Row) []table.Cell {
	if of == nil {
		return make([]table.Cell, 3)
	}
	cell, lo, hi := c.Number(of.Shift.Estimate), none, none
	if of.Shift.Bounded {
		lo, hi = c.Number(of.Shift.Lo), c.Number(of.Shift.Hi)
		cell.Below = "[" + lo.Text + ", " + hi.Text + "]"
	}
	return []table.Cell{cell, lo, hi}
}

// remarks say what the columns of a table are over, and whether the floor leaves methods out.
func (t Table) remarks(most int) (list []string) {
	if len(t.Rows) > 0 {
		list = append(append(list, "Over "+t.Means[0].Extent.String()+"."), t.Judgement.FloorNotes()...)
	}
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return 0 < r.Means[0].Settings && r.Means[0].Settings < most }) {
		list = append(list, fewer+": a mean over fewer settings than others of the table. Compare its difference, which is over the settings of both methods.")
	}
	if len(t.Without) > 0 {
		list = append(list, "Without a number: "+english.List(lists.Values(t.Without, func(m *Member) string { return m.Label }))+". The networks come without the arrays that such a method reads, or its code failed.")
	}
	return list
}

// legend says what the columns of all tables are.
func (b *Board) legend() []string {
	rule := ""
	if i := slices.IndexFunc(b.Tables, func(t Table) bool { return len(t.Rows) > 0 }); i >= 0 {
		rule = b.Tables[i].Judgement.RuleNote()
	}
	return []string{
		"Rank: the mean of two mean ranks over independent data sets, by NLL and by Brier score; 1 is best. Data sets that may share test samples count once together, whatever the number of their settings. " +
			"Ranked are verified methods that are shown to be better than base-rate by one of the two scores and worse by neither: Wilcoxon's test over independent data sets, with Holm's correction over the methods of the table and both scores. " +
			"Uncal and TS are always ranked. A method that is not verified has its status in the place of a rank. " +
			"Look: a person is to look at the entry before it is ranked, for the reason in its note. A rank shows no difference, and no sentence rests on it.",
		"Against TS, against QaTS: " + rule + " Opposed: better by one score and worse by the other. Too few: no test over so few independent data sets can show a difference. Best: better than TS, and no method of its kind is shown to be better than it. Holm: p with that correction.",
		"NLL, Brier score: means over independent data sets, of the clean test sets. Lower is better. To TS: the shift over independent data sets (Hodges and Lehmann), and its 95 % interval; below zero the method is better.",
		"ECE: mean and shift to TS, in per cent and points. Base rate gives every row one confidence, the share of right predictions of the calibration set: it knows nothing, and its ECE is low.",
		"Corrupted: the mean difference of the NLL to TS on the corrupted test sets of CIFAR-10-C. They are of one network, so there is no test.",
		"Drawn: the shift of the NLL to TS by the means over splits into calibration and test rows that a maintainer drew by the hash of a commit. Methods of this project have none here.",
	}
}
