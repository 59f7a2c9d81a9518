package v1

import (
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/leaderboard"
	"github.com/qats-bench/qats/results/table"
)

// none is a cell without a number.
var none = table.Cell{Text: "-"}

// fewer is the sign of a mean over fewer settings than that of TS.
const fewer = "f"

// points is a column of differences.
func points(key, head string) table.Column {
	return table.Column{Key: key, Head: head, Align: table.Right, Factor: 100, Digits: 2, Signed: true}
}

// Table returns the table for print and, with columns that are in no print, for data.
func (t Table) Table() *table.Table {
	number := func(key, head string) table.Column { return table.Column{Key: key, Head: head, Align: table.Right} }
	data := func(key string) table.Column { return table.Column{Key: key, Data: true} }
	to := func(columns []table.Column, key, head string) []table.Column {
		return append(columns, points("ece_minus_"+key, head), data("ece_minus_"+key+"_lo"), data("ece_minus_"+key+"_hi"), number("p_holm_"+key, "Holm"))
	}
	out := &table.Table{Caption: t.Contract.Title()}
	columns := []table.Column{data("method"), {Key: "label", Head: "Method"}, data("table"), data("origin"), {Key: "status", Head: "Status"}, number("rank", "Rank")}
	for _, metric := range Metrics() {
		e, o, _ := metrics.LookupOutput(metric)
		c := table.Column{Key: metric, Head: o.Label, Align: table.Right, Digits: e.Digits()}
		if e.Percent {
			c.Factor, c.Head = 100, c.Head+" (%)"
		}
		columns = append(columns, c)
	}
	columns = to(columns, leaderboard.TS, "ECE to\nTS")
	columns = to(columns, leaderboard.QaTS, "ECE to\nQaTS")
	columns = append(columns, points("ece_minus_ts_corrupted", "corrupted,\nto TS"), data("settings_corrupted"))
	drawn := len(columns)
	columns = append(columns, points("ece_minus_ts_drawn", "drawn\nsplits, to TS"), data("draws"), number("settings", "Settings"), number("blocks", "Blocks"))
	columns[drawn].Data = !t.Drawn
	out.Columns = columns
	best := t.best()
	most := 0
	for _, r := range t.Rows {
		most = max(most, r.Means[0].Settings)
	}
	for i, r := range t.Rows {
		out.Rows = append(out.Rows, table.Row{Cells: t.cells(columns, r, best[i], most), Total: r.Beside})
	}
	out.Remarks = t.remarks(most)
	return out
}

// cells returns the cells of a row.
func (t Table) cells(columns []table.Column, r Row, best []bool, most int) []table.Cell {
	origin, below := "registry", ""
	if r.Authors != nil {
		origin = strings.Join(r.Authors, ", ")
		below = origin + ". " + r.Reference
	}
	status := table.Words(string(r.Status))
	if r.Beside {
		below = "of another table"
	}
	cells := []table.Cell{table.Words(r.Method), {Text: r.Label, Value: r.Label, Below: below}, table.Words(string(t.Contract)), table.Words(origin), status, none}
	if !math.IsNaN(r.Rank) {
		cells[5] = table.Cell{Text: table.Fixed(r.Rank, 2), Value: r.Rank}
	}
	column := func() table.Column { return columns[len(cells)] }
	for k, mean := range r.Means {
		cell := none
		if mean.Settings > 0 {
			cell = column().Number(mean.Value)
			if mean.Settings < most {
				cell.Signs = fewer
			}
			if best[k] {
				cell.Mark = table.Best
			}
		}
		cells = append(cells, cell)
	}
	for _, to := range []*compare.Row{r.ToTS, r.ToQaTS} {
		if to == nil {
			cells = append(cells, table.Cell{}, table.Cell{}, table.Cell{}, table.Cell{})
			continue
		}
		c := column()
		shift, lo, hi := c.Number(to.Shift.Estimate), none, none
		if to.Shift.Bounded {
			lo, hi = c.Number(to.Shift.Lo), c.Number(to.Shift.Hi)
			shift.Below = "[" + lo.Text + ", " + hi.Text + "]"
		}
		p := none
		if to.Blocks > 1 {
			p = compare.Probability(to.Holm)
		}
		cells = append(cells, shift, lo, hi, p)
	}
	if r.Corrupted != nil {
		cells = append(cells, column().Number(r.Corrupted.Difference), table.Int(r.Corrupted.Settings))
	} else {
		cells = append(cells, table.Cell{}, table.Cell{})
	}
	if r.Drawn != nil {
		shift := column().Number(r.Drawn.Shift.Estimate)
		if r.Drawn.Shift.Bounded {
			shift.Below = "[" + column().Number(r.Drawn.Shift.Lo).Text + ", " + column().Number(r.Drawn.Shift.Hi).Text + "]"
		}
		cells = append(cells, shift, table.Int(r.Draws))
	} else {
		cells = append(cells, table.Cell{}, table.Cell{})
	}
	return append(cells, table.Int(r.Means[0].Settings), table.Int(r.Means[0].Blocks))
}

