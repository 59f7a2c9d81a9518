package pivot

import (
	"io"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/table"
)

// Table returns the table to be written. Its data forms have the ids of results.csv, the
// values as recorded, and a last column that says where the numbers of a row come from:
// print has that in Origin and in signs, which the data forms lack.
func (t *Pivot) Table() *table.Table {
	s := printing{t.Spec}
	out := &table.Table{
		Name: s.Name, Files: "results.csv", Caption: s.Caption, Origin: t.Origin(), Warning: t.Simulated > 0,
		Labels: len(s.Rows), Grouped: len(s.Rows) > 1, Legend: t.legend(),
	}
	for _, n := range t.Notes {
		out.Notes = append(out.Notes, n.String())
	}
	for _, column := range s.Rows {
		out.Columns = append(out.Columns, table.Column{Key: column, Head: capital(column)})
	}
	tickColumn := t.ticks() && s.MethodsAreRows()
	if tickColumn {
		out.Columns = append(out.Columns, table.Column{Head: "OOD-free?", Aside: true})
		out.Labels++
	}
	over := make([]table.Cell, len(out.Columns))
	over[len(s.Rows)-1].Text = "OOD-free?"
	for j, c := range t.Columns {
		column := t.column(j, c)
		out.Columns = append(out.Columns, column)
		if over = append(over, table.Cell{}); c.Rival != nil {
			over[len(over)-1].Value = c.Rival.OODFree
		}
		if t.spreads(j) {
			out.Columns, over = append(out.Columns, table.Column{Key: column.Key + deviationSuffix, Data: true}), append(over, table.Cell{})
		}
	}
	out.Columns, over = append(out.Columns, table.Column{Key: "source", Data: true}), append(over, table.Cell{})
	if t.ticks() && !s.MethodsAreRows() {
		out.Over = over
	}
	for _, r := range t.Rows {
		row := table.Row{Total: r.Mean}
		for k, label := range t.labels(r) {
			cell := table.Cell{Text: label}
			if !r.Mean {
				cell.Value = r.IDs[k]
			}
			if !r.Mean && s.Rows[k] == "method" {
				cell.Signs, cell.Notes = t.signs(r.Rival), r.Rival.Notes
			}
			row.Cells = append(row.Cells, cell)
		}
		if tickColumn {
			row.Cells = append(row.Cells, table.Cell{Value: r.Rival.OODFree})
		}
		for j, c := range r.Cells {
			row.Cells = append(row.Cells, t.cell(c))
			if !t.spreads(j) {
				continue
			}
			deviation := table.Cell{}
			if c.Spread != "" {
				deviation.Value = c.Deviation
			}
			row.Cells = append(row.Cells, deviation)
		}
		row.Cells = append(row.Cells, table.Cell{Value: r.source()})
		out.Rows = append(out.Rows, row)
	}
	return out
}

// deviationSuffix ends the key of the column with the standard deviations of another column.
const deviationSuffix = "_sd"

// spreads reports whether a number of column j has a standard deviation.
func (t *Pivot) spreads(j int) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[j].Spread != "" })
}

// source names the sources of the numbers of a row as results.csv does, joined by + if
// there are two; it is empty if the row has no number.
func (r Row) source() string {
	var measured, simulated string
	for _, c := range r.Cells {
		switch {
		case !c.OK:
		case c.Simulated:
			simulated = "simulated"
		default:
			measured = "measured"
		}
	}
	if measured != "" && simulated != "" {
		return measured + "+" + simulated
	}
	return measured + simulated
}

// column is the column of numbers c. In tables of more than nine columns its heading has a
// line for each word, which saves width. Space separates columns of means and
// unranked columns from the others.
func (t *Pivot) column(j int, c Column) table.Column {
	out := table.Column{Key: c.ID, Head: c.Label, Align: table.Numbers}
	if c.Mean {
		out.Key = average
	}
	if len(t.Columns) > 9 {
		out.Head = strings.Join(strings.Fields(c.Label), "\n")
	}
	if c.Rival != nil {
		out.Signs, out.Notes = t.signs(c.Rival), c.Rival.Notes
	}
	apart := func(c Column) bool { return c.Mean || c.Rival != nil && !c.Rival.Ranked }
	out.Apart = j > 0 && apart(c) && !apart(t.Columns[j-1])
	return out
}

// cell is a number with its marks.
func (t *Pivot) cell(c Cell) table.Cell {
	out := table.Cell{Text: "--", Mark: c.Mark, Spread: c.Spread, Gap: c.Gap, Good: c.GapBetter, Below: c.below(), Notes: c.Notes}
	if c.OK {
		out.Text, out.Value = c.Text, c.Value
	}
	if c.Simulated && t.mixed() {
		out.Signs = "s"
	}
	if c.StandIn {
		out.Signs += "o"
	}
	if t.changesAtCells() && c.Changes == Yes {
		out.Signs += table.Dagger
	}
	return out
}

// signs returns the signs after the label of a rival: a dagger if it changes predictions,
// a star if it sees the target domain.
func (t *Pivot) signs(r *Rival) (signs string) {
	if r.Changes == Yes && !t.changesAtCells() {
		signs = table.Dagger
	}
	if r.Target {
		signs += table.Star
	}
	return signs
}

// labels returns the labels of a row. Where the number of settings or of their seeds differs
// between rows, the last label that is not a method has the number.
func (t *Pivot) labels(r Row) []string {
	list := slices.Clone(r.Labels)
	if r.Mean || len(t.over()) == 0 || t.Settings > 0 && (!t.seeds() || t.seedsOfAll() > 0) || r.Settings == 0 {
		return list
	}
	for i := len(list) - 1; i >= 0; i-- {
		if t.Spec.Rows[i] != "method" {
			if r.Seeds > 0 {
				list[i] += " (" + english.Count(r.Seeds, "seed") + ")"
			} else {
				list[i] += " (" + english.Count(r.Settings, "setting") + ")"
			}
			break
		}
	}
	return list
}

// Text writes the table for a terminal or a log, as wide as it needs to be.
func (t *Pivot) Text(w io.Writer) error { return t.Table().Text(w, 0) }
