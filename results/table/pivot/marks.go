package pivot

import (
	"fmt"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// entry is a number in a ranking.
type entry struct {
	*Cell
	rival *Rival
	key   string // of the ranking
}

// rank marks the numbers of each row, or, where methods make the rows, the numbers
// of each column among the rows that differ in the method only.
func (p *pivoting) rank() error {
	if !p.spec.Better.Ranks() {
		return nil
	}
	var all []entry
	for i := range p.table.Rows {
		row := &p.table.Rows[i]
		for j, c := range p.table.Columns {
			e := entry{Cell: &row.Cells[j], rival: c.Rival, key: fmt.Sprint(i)}
			if p.spec.MethodsAreRows() {
				e.rival, e.key = row.Rival, p.contestKey(row.IDs, j)
			}
			if e.OK && e.rival.Ranked && !(e.StandIn && p.spec.Number > 0) {
				all = append(all, e)
			}
		}
	}
	order, rankings := lists.Group(all, func(e entry) string { return e.key })
	for _, key := range order {
		if err := p.mark(rankings[key]); err != nil {
			return err
		}
	}
	return nil
}

// mark ranks numbers. Where all are equal there is no mark. At a tie with the best other
// number there is no gap, because the shared mark shows it.
func (p *pivoting) mark(ranked []entry) error {
	for _, e := range ranked {
		if a, b := ranked[0].records[0], e.records[0]; a.Source != b.Source {
			return fmt.Errorf("a ranking would mix %s (%s) with %s (%s); keep them in separate rows or tables", a.Source, place(a), b.Source, place(b))
		}
	}
	higher := p.spec.Better == metrics.Higher
	values := lists.Values(ranked, func(e entry) float64 { return e.Value })
	places, level := results.Best(values, func(x float64) float64 { return table.Parse(p.spec.print(x)) }, higher)
	own, other := -1, -1 // the highlighted number, and the best of the others
	for i, e := range ranked {
		p.table.levelled = p.table.levelled || level[i] != table.Parse(e.Text)
		if places != nil {
			e.Mark = []table.Mark{table.Plain, table.Best, table.Second}[places[i]]
		}
		switch {
		case p.spec.Highlight != "" && e.rival.ID == p.spec.Highlight:
			own = i
		case other < 0 || level[i] != level[other] && (level[i] > level[other]) == higher:
			other = i
		}
	}
	if places != nil && own >= 0 && other >= 0 && level[own] != level[other] {
		ranked[own].Gap = p.spec.difference(ranked[own].Text, ranked[other].Text)
		ranked[own].GapBetter = (level[own] > level[other]) == higher
	}
	return nil
}

// notes collects footnotes in the order of their first use.
type notes struct {
	list  []Note
	index map[noteKey]int
	last  []int // the last row that has the note; rows come in order
}

// noteKey tells footnotes apart: notes of one kin share one.
type noteKey struct {
	status results.Status
	kin    results.Note
	format string // of a note on a cell, whose numbers differ
}

// number returns the index of the note for a note of a record, and counts its use in a row.
func (n *notes) number(status results.Status, f results.Note, row int) int {
	text := f.String()
	switch status {
	case results.Skip:
		text = "not run: " + text
	case results.Fail:
		text = "failed: " + text
	}
	return n.count(noteKey{status: status, kin: f.Kin()}, text, row)
}

// add returns the index of a note on a cell, and counts its use in a row.
func (n *notes) add(row int, format string, args ...any) int {
	return n.count(noteKey{format: format}, fmt.Sprintf(format, args...), row)
}

func (n *notes) count(key noteKey, text string, row int) int {
	if n.index == nil {
		n.index = map[noteKey]int{}
	}
	i, ok := n.index[key]
	if !ok {
		i = len(n.list)
		n.index[key] = i
		n.list = append(n.list, Note{Text: text})
		n.last = append(n.last, -1)
	}
	note := &n.list[i]
	note.Times++
	note.Vary = note.Vary || note.Text != text
	if n.last[i] != row {
		note.Rows++
		n.last[i] = row
	}
	return i
}
