package compare

import (
	"cmp"
	"fmt"
	"math"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// emptyBy returns a comparison by the metric of the options, or by [results.TimeMetric],
// without rows.
func emptyBy(o Options) (Comparison, error) {
	if o.Metric == results.TimeMetric {
		o.Files = cmp.Or(o.Files, timesFile)
		return Comparison{Options: o, MetricLabel: "Fit time", Better: metrics.Lower, Ratio: true}, nil
	}
	entry, output, ok := metrics.LookupOutput(o.Metric)
	switch {
	case !ok:
		return Comparison{}, fmt.Errorf("unknown metric %q", o.Metric)
	case !entry.Better.Ranks():
		return Comparison{}, fmt.Errorf("%s: neither lower nor higher is better, so nothing can be compared by it", o.Metric)
	}
	basis, _ := entry.Judge(o.Metric)
	return Comparison{Options: o, MetricLabel: output.Label, By: basis, Better: entry.Better, Percent: entry.Percent, Digits: entry.Digits()}, nil
}

// Names returns the names of the numbers that methods can be compared by: the outputs
// of metrics with a direction, among them those of ECEOptions that are named, and time.
func Names(named ...string) []string {
	var list []string
	for _, e := range metrics.Known(metrics.Registry(), named...) {
		if e.Better.Ranks() {
			list = append(list, e.Names()...)
		}
	}
	return append(list, results.TimeMetric)
}

// timesFile is the file that times are read from.
const timesFile = "times.csv"

// leastTime replaces a time of 0 seconds, below the clock's resolution, so that it has
// a logarithm.
const leastTime = 1e-9

// milliseconds prints a time, given as the logarithm of its seconds.
func milliseconds(x float64) string { return results.Significant(1000 * math.Exp(x)) }
