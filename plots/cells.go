package plots

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// cells is the bins of several cells under one binning.
type cells struct {
	rows      []cellRow // the cells with bins of a shown method, in the order of their first row
	methods   []method  // the methods with bins in any cell
	simulated bool
	notes     []string // missing values
}

// cellRow is the bins of one cell, by method; nil where the method has no bins.
type cellRow struct {
	cell   results.Setting
	title  string
	lines  [2]string // the title in two lines: the data set, and the rest
	series map[string]*series
}

// largestShare returns the largest share of rows in a bin of any method, in per cent.
func (r cellRow) largestShare() (most float64) {
	for _, s := range r.series {
		for _, b := range s.bins {
			most = max(most, 100*float64(b.N)/float64(s.n))
		}
	}
	return most
}

// cells checks the rows of one binning and arranges them by cell. It finds the
// skipped cells in in.Records and notes them.
func (in Input) cells(binning string) (cells, error) {
	var t cells
	if len(in.Bins) == 0 {
		return t, fmt.Errorf("no rows of bins.csv")
	}
	all, err := in.methods(methodsOf(in.Bins))
	if err != nil {
		return t, err
	}
	order, bins := in.byCell(all)
	var from source
	without := map[string][]string{}
	for _, c := range order {
		row := cellRow{cell: c, title: in.cellName(c), series: map[string]*series{}}
		row.lines[0], row.lines[1], _ = strings.Cut(row.title, " / ")
		for _, m := range all {
			of := bins[results.Place{Setting: c, Method: m.id}]
			if of == nil {
				without[m.id] = append(without[m.id], row.title)
				continue
			}
			s, err := seriesOf(m, of, binning, &from)
			if err != nil {
				return t, fmt.Errorf("%s: %w", c.Name(), err)
			}
			row.series[m.id] = &s
		}
		if len(row.series) > 0 {
			t.rows = append(t.rows, row)
		}
	}
	if len(t.rows) == 0 {
		return t, fmt.Errorf("no rows of bins.csv for any method shown")
	}
	t.methods, t.notes = missing(all, without, len(order))
	t.simulated = from == simulated
	return t, nil
}

// oneCell is cells for rows of a single cell. A second cell with a shown method, and a
// named method without bins, are errors.
func (in Input) oneCell(binning string) (cells, error) {
	t, err := in.cells(binning)
	if err != nil {
		return t, err
	}
	if len(t.rows) > 1 {
		return t, fmt.Errorf("rows of two cells, %s and %s: a figure shows one", t.rows[0].cell.Name(), t.rows[1].cell.Name())
	}
	for _, id := range in.Methods {
		if t.rows[0].series[id] == nil {
			return t, fmt.Errorf("no rows of method %q in %s", id, t.rows[0].cell.Name())
		}
	}
	return t, nil
}

// byCell returns the bins of each method on each cell, and the cells with a shown method: in
// the order of their first row in in.Records, where skipped cells have rows too, and then in
// in.Bins.
func (in Input) byCell(shown []method) (order []results.Setting, bins map[results.Place][]results.Bin) {
	rows := lists.Values(in.Records, func(r results.Record) results.Place { return results.Place{Setting: r.Setting, Method: r.Method} })
	withBins, bins := lists.Group(in.Bins, func(b results.Bin) results.Place { return results.Place{Setting: b.Setting, Method: b.Method} })
	rows = lists.Where(append(rows, withBins...), func(p results.Place) bool {
		return slices.ContainsFunc(shown, func(m method) bool { return m.id == p.Method })
	})
	return lists.Distinct(rows, func(p results.Place) results.Setting { return p.Setting }), bins
}
