package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
)

// Pivot makes the table that spec describes of records, which keep their
// order. It returns an error that names the table, the column and both values
// where a cell or a row would bring unlike records together, and where an
// average, a ranking or a gap would mix measured with simulated numbers.
func Pivot(records []results.Record, spec Spec) (*Table, error) {
	t, err := pivot(records, spec)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", spec.Name, err)
	}
	return t, nil
}

// identity is what occurs once in results.csv.
type identity struct {
	results.Cell
	method, metric string
}

func identify(r results.Record) identity { return identity{r.Cell, r.Method, r.Metric} }

// pivoting is the state of one call of Pivot.
type pivoting struct {
	spec  Spec
	index map[identity]results.Record // all records that are kept
	notes notes
	table *Table
}

func pivot(records []results.Record, spec Spec) (*Table, error) {
	spec, err := spec.check()
	if err != nil {
		return nil, err
	}
	p := &pivoting{spec: spec, index: map[identity]results.Record{}}
	var shown []results.Record
	for _, r := range records {
		if !kept(r, spec.Only) {
			continue
		}
		if other, twice := p.index[identify(r)]; twice {
			return nil, duplicate(other, r)
		}
		p.index[identify(r)] = r
		if r.Metric == spec.Metric {
			shown = append(shown, r)
		}
	}
	if len(shown) == 0 {
		return nil, fmt.Errorf("none of %d records has metric %s and passes the filter", len(records), spec.Metric)
	}
	p.table = &Table{Columns: p.columns(shown)}
	if err := p.highlight(); err != nil {
		return nil, err
	}
	p.table.Spec = p.spec
	groups, err := p.group(shown)
	if err != nil {
		return nil, err
	}
	for i, g := range groups {
		if err := p.addRow(g, i); err != nil {
			return nil, err
		}
	}
	p.settle(groups)
	if spec.Mean {
		if err := p.addMean(groups); err != nil {
			return nil, err
		}
	}
	p.table.Notes = p.notes.list
	return p.table, nil
}

func kept(r results.Record, only map[string][]string) bool {
	for column, ids := range only {
		if !slices.Contains(ids, value(r, column)) {
			return false
		}
	}
	return true
}

// duplicate is the error of two records that agree in all that names them.
func duplicate(a, b results.Record) error {
	what := place(a) + "/" + a.Metric
	if a.Source != b.Source {
		return fmt.Errorf("two records of %s differ in column source: %s and %s", what, a.Source, b.Source)
	}
	return fmt.Errorf("two records of %s, with values %v and %v", what, a.Value, b.Value)
}

// order returns the ids of a column in the order in which they are shown.
func (p *pivoting) order(column string, shown []results.Record) []string {
	ids := slices.Clone(p.spec.Only[column])
	for _, r := range shown {
		if id := value(r, column); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (p *pivoting) columns(shown []results.Record) []Column {
	var ranked, aside []Column
	for _, id := range p.order(p.spec.Columns, shown) {
		c := Column{ID: id, Label: p.spec.label(p.spec.Columns, id), Ranked: !slices.Contains(p.spec.Unranked, id)}
		if c.Ranked {
			ranked = append(ranked, c)
		} else {
			aside = append(aside, c)
		}
	}
	return append(ranked, aside...)
}

// highlight settles which column has the gap.
func (p *pivoting) highlight() error {
	var ranked []string
	for _, c := range p.table.Columns {
		if c.Ranked {
			ranked = append(ranked, c.ID)
		}
	}
	if !p.spec.Gap {
		return nil
	}
	if p.spec.Highlight == "" && len(ranked) > 0 {
		p.spec.Highlight = ranked[len(ranked)-1]
	}
	if !slices.Contains(ranked, p.spec.Highlight) {
		return fmt.Errorf("highlight: %q is no ranked column; those are %s", p.spec.Highlight, strings.Join(ranked, ", "))
	}
	return nil
}

// group is the records of one row.
type group struct {
	ids      []string
	settings []string                    // what is averaged over; one "" if nothing is
	cells    []map[string]results.Record // for each column of the table: setting -> record
}

// group sorts the records into rows and cells and checks the residue.
func (p *pivoting) group(shown []results.Record) ([]*group, error) {
	rank := map[string]map[string]int{}
	for _, c := range p.spec.Rows {
		rank[c] = map[string]int{}
		for i, id := range p.order(c, shown) {
			rank[c][id] = i
		}
	}
	byID := map[string]*group{}
	var groups []*group
	first := map[*group]results.Record{}
	for _, r := range shown {
		ids := values(r, p.spec.Rows)
		g := byID[strings.Join(ids, "\x00")]
		if g == nil {
			g = &group{ids: ids, cells: make([]map[string]results.Record, len(p.table.Columns))}
			byID[strings.Join(ids, "\x00")] = g
			groups = append(groups, g)
			first[g] = r
		}
		column := slices.IndexFunc(p.table.Columns, func(c Column) bool { return c.ID == value(r, p.spec.Columns) })
		if err := p.agree(g, column, first[g], r); err != nil {
			return nil, err
		}
		setting := strings.Join(values(r, p.spec.Average), "/")
		if g.cells[column] == nil {
			g.cells[column] = map[string]results.Record{}
		}
		g.cells[column][setting] = r
		if !slices.Contains(g.settings, setting) {
			g.settings = append(g.settings, setting)
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
	return groups, nil
}

// agree checks r against the residue of its row, of which first is a record.
func (p *pivoting) agree(g *group, column int, first, r results.Record) error {
	for _, c := range dimensions {
		if c == p.spec.Columns || slices.Contains(p.spec.Rows, c) || slices.Contains(p.spec.Average, c) {
			continue
		}
		if value(r, c) == value(first, c) {
			continue
		}
		// Prefer to name two records of one cell.
		where := "one row"
		for _, s := range g.settings {
			if other, ok := g.cells[column][s]; ok && value(other, c) != value(r, c) {
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
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = value(r, c)
	}
	return list
}
