package plots

import (
	"fmt"
	"slices"
	"strings"

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
		row := cellRow{cell: c, title: cellName(c), series: map[string]*series{}}
		row.lines[0], row.lines[1], _ = strings.Cut(row.title, " / ")
		for _, m := range all {
			if !slices.ContainsFunc(bins[c], func(b results.Bin) bool { return b.Method == m.id }) {
				without[m.id] = append(without[m.id], row.title)
				continue
			}
			s, err := Input{Bins: bins[c]}.series(m, binning, &from)
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

// byCell returns the bins of the methods by cell. The order of the cells is that
// of their first row in in.Records, where skipped cells have rows too, and then in
// in.Bins.
func (in Input) byCell(all []method) (order []results.Setting, bins map[results.Setting][]results.Bin) {
	shows := func(id string) bool { return slices.ContainsFunc(all, func(m method) bool { return m.id == id }) }
	records := results.Where(in.Records, func(r results.Record) bool { return shows(r.Method) })
	shown := results.Where(in.Bins, func(b results.Bin) bool { return shows(b.Method) })
	order = results.Distinct(records, func(r results.Record) results.Setting { return r.Setting })
	withBins, bins := results.Group(shown, func(b results.Bin) results.Setting { return b.Setting })
	return results.Distinct(append(order, withBins...), func(c results.Setting) results.Setting { return c }), bins
}
