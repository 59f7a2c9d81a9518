package compare

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/table"
)

// JSON prints one object for the statement, and one for each method of each table: its verdict, whether
// it is best and ranked, and for each metric the shift to Against with the ends of its interval, and of a score p before
// and after Holm's correction over the table and both scores.
func (c Conclusion) JSON(w io.Writer) error {
	data := func(key string) table.Column { return table.Column{Key: key, Data: true} }
	about := []table.Column{data("kind"), data("source"), data("domain"), data("block"), data("against")}
	values := func(kind string) []table.Cell {
		return []table.Cell{{Value: kind}, {Value: c.Source}, {Value: cmp.Or(strings.Join(c.Domains, ", "), "all")}, {Value: string(cmp.Or(c.Block, BySamples))}, {Value: c.Against}}
	}
	statement := &table.Table{Columns: append(slices.Clone(about), data("settings"), data("blocks"), data("text"))}
	statement.Rows = []table.Row{{Cells: append(values("statement"), table.Int(c.Settings), table.Int(c.Extent.Blocks), table.Cell{Value: c.String()})}}
	if err := statement.JSON(w); err != nil {
		return err
	}
	var metrics []string
	effects := func(m Judged) []Effect { return append(slices.Clone(m.Scores), m.Errors...) }
	for _, m := range c.methods() {
		for _, e := range effects(m) {
			if !slices.Contains(metrics, e.Metric) {
				metrics = append(metrics, e.Metric)
			}
		}
	}
	t := &table.Table{Columns: append(slices.Clone(about), data("table"), data("method"), data("verdict"), data("best"), data("not_ranked"), data("accuracy_difference"),
		data("settings_better"), data("settings_worse"), data("settings_without_difference"))}
	for _, metric := range metrics {
		for _, key := range []string{"shift", "lo", "hi", "blocks", "blocks_that_differ", "p", "p_holm"} {
			t.Columns = append(t.Columns, data(metric+"_"+key))
		}
	}
	for _, g := range c.Groups {
		for _, m := range g.Methods {
			cells := append(values("verdict"), table.Cell{Value: cmp.Or(string(g.Predicts), "not known")}, table.Cell{Value: m.Method}, table.Cell{Value: string(m.Verdict)},
				table.Cell{Value: slices.Contains(g.Best, m.Method)}, table.Cell{Value: c.Floor.Unranked[m.Method]}, table.Cell{Value: m.Accuracy},
				table.Int(m.Win), table.Int(m.Loss), table.Int(m.Tie))
			for _, metric := range metrics {
				cells = append(cells, effectCells(effects(m), metric)...)
			}
			t.Rows = append(t.Rows, table.Row{Cells: cells})
		}
	}
	return t.JSON(w)
}

// effectCells are the numbers of a metric.
func effectCells(list []Effect, metric string) []table.Cell {
	i := slices.IndexFunc(list, func(e Effect) bool { return e.Metric == metric })
	if i < 0 {
		return make([]table.Cell, 7)
	}
	e := list[i]
	number := func(x float64) table.Cell { return table.Cell{Value: x} }
	lo, hi, p := math.NaN(), math.NaN(), math.NaN()
	if e.Row.Shift.Bounded {
		lo, hi = e.Row.Shift.Lo, e.Row.Shift.Hi
	}
	if Decides(metric) {
		p = e.P
	}
	differ := lists.Where(withoutRounding(e.Row.BlockDifference), func(d float64) bool { return d != 0 })
	return []table.Cell{number(e.Row.Shift.Estimate), number(lo), number(hi), table.Int(e.Row.Blocks), table.Int(len(differ)), number(p), number(e.Holm)}
}
