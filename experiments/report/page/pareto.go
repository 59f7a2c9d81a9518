package page

import (
	"html/template"
	"slices"

	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// paretoView sets the values of a metric beside the fit times.
type paretoView struct {
	Title  string
	Figure template.HTML
	Table  grid
}

// paretoOf compares the methods of a source by the first metric of the comparisons
// except time, and by fit time. It returns nil where they have no ranking or no times.
func paretoOf(f *results.Rows, o Options, source string) *paretoView {
	named := slices.IndexFunc(o.Metrics, func(m string) bool { return m != results.TimeMetric })
	if named < 0 {
		return nil
	}
	metric := o.Metrics[named]
	of := results.Where(f.Records, func(r record) bool {
		return r.Source == source && r.Metric == metric && r.Variant.Split == 0
	})
	of = append(of, results.TimeRecords(f.Times, of)...)
	p, err := compare.ParetoOf(of, compare.Options{Metric: metric, Against: o.Against, Methods: o.Methods, Block: o.Block})
	if err != nil {
		return nil // such as one method: there is nothing to show
	}
	v := compare.View{Comparison: p.Quality, Labels: o.labels}
	value := p.Quality.MetricLabel
	if p.Quality.Percent {
		value += " (%)"
	}
	view := &paretoView{Title: p.Quality.MetricLabel + " against fit time", Figure: drawn(plots.ParetoOf(p, o.labels)),
		Table: grid{Caption: p.Quality.MetricLabel + " and fit time", Head: []string{"Method", "Fit time, ms", value}}}
	for i, m := range p.Methods {
		view.Table.Rows = append(view.Table.Rows, []string{v.Label(m), milliseconds(p.Seconds[i]), v.Number(p.Values[i])})
	}
	if p.Front != nil {
		view.Table.Head = append(view.Table.Head, "Beaten in both")
		for i := range p.Methods {
			beaten := "yes"
			if slices.Contains(p.Front, i) {
				beaten = "no"
			}
			view.Table.Rows[i] = append(view.Table.Rows[i], beaten)
		}
	}
	return view
}