// best returns, for each row and metric, whether the mean is the best of the ranked methods with a value on most settings.
func (t Table) best() [][]bool {
	best := make([][]bool, len(t.Rows))
	for i := range best {
		best[i] = make([]bool, len(Metrics()))
	}
	for k, metric := range Metrics() {
		most := 0
		for _, r := range t.Rows {
			most = max(most, r.Means[k].Settings)
		}
		var places []int
		var means []float64
		for i, r := range t.Rows {
			if !r.Beside && r.Status.Ranked() && most > 0 && r.Means[k].Settings == most {
				places, means = append(places, i), append(means, r.Means[k].Value)
			}
		}
		e, _, _ := metrics.LookupOutput(metric)
		ranked, _ := results.Best(means, func(x float64) float64 { return table.Parse(t.Means[k].Number(x)) }, e.Better == metrics.Higher)
		for j, place := range ranked {
			best[places[j]][k] = place == 1
		}
	}
	return best
}

// remarks say what the columns of a table are over.
func (t Table) remarks(most int) (list []string) {
	if len(t.Rows) > 0 {
		list = append(list, "Over "+t.ToTS.Extent.String()+".")
	}
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Means[0].Settings < most }) {
		list = append(list, fewer+": a mean over fewer settings than others of the table. Compare its difference, which is over the settings of both methods.")
	}
	if len(t.Without) > 0 {
		list = append(list, "Without a number: "+english.List(lists.Values(t.Without, func(m *leaderboard.Member) string { return m.Label }))+". The networks come without the arrays that such a method reads, or its code failed.")
	}
	return list
}

// legend says what the columns of all tables are.
func legend() []string {
	return []string{
		"Rank: mean rank by ECE over blocks; 1 is best. A block is the data sets that may share test samples; a block counts once, whatever the number of its settings.",
		"ECE, AECE, NLL, Brier: means over blocks of the clean test sets. Lower is better. Bold: the best ranked method with a number on all settings of the table.",
		"ECE to TS, to QaTS: the shift of the ECE in points over blocks (Hodges and Lehmann), and its 95 % interval. Below zero the method is better. Holm: p of Wilcoxon's signed-rank test over blocks, with Holm's correction over the methods of the table.",
		"Corrupted: the mean difference of the ECE to TS, in points, on the corrupted test sets of CIFAR-10-C. They are of one network, so there is no test.",
		"Drawn splits: the same shift to TS, by the means over splits into calibration and test rows that a maintainer drew by the hash of a commit. Methods of this project have none here.",
	}
}

// about says what methods of a contract see and keep.
func about(c leaderboard.Contract) string {
	return map[leaderboard.Contract]string{
		leaderboard.KeepsTop:   "These methods read logits and labels of the calibration set, and return probabilities of all classes. The predicted class of every row is that of the network.",
		leaderboard.ChangesTop: "These methods read logits and labels of the calibration set, and return probabilities of all classes. The predicted class of a row may be another one than that of the network, so the accuracy may change.",
		leaderboard.TopLabel:   "These methods return a new confidence of the predicted class, and nothing about the other classes. They have no NLL and no Brier score.",
		leaderboard.Features:   "These methods also read features of the network, its last layer, or logits of augmented views. Few networks come with such arrays, so the table is about those alone.",
		leaderboard.OOD:        "These methods also read logits of out-of-distribution rows.",
		leaderboard.Target:     "These methods also read rows of the set that they are tested on, without labels.",
	}[c]
}

// Printed returns the board as it is printed.
func (b *Board) Printed() *leaderboard.Printed {
	p := &leaderboard.Printed{Title: b.Title, Legend: legend(), Settings: b.Settings, From: b.From, Methods: b.Methods, Entries: b.Entries}
	for _, t := range b.Tables {
		p.Sections = append(p.Sections, leaderboard.Section{Contract: t.Contract, About: about(t.Contract), Statement: t.Statement(), Table: t.Table()})
	}
	return p
}
