package compare

import (
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Short is a summary for a terminal: one table, and which methods it leaves out. It leaves out none that was asked for
// by name.
type Short struct {
	Table *table.Table
	Few   int    // methods with too few blocks in common with Against for an interval, where others have enough
	Left  int    // methods for which there was no room
	Signs string // what a sign in the table is; empty where it has none
}

// Shorten returns the summary of the comparisons of a source in at most so many rows, or with all rows for 0. A group
// of methods stands below a line with its title. The table has neither notes nor the changes of the accuracy.
func Shorten(views []View, most int) Short {
	first := views[0]
	var parts []part
	for i, g := range first.summarizedGroups() {
		parts = append(parts, part{g, first.inTable(g, i == 0)})
	}
	var s Short
	if first.Methods == nil && most > 0 {
		s.Few = first.leaveOutFew(views, parts)
		s.Left = cut(parts, most)
	}
	for _, p := range parts {
		if len(p.methods) < 2 && s.Table != nil {
			continue
		}
		next := first.summary(views, p.group, p.methods, View.shifted)
		if slices.ContainsFunc(p.methods, first.Sees) {
			s.Signs = targetSign + ": the method " + seesTarget + "; it is not ranked."
		}
		if s.Table == nil {
			s.Table = next
		} else {
			below(s.Table, next, p.group.Title()+":")
		}
	}
	for j := range s.Table.Columns {
		switch c := &s.Table.Columns[j]; c.Key {
		case "accuracy":
			c.Data = true
		case "verdict": // its words say what it is
			c.Head = ""
		}
	}
	return s
}

// part is a group of methods in a short table, after Against.
type part struct {
	group   Group
	methods []string
}

// leaveOutFew takes the methods without an interval by any metric out of parts where others have one, and
// returns how many methods of the comparisons the parts lack then.
func (v View) leaveOutFew(views []View, parts []part) int {
	enough := func(m string) bool {
		return slices.ContainsFunc(views, func(by View) bool { return by.rowOf(m).Shift.Bounded })
	}
	if !slices.ContainsFunc(v.methodsOf(views), enough) {
		return 0
	}
	var shown []string
	for i := range parts {
		parts[i].methods = lists.Where(parts[i].methods, func(m string) bool { return m == v.Against || results.IsFloor(m) || enough(m) })
		shown = append(shown, parts[i].methods...)
	}
	return len(lists.Where(v.methodsOf(views), func(m string) bool { return !slices.Contains(shown, m) }))
}

// methodsOf returns the methods that some view compares with Against.
func (v View) methodsOf(views []View) []string {
	var list []string
	for _, by := range views {
		list = append(list, lists.Values(by.Rows, func(r Row) string { return r.Method })...)
	}
	return lists.Distinct(list, func(m string) string { return m })
}

// cut takes the last methods out of the longest parts until all have at most so many rows, and returns how many it
// took. A part keeps a method.
func cut(parts []part, most int) (n int) {
	for {
		rows, longest := 0, &parts[0]
		for i := range parts {
			if rows += len(parts[i].methods); len(parts[i].methods) > len(longest.methods) {
				longest = &parts[i]
			}
		}
		last := len(longest.methods) - 1
		if last > 0 && results.IsFloor(longest.methods[last]) {
			last--
		}
		if rows <= most || last < 2 {
			return n
		}
		longest.methods = slices.Delete(longest.methods, last, last+1)
		n++
	}
}

// below puts the rows of a table below those of t, after a line with a title in the place of its first row. Columns that t
// lacks stand before those that follow them.
func below(t, next *table.Table, title string) {
	place := func(key string) int {
		return slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == key })
	}
	at := 0
	for _, c := range next.Columns {
		if found := place(c.Key); found >= 0 {
			at = found + 1
			continue
		}
		t.Columns = slices.Insert(t.Columns, at, c)
		for i := range t.Rows {
			t.Rows[i].Cells = slices.Insert(t.Rows[i].Cells, at, table.Cell{})
		}
		at++
	}
	row := table.Row{Wide: true, Cells: make([]table.Cell, len(t.Columns))}
	row.Cells[0] = table.Words(title)
	t.Rows = append(t.Rows, row)
	for _, r := range next.Rows[1:] {
		cells := make([]table.Cell, len(t.Columns))
		for j, c := range next.Columns {
			cells[place(c.Key)] = r.Cells[j]
		}
		t.Rows = append(t.Rows, table.Row{Cells: cells})
	}
}

// ShortNotes are the notes below a short table, the most important first: what its cells are, what base-rate shows, the
// rule, and what else is known.
func ShortNotes(views []View) []string { return notesOf(views, true) }
