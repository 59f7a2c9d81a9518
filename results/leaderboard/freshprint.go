package leaderboard

import (
	"fmt"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// NotJudged is what is said of methods that read more than logits.
const NotJudged = "not judged: the drawn labels depend on the logits alone"

// FreshTable shows what the labels of a round show of methods.
func FreshTable(round int, methods []Fresh) *table.Table {
	t := &table.Table{Caption: fmt.Sprintf("Labels drawn anew, round %d", round), Origin: "SIMULATED LABELS: drawn from probabilities that were fitted to the public ones", Warning: true,
		Columns: []table.Column{{Key: "method", Head: "Method"}}}
	number := func(key, head string, digits int, factor float64) {
		t.Columns = append(t.Columns, table.Column{Key: key, Head: head, Align: table.Right, Digits: digits, Factor: factor, Signed: true})
	}
	judged := lists.Where(methods, Fresh.Judged)
	if len(judged) > 0 {
		for _, r := range judged[0].Rows {
			number("nll_minus_ts_"+r.Labels, "NLL to TS\n"+r.Labels, 4, 0)
		}
		for _, r := range judged[0].Rows {
			number("brier_minus_ts_"+r.Labels, "Brier\n"+r.Labels, 4, 0)
		}
		for _, r := range judged[0].Rows[1:] {
			number("true_error_minus_ts_"+r.Labels, "True error\n"+r.Labels, 2, 100)
		}
	}
	t.Columns = append(t.Columns, table.Column{Key: "p_holm", Head: "Holm", Align: table.Right}, table.Column{Key: "verdict", Head: "Verdict"})
	for _, m := range judged {
		cells := []table.Cell{table.Words(m.Method)}
		add := func(x float64) { cells = append(cells, t.Columns[len(cells)].Number(x)) }
		for _, r := range m.Rows {
			add(r.NLL)
		}
		for _, r := range m.Rows {
			add(r.Brier)
		}
		for _, r := range m.Rows[1:] {
			add(r.Error)
		}
		verdict := table.Words("passes")
		if m.ToBeLookedAt() {
			verdict = table.Words("look")
			verdict.Below = m.Score + " on " + m.At
		}
		t.Rows = append(t.Rows, table.Row{Cells: append(cells, compare.Probability(m.Holm), verdict)})
	}
	settings := 0
	for _, m := range judged {
		settings = max(settings, m.Rows[0].Settings)
	}
	t.Remarks = []string{
		"Differences to TS, means over at most " + english.Count(settings, "setting") + "; below zero the method is better. Public: the labels that everybody has. The other columns keep the logits and have calibration and test labels drawn " +
			"from probabilities of svs, dirichlet and irova, fitted to all rows by cross-fitting; each favours its own family. True error: the mean distance of a row's confidence from its known chance to be right, in points.",
		"Look: on some setting by some score the gain on public labels is larger than on each kind of drawn ones, and that by more than of each method of the project that reads logits alone, beyond chance (Holm over settings and scores). " +
			"A hash of rows is found so. A program that knows the calibration map of a data set can keep its gain: this check does not find it. " +
			"This ranks nothing. Methods that read more than logits: " + NotJudged + ".",
	}
	return t
}
