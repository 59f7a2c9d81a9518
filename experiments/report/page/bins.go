package page

import (
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// binsOf ranks the methods of a source by a metric with each number of bins that the
// rows have. It returns nil where the metric has none, or nothing can be ranked.
func binsOf(f *results.Rows, o Options, metric, source string) []chart {
	names, bins := compare.BinFamily(metric, f.Records)
	if len(names) < 2 {
		return nil
	}
	a := agreementOf(f, o, names, source)
	if a == nil || len(a.Metrics) < len(names) {
		return nil
	}
	return []chart{agreementChart(a, o, "Mean rank by the number of bins", drawn(plots.RankBinsOf(a, metric, bins, o.labels)))}
}

// agreementOf compares the rankings of a source by several metrics; nil if it cannot.
func agreementOf(f *results.Rows, o Options, names []string, source string) *compare.Agreement {
	of := lists.Where(f.Records, func(r record) bool {
		return (r.Source == source || r.Source == "") && slices.Contains(names, r.Metric)
	})
	list, err := compare.Agree(of, names, o.comparing("", o.Against))
	if err != nil || len(list) == 0 {
		return nil // such as fewer than three methods: there is nothing to show
	}
	return list[0]
}

// agreementChart returns a figure of an agreement with the numbers as qats compare prints
// them.
func agreementChart(a *compare.Agreement, o Options, heading string, figure picture) chart {
	var text strings.Builder
	a.Text(&text, func(method string) string { return o.labels[method] }) // a strings.Builder returns no error
	return chart{Heading: heading, Figure: figure, Text: text.String()}
}
