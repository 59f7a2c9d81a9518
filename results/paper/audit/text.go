package audit

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/table"
)

// Text prints the number of findings of each kind, then the findings by kind, for
// a terminal of width columns. size is the number of printed numbers checked.
func Text(w io.Writer, size int, findings []Problem, width int) error {
	b := bufio.NewWriter(w)
	english.Wrap(b, "", fmt.Sprintf("Consistency of the published tables: %d numbers checked, %d findings.", size, len(findings)), width)
	english.Wrap(b, "", "A finding names two printed values that do not agree. It does not say which one is right.", width)
	b.WriteByte('\n')
	counts := &table.Table{List: true, Columns: []table.Column{{Align: table.Right}, {}, {Fold: true}}}
	for _, g := range Groups() {
		counts.Rows = append(counts.Rows, table.Row{Cells: []table.Cell{
			table.Int(len(ofKind(g.Kind, findings))), table.Words(string(g.Kind)), table.Words(g.Title)}})
	}
	counts.Text(b, width)
	for _, g := range Groups() {
		if list := ofKind(g.Kind, findings); len(list) > 0 {
			b.WriteByte('\n')
			g.table(list).Text(b, width)
		}
	}
	return b.Flush()
}

// table has the findings of a group below each other.
func (g Group) table(list []Problem) *table.Table {
	t := &table.Table{Caption: fmt.Sprintf("%s: %d", g.Title, len(list)), Origin: g.Rule, List: true, Labels: 2,
		Columns: []table.Column{{Head: "where"}, {}, {Head: g.printed}, {Head: g.recomputed, Fold: true}}}
	for _, f := range list {
		var cells []table.Cell
		for _, text := range []string{fmt.Sprintf("Table %d", f.Number), f.place(), f.Printed, f.Recomputed} {
			cells = append(cells, table.Words(text))
		}
		t.Rows = append(t.Rows, table.Row{Cells: cells})
		if f.Note != "" {
			note := []table.Cell{table.Words("  (" + f.Note + ")"), {}, {}, {}}
			t.Rows = append(t.Rows, table.Row{Cells: note, Wide: true})
		}
	}
	return t
}

func (f Problem) place() string {
	if f.Column == "" {
		return f.Row
	}
	return f.Row + "; " + f.Column
}

// ofKind returns the findings of a kind.
func ofKind(kind Kind, findings []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(findings), func(f Problem) bool { return f.Kind != kind })
}

// JSON prints each finding as an object on a line of its own.
func JSON(w io.Writer, findings []Problem) error { return table.WriteJSON(w, findings) }
