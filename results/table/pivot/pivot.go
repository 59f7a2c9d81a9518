package pivot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
)

// Of makes the table that spec describes from records, and keeps their order.
// Where a cell or a ranking would combine records that differ in anything else,
// it returns an error that names the table, the column and both values. An
// average of measured and simulated numbers is not made: its cell says so.
func Of(records []results.Record, spec crosstab.Spec) (*Pivot, error) {
	t, err := pivot(records, spec)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", spec.Name, err)
	}
	return t, nil
}

// pivoting is the state of one call of Of.
type pivoting struct {
	spec   printing
	index  map[results.Place]results.Record // all records that are kept
	notes  notes
	rivals []*Rival
	used   []results.Record // of the cells with a number, means excepted
	table  *Pivot
}

func pivot(records []results.Record, spec crosstab.Spec) (*Pivot, error) {
	spec, err := spec.Check()
	if err != nil {
		return nil, err
	}
	p := &pivoting{spec: printing{spec}, index: map[results.Place]results.Record{}}
	kept := lists.Where(records, func(r results.Record) bool { return spec.Only.Keeps(r.Setting, r.Method) })
	of := lists.Where(kept, func(r results.Record) bool { return r.Metric == spec.Metric })
	uncounted := 0
	if slices.ContainsFunc(of, func(r results.Record) bool { return spec.Counts(r.Setting) }) { // else it has no others
		aside := lists.Distinct(lists.Where(of, func(r results.Record) bool { return !spec.Counts(r.Setting) }), func(r results.Record) results.Setting { return r.Setting })
		kept, uncounted = lists.Where(kept, func(r results.Record) bool { return spec.Counts(r.Setting) }), len(aside)
	}
	var shown []results.Record
	for _, r := range kept {
		if other, twice := p.index[r.Place()]; twice {
			return nil, duplicate(other, r)
		}
		p.index[r.Place()] = r
		if r.Metric == spec.Metric {
			shown = append(shown, r)
		}
	}
	if len(shown) == 0 {
		return nil, fmt.Errorf("none of %d records has metric %s and passes the filter", len(records), spec.Metric)
	}
	p.table = &Pivot{Spec: spec, Uncounted: uncounted}
	p.head(shown)
	if err := p.checkHighlight(); err != nil {
		return nil, err
	}
	groups, err := p.group(shown)
	if err != nil {
		return nil, err
	}
	for i, g := range groups {
		p.addRow(g, i)
	}
	p.settle(groups)
	if spec.Mean {
		p.addMean(groups)
	}
	p.liftNotes()
	if err := p.rank(); err != nil {
		return nil, err
	}
	p.table.Notes = p.notes.list
	return p.table, nil
}

// duplicate is the error for two records at the same place.
func duplicate(a, b results.Record) error {
	what := place(a) + "/" + a.Metric
	if a.Source != b.Source {
		return fmt.Errorf("two records of %s differ in column source: %s and %s", what, a.Source, b.Source)
	}
	return fmt.Errorf("two records of %s, with values %v and %v", what, a.Value, b.Value)
}

// order returns the ids of a column in the order in which they are shown.
func (p *pivoting) order(column string, shown []results.Record) []string {
	listed := p.spec.Only[column]
	found := lists.Distinct(shown, func(r results.Record) string { return value(r, column) })
	return slices.Concat(listed, lists.Where(found, func(id string) bool { return !slices.Contains(listed, id) }))
}

// head lists the rivals and the columns.
func (p *pivoting) head(shown []results.Record) {
	of := p.table.rivalColumn()
	for _, id := range p.order(of, shown) {
		target := of == "method" && slices.Contains(p.spec.Target, id)
		p.rivals = append(p.rivals, &Rival{
			ID: id, Label: p.spec.label(of, id),
			Ranked:  !slices.Contains(p.spec.Unranked, id) && !target,
			Target:  target,
			OODFree: !target && !(of == "method" && slices.Contains(p.spec.OOD, id)),
		})
	}
	if !p.spec.MethodsAreRows() { // columns without a rank come last
		ranked := lists.Where(p.rivals, func(r *Rival) bool { return r.Ranked })
		p.rivals = append(ranked, lists.Where(p.rivals, func(r *Rival) bool { return !r.Ranked })...)
	}
	p.table.rivals = p.rivals
	if !p.spec.MethodsAreRows() {
		for _, r := range p.rivals {
			p.table.Columns = append(p.table.Columns, Column{ID: r.ID, Label: r.Label, Rival: r})
		}
		return
	}
	for _, id := range p.order(p.spec.Columns, shown) {
		p.table.Columns = append(p.table.Columns, Column{ID: id, Label: p.spec.label(p.spec.Columns, id)})
	}
}

// checkHighlight returns an error if the highlighted rival is not ranked.
func (p *pivoting) checkHighlight() error {
	if p.spec.Highlight == "" {
		return nil
	}
	var ranked []string
	for _, r := range p.rivals {
		if r.Ranked {
			ranked = append(ranked, r.ID)
		}
	}
	if !slices.Contains(ranked, p.spec.Highlight) {
		what := "column"
		if p.spec.MethodsAreRows() {
			what = "row"
		}
		return fmt.Errorf("highlight: %q is not a ranked %s; name one of %s", p.spec.Highlight, what, strings.Join(ranked, ", "))
	}
	return nil
}

