package table

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/results"
)

// addRow appends the i-th row of the table.
func (p *pivoting) addRow(g *group, i int) error {
	row := Row{IDs: g.ids, Settings: len(g.settings)}
	for j, id := range g.ids {
		row.Labels = append(row.Labels, p.spec.label(p.spec.Rows[j], id))
	}
	sources := make([]*results.Record, len(p.table.Columns))
	for j := range p.table.Columns {
		var list []results.Record
		missing := 0
		for _, s := range g.settings {
			if r, ok := g.cells[j][s]; ok {
				list = append(list, r)
			} else {
				missing++
			}
		}
		c, err := p.cell(list, missing, i)
		if err != nil {
			return err
		}
		if c.OK {
			sources[j] = &list[0]
			if c.Simulated {
				p.table.Simulated++
			} else {
				p.table.Measured++
			}
		}
		row.Cells = append(row.Cells, c)
	}
	if err := p.mark(&row, sources); err != nil {
		return err
	}
	p.table.Rows = append(p.table.Rows, row)
	return nil
}

// cell makes a cell of the records of its settings; missing of them have no
// record. Footnotes go to row i.
func (p *pivoting) cell(list []results.Record, missing, i int) (Cell, error) {
	var c Cell
	settings := len(list) + missing
	absent := missing
	for _, r := range list {
		if r.Status != results.OK {
			absent++
			c.note(p.notes.add(string(r.Status)+": "+r.Note, i))
		}
		for _, w := range r.Warnings() {
			c.note(p.notes.add("warning: "+w, i))
		}
	}
	if missing > 0 {
		c.note(p.notes.add("no record", i))
	}
	if absent > 0 {
		if settings > 1 {
			c.note(p.notes.add(noAverage(absent, settings), i))
		}
		return c, nil
	}
	mean, err := p.average(list)
	if err != nil {
		return c, err
	}
	mean.Notes = c.Notes
	if p.spec.NullBand {
		mean.Band = p.band(list[0])
	}
	return mean, nil
}

// average makes a cell of the mean of records that all have values.
func (p *pivoting) average(list []results.Record) (Cell, error) {
	sum := 0.0
	for _, r := range list {
		if r.Source != list[0].Source {
			return Cell{}, mixed("an average", list[0], r)
		}
		sum += r.Value
	}
	mean := sum / float64(len(list))
	return Cell{
		OK: true, Value: mean, Text: p.spec.print(mean),
		Simulated: list[0].Source != "measured", Changes: p.changes(list),
	}, nil
}

func (c *Cell) note(n int) {
	if !slices.Contains(c.Notes, n) {
		c.Notes = append(c.Notes, n)
		slices.Sort(c.Notes)
	}
}

// changes is Yes if any of the records changes predictions, otherwise Unknown
// if of any it is not known.
func (p *pivoting) changes(list []results.Record) Changes {
	answer := No
	for _, r := range list {
		id := identify(r)
		id.metric = "argmax_change"
		switch c, ok := p.index[id]; {
		case !ok || c.Status != results.OK:
			answer = Unknown
		case c.Value > 0:
			return Yes
		}
	}
	return answer
}

// band returns the printed null band of a record, or nothing.
func (p *pivoting) band(r results.Record) string {
	id := identify(r)
	id.metric = r.Metric + "_null_lo"
	lo, ok := p.index[id]
	id.metric = r.Metric + "_null_hi"
	hi, also := p.index[id]
	if !ok || !also || lo.Status != results.OK || hi.Status != results.OK {
		return ""
	}
	return "[" + p.spec.print(lo.Value) + ", " + p.spec.print(hi.Value) + "]"
}

// settle draws what concerns whole columns or the whole table.
func (p *pivoting) settle(groups []*group) {
	t := p.table
	t.Settings = t.Rows[0].Settings
	for _, r := range t.Rows {
		if r.Settings != t.Settings {
			t.Settings = 0
		}
	}
	for j := range t.Columns {
		var list []results.Record
		for i, g := range groups {
			if t.Rows[i].Cells[j].OK {
				for _, s := range g.settings {
					list = append(list, g.cells[j][s])
				}
			}
		}
		if len(list) == 0 {
			continue
		}
		t.Columns[j].Changes = p.changes(list)
		for _, r := range list {
			if label := p.spec.label("method", r.Method); p.changes([]results.Record{r}) == Unknown && !slices.Contains(t.Unknown, label) {
				t.Unknown = append(t.Unknown, label)
			}
		}
	}
}

// addMean appends the mean over all settings of all rows. Its records have
// their footnotes at their own rows.
func (p *pivoting) addMean(groups []*group) error {
	row := Row{Mean: true}
	for _, g := range groups {
		row.Settings += len(g.settings)
	}
	row.Labels = make([]string, len(p.spec.Rows))
	if row.Labels[0] = "Mean"; len(row.Labels) > 1 {
		row.Labels[1] = count(row.Settings, "setting")
	} else {
		row.Labels[0] += " (" + count(row.Settings, "setting") + ")"
	}
	sources := make([]*results.Record, len(p.table.Columns))
	for j := range p.table.Columns {
		var list []results.Record
		for _, g := range groups {
			for _, s := range g.settings {
				if r, ok := g.cells[j][s]; ok && r.Status == results.OK {
					list = append(list, r)
				}
			}
		}
		var c Cell
		if absent := row.Settings - len(list); absent > 0 {
			c.note(p.notes.add(noAverage(absent, row.Settings), len(groups)))
		} else {
			var err error
			if c, err = p.average(list); err != nil {
				return err
			}
			sources[j] = &list[0]
		}
		row.Cells = append(row.Cells, c)
	}
	if err := p.mark(&row, sources); err != nil {
		return err
	}
	p.table.Rows = append(p.table.Rows, row)
	return nil
}

func noAverage(absent, settings int) string {
	return fmt.Sprintf("no average: no value in %d of %d settings", absent, settings)
}
