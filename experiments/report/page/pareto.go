package page

import (
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// paretoView sets the values of a metric beside the fit times.
type paretoView struct {
	Title  string
	Figure picture
	Table  *table.Table
}

// paretoOf compares the methods of a source by the first metric of the comparisons
// except time, and by fit time. It returns nil where they have no ranking or no times.
func paretoOf(f *results.Rows, o Options, source string) *paretoView {
	named := slices.IndexFunc(o.Metrics, func(m string) bool { return m != results.TimeMetric })
	if named < 0 {
		return nil
	}
	metric := o.Metrics[named]
	of := lists.Where(f.Records, func(r record) bool {
		return r.Source == source && r.Metric == metric && results.Counts(r.Setting, o.Variants)
	})
	of = append(of, results.TimeRecords(f.Times, of)...)
	p, err := compare.ParetoOf(of, o.comparing(metric, o.Against))
	if err != nil {
		return nil // such as one method: there is nothing to show
	}
	v := compare.View{Comparison: p.Quality, Labels: o.labels}
	value := p.Quality.MetricLabel
	if p.Quality.Percent {
		value += " (%)"
	}
	view := &paretoView{Title: p.Quality.MetricLabel + " against fit time", Figure: drawn(plots.ParetoOf(p, o.labels)),
		Table: &table.Table{Caption: p.Quality.MetricLabel + " and fit time",
			Columns: []table.Column{{Head: "Method"}, {Head: "Fit time, ms", Align: table.Right}, {Head: value, Align: table.Right}}}}
	if p.Front != nil {
		view.Table.Columns = append(view.Table.Columns, table.Column{Head: "Beaten in both", Align: table.Right})
	}
	for i, m := range p.Methods {
		cells := []table.Cell{table.Words(v.Label(m)), table.Words(milliseconds(p.Seconds[i])), table.Words(v.Number(p.Values[i]))}
		if p.Front != nil {
			cells = append(cells, table.Cell{Value: !slices.Contains(p.Front, i)})
		}
		view.Table.Rows = append(view.Table.Rows, table.Row{Cells: cells})
	}
	return view
}