// group is the records of one row.
type group struct {
	ids      []string
	cells    []map[string]results.Record // for each column of the table: setting -> record
	contests []*contest                  // for each column; nil if no rival has a record there
}

// contest is one ranking: a row of the table, or one column of the rows that
// differ in the method only.
type contest struct {
	settings []string          // that are averaged, each training by itself; a single "" if there is one
	whole    []results.Setting // the same, several trainings of a network as one
	first    results.Record
}

// contestKey identifies the contest of a column in the row with the ids: where methods
// make the rows, it is that of all rows that differ in the method only.
func (p *pivoting) contestKey(ids []string, column int) string {
	if !p.spec.MethodsAreRows() {
		return strings.Join(ids, "\x00")
	}
	rest := slices.Clone(ids)
	rest[slices.Index(p.spec.Rows, "method")] = ""
	return fmt.Sprintf("%s\x00%d", strings.Join(rest, "\x00"), column)
}

// group sorts the records into rows and cells and checks the residue.
func (p *pivoting) group(shown []results.Record) ([]*group, error) {
	byID := map[string]*group{}
	var groups []*group
	find := func(ids []string) *group {
		key := strings.Join(ids, "\x00")
		if byID[key] == nil {
			byID[key] = &group{ids: ids, cells: make([]map[string]results.Record, len(p.table.Columns))}
			groups = append(groups, byID[key])
		}
		return byID[key]
	}
	contests := map[string]*contest{}
	for _, r := range shown {
		ids := values(r, p.spec.Rows)
		g := find(ids)
		if i := slices.Index(p.spec.Rows, "method"); i >= 0 {
			for _, rival := range p.rivals { // a rival without records has a row too
				other := slices.Clone(ids)
				other[i] = rival.ID
				find(other)
			}
		}
		column := slices.IndexFunc(p.table.Columns, func(c Column) bool { return c.ID == value(r, p.spec.Columns) })
		c := contests[p.contestKey(ids, column)]
		if c == nil {
			c = &contest{first: r}
			contests[p.contestKey(ids, column)] = c
		}
		if err := p.agree(g.cells[column], c, r); err != nil {
			return nil, err
		}
		setting := strings.Join(values(r, p.spec.Average), "/")
		if p.spec.JoinsSeeds() && r.Variant.Training > 0 {
			setting += "/" + r.Variant.String()
		}
		if g.cells[column] == nil {
			g.cells[column] = map[string]results.Record{}
		}
		g.cells[column][setting] = r
		if !slices.Contains(c.settings, setting) {
			c.settings = append(c.settings, setting)
		}
		if !slices.Contains(c.whole, r.WithoutTraining()) {
			c.whole = append(c.whole, r.WithoutTraining())
		}
	}
	for _, g := range groups {
		for j := range p.table.Columns {
			c := contests[p.contestKey(g.ids, j)]
			g.contests = append(g.contests, c)
			p.table.seeded = p.table.seeded || c != nil && len(c.settings) > len(c.whole)
		}
	}
	p.sortRows(groups, shown)
	return groups, nil
}

// sortRows sorts the rows by the order in which their ids are shown.
func (p *pivoting) sortRows(groups []*group, shown []results.Record) {
	rank := map[string]map[string]int{}
	for _, c := range p.spec.Rows {
		rank[c] = map[string]int{}
		for i, id := range p.order(c, shown) {
			rank[c][id] = i
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		for i, c := range p.spec.Rows {
			if d := rank[c][a.ids[i]] - rank[c][b.ids[i]]; d != 0 {
				return d
			}
		}
		return 0
	})
}

// agree returns an error if r, a record of the cell, differs from the others of
// its contest in a column of the residue.
func (p *pivoting) agree(cell map[string]results.Record, in *contest, r results.Record) error {
	for _, c := range crosstab.Dimensions {
		if c == p.spec.Columns || slices.Contains(p.spec.Rows, c) || slices.Contains(p.spec.Average, c) {
			continue
		}
		first := in.first
		if c == crosstab.Variant && p.spec.JoinsSeeds() && r.Variant.Training > 0 && first.Variant.Training > 0 || value(r, c) == value(first, c) {
			continue
		}
		where := "one row"
		if p.spec.MethodsAreRows() {
			where = "one ranking"
		}
		// An error that names two records of one cell is clearer.
		for _, s := range in.settings {
			if other, ok := cell[s]; ok && value(other, c) != value(r, c) {
				first, where = other, "one cell"
				break
			}
		}
		return fmt.Errorf("two records in %s differ in column %s: %q (%s, %s) and %q (%s, %s); make it a row, average over it, or keep one of them",
			where, c, value(first, c), place(first), shownValue(first), value(r, c), place(r), shownValue(r))
	}
	return nil
}

func shownValue(r results.Record) string {
	if r.Status != results.OK {
		return string(r.Status)
	}
	return fmt.Sprint("value ", r.Value)
}

func values(r results.Record, columns []string) []string {
	return lists.Values(columns, func(c string) string { return value(r, c) })
}
