package pivot

import (
	"cmp"
	"slices"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// addRow appends row i of the table, with its mean where methods make the rows.
func (p *pivoting) addRow(g *group, i int) {
	row := Row{IDs: g.ids}
	for k, id := range g.ids {
		row.Labels = append(row.Labels, p.spec.label(p.spec.Rows[k], id))
		if p.spec.Rows[k] == "method" {
			row.Rival = p.rivals[slices.IndexFunc(p.rivals, func(r *Rival) bool { return r.ID == id })]
		}
	}
	for j := range g.contests {
		list, settings := g.records(j)
		c := p.cell(list, settings, i)
		row.Cells = append(row.Cells, c)
		switch {
		case !c.OK:
			continue
		case c.Simulated:
			p.table.Simulated++
		default:
			p.table.Measured++
		}
		p.used = append(p.used, list...)
	}
	if p.spec.Mean && p.spec.MethodsAreRows() {
		var all []results.Record
		settings := 0
		for j := range g.contests {
			list, n := g.records(j)
			all, settings = append(all, list...), settings+n
		}
		row.Cells = append(row.Cells, p.mean(all, settings, i))
	}
	p.table.Rows = append(p.table.Rows, row)
}

// records returns the records of column j and the number of settings that they
// should have, which is 1 if no rival has a record.
func (g *group) records(j int) (list []results.Record, settings int) {
	if g.contests[j] == nil {
		return nil, 1
	}
	for _, s := range g.contests[j].settings {
		if r, ok := g.cells[j][s]; ok {
			list = append(list, r)
		}
	}
	return list, len(g.contests[j].settings)
}

// cell makes a cell of row i from the records of the given number of settings.
func (p *pivoting) cell(list []results.Record, settings, i int) Cell {
	var c Cell
	for _, r := range list {
		for _, f := range r.Note {
			if r.Status != results.OK || f.Kind == results.Warned {
				c.note(p.notes.number(r.Status, f, i))
			}
		}
	}
	if len(list) < settings {
		c.note(p.notes.add(i, "no record"))
	}
	mean := p.mean(list, settings, i)
	for _, n := range mean.Notes {
		c.note(n)
	}
	mean.Notes = c.Notes
	if mean.OK && p.spec.ConsistencyBand && len(list) == 1 {
		mean.Band = p.band(list[0])
	}
	if sd, ok := results.DeviationOverSeeds(list); mean.OK && ok {
		mean.Deviation, mean.Spread = sd, p.spec.print(sd)
	}
	return mean
}

// mean makes a cell of row i with the mean over the given number of settings. The
// cell has a number only if each setting has one and all have the same source. It
// does not repeat the footnotes of the records.
func (p *pivoting) mean(list []results.Record, settings, i int) Cell {
	var c Cell
	n, simulated, standIns := 0, 0, 0
	for _, r := range list {
		if r.Status != results.OK {
			continue
		}
		n++
		if r.Source != "measured" {
			simulated++
		}
		if p.standsIn(r) {
			standIns++
		}
	}
	switch {
	case n < settings && settings > 1:
		what := "settings"
		if slices.ContainsFunc(list, func(r results.Record) bool { return r.Variant.Training > 0 }) {
			what = "settings and seeds"
		}
		c.note(p.notes.add(i, "no average: no value in %d of %d %s", settings-n, settings, what))
		return c
	case n < settings:
		return c
	case simulated > 0 && simulated < n:
		c.note(p.notes.add(i, "no average: measured and simulated are not mixed (%d and %d)", n-simulated, simulated))
		return c
	case p.spec.Number > 0 && standIns > 0 && standIns < n:
		c.note(p.notes.add(i, "no average: the paper's networks and others of the same architectures are not mixed (%d and %d)", n-standIns, standIns))
		return c
	}
	c.OK, c.Value, c.StandIn, c.records = true, results.MeanOverSettings(list), standIns > 0, list
	c.Text, c.Simulated, c.Changes = p.spec.print(c.Value), simulated > 0, p.changes(list)
	return c
}

// standsIn reports whether a number is marked as one of a stand-in. In a table of the
// paper these are all measured numbers that are not declared the paper's own. In
// other tables a network stands for itself unless its note says otherwise.
func (p *pivoting) standsIn(r results.Record) bool {
	return r.StandIn() != "" || p.spec.Number > 0 && r.StandsIn()
}

func (c *Cell) note(n int) {
	if !slices.Contains(c.Notes, n) {
		c.Notes = append(c.Notes, n)
		slices.Sort(c.Notes)
	}
}

// changes returns Yes if any of the records changes predictions, else Unknown if
// that is not known for one of them, else No. A table of times does not say it.
func (p *pivoting) changes(list []results.Record) Changes {
	answer := No
	if p.spec.Metric == results.TimeMetric {
		return answer
	}
	for _, r := range list {
		id := r.Place()
		id.Metric = "argmax_change"
		switch c := p.index[id]; {
		case c.Status != results.OK: // or there is none
			answer = Unknown
		case c.Value > 0:
			return Yes
		}
	}
	return answer
}

// band returns the printed consistency band of a record, empty if it is not known. Its ends are
// quantiles of 200 draws, so they have one digit less than the record.
func (p *pivoting) band(r results.Record) string {
	id := r.Place()
	id.Metric = r.Metric + "_null_lo"
	lo := p.index[id]
	id.Metric = r.Metric + "_null_hi"
	hi := p.index[id]
	if lo.Status != results.OK || hi.Status != results.OK { // or there is none
		return ""
	}
	digits := max(0, p.spec.digits()-1)
	return "[" + p.spec.printed(lo.Value, digits) + ", " + p.spec.printed(hi.Value, digits) + "]"
}

// settle fills in what concerns whole rows, columns or rivals.
func (p *pivoting) settle(groups []*group) {
	t := p.table
	// same returns a number that the contests of some cells share, 0 if they differ.
	same := func(rows []*group, columns []int, of func(*contest) int) int {
		n := -1
		for _, g := range rows {
			for _, j := range columns {
				if c := g.contests[j]; c != nil && n < 0 {
					n = of(c)
				} else if c != nil && n != of(c) {
					return 0
				}
			}
		}
		return max(n, 0)
	}
	count := func(rows []*group, columns []int) int {
		return same(rows, columns, func(c *contest) int { return len(c.whole) })
	}
	seeds := func(c *contest) int {
		if len(c.whole) == 1 && c.first.Variant.Training > 0 && (len(p.spec.Average) > 0 || p.spec.JoinsSeeds()) {
			return len(c.settings)
		}
		return 0
	}
	var all []int
	for j := range t.Columns {
		all = append(all, j)
		t.Columns[j].Settings = count(groups, []int{j})
	}
	t.Settings = count(groups, all)
	for i := range t.Rows {
		t.Rows[i].Settings, t.Rows[i].Seeds = count(groups[i:i+1], all), same(groups[i:i+1], all, seeds)
	}
	t.From = results.DistinctFrom(p.used)
	t.StandIns = lists.Distinct(lists.Where(p.used, p.standsIn), func(r results.Record) string { return cmp.Or(r.StandIn(), Undeclared) })

	var unknown []results.Record
	for _, rival := range p.rivals {
		list := lists.Where(p.used, func(r results.Record) bool { return value(r, t.rivalColumn()) == rival.ID })
		if len(list) > 0 {
			rival.Changes = p.changes(list)
		}
		unknown = append(unknown, lists.Where(list, func(r results.Record) bool { return p.changes([]results.Record{r}) == Unknown })...)
	}
	t.Unknown = lists.Distinct(unknown, func(r results.Record) string { return p.spec.label("method", r.Method) })
}

// liftNotes moves a footnote that all cells of a rival have to the label of the
// rival, if these are two or more cells.
func (p *pivoting) liftNotes() {
	t := p.table
	for _, rival := range p.rivals {
		var cells []*Cell
		for i := range t.Rows {
			for j, c := range t.Columns {
				if c.Mean || t.Rows[i].Mean || c.Rival != rival && t.Rows[i].Rival != rival {
					continue
				}
				cells = append(cells, &t.Rows[i].Cells[j])
			}
		}
		if len(cells) < 2 {
			continue
		}
		for _, n := range cells[0].Notes {
			if !slices.ContainsFunc(cells, func(c *Cell) bool { return !slices.Contains(c.Notes, n) }) {
				rival.Notes = append(rival.Notes, n)
			}
		}
		for _, c := range cells {
			c.Notes = slices.DeleteFunc(c.Notes, func(n int) bool { return slices.Contains(rival.Notes, n) })
		}
	}
}

// addMean appends a row with the mean over all settings of all rows. Where methods
// make the rows, it adds the column of means instead, whose cells are there
// already.
func (p *pivoting) addMean(groups []*group) {
	t := p.table
	if p.spec.MethodsAreRows() {
		t.Columns = append(t.Columns, Column{Label: "Average", Mean: true})
		return
	}
	row := Row{Mean: true, Labels: make([]string, len(p.spec.Rows))}
	trainings := 0
	var whole []results.Setting
	for _, g := range groups {
		_, n := g.records(0)
		trainings += n
		if c := g.contests[0]; c != nil {
			whole = append(whole, c.whole...)
		} else {
			row.Settings += n
		}
	}
	row.Settings += len(lists.Distinct(whole, func(s results.Setting) results.Setting { return s }))
	if row.Labels[0] = "Average"; len(row.Labels) > 1 {
		row.Labels[1] = english.Count(row.Settings, "setting")
	} else {
		row.Labels[0] += " (" + english.Count(row.Settings, "setting") + ")"
	}
	for j := range t.Columns {
		var list []results.Record
		for _, g := range groups {
			records, _ := g.records(j)
			list = append(list, records...)
		}
		row.Cells = append(row.Cells, p.mean(list, trainings, len(groups)))
	}
	t.Rows = append(t.Rows, row)
}
