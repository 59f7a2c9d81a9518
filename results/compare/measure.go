package compare

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// measure is what a comparison has to know of the numbers that it compares.
type measure struct {
	label   string
	better  metrics.Direction // Lower or Higher
	percent bool
	digits  int

	// ratio: the numbers are compared by their ratios. They span powers of ten, and a
	// method that takes twice the time does so on small and on large sets. Inside the
	// comparison they are natural logarithms, so that its means are geometric, its
	// differences are ratios, and its tests are unchanged.
	ratio bool
}

// measureOf returns the measure of a metric, or of [results.TimeMetric].
func measureOf(name string) (measure, error) {
	if name == results.TimeMetric {
		return measure{label: "Fit time", better: metrics.Lower, ratio: true}, nil
	}
	entry, output, ok := metrics.LookupOutput(name)
	switch {
	case !ok:
		return measure{}, fmt.Errorf("unknown metric %q", name)
	case entry.Better == metrics.Neutral:
		return measure{}, fmt.Errorf("%s: neither lower nor higher is better, so nothing can be compared by it", name)
	}
	return measure{label: output.Label, better: entry.Better, percent: entry.Percent, digits: entry.Digits()}, nil
}

// Names returns the names of the numbers that methods can be compared by: the outputs
// of metrics with a direction, and time.
func Names() []string {
	var list []string
	for _, e := range metrics.Registry() {
		if e.Better != metrics.Neutral {
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

// inside returns the number of a record as the comparison computes with it.
func (m measure) inside(x float64) float64 {
	if m.ratio {
		return math.Log(math.Max(x, leastTime))
	}
	return x
}

// milliseconds prints a time, given as the logarithm of its seconds.
func milliseconds(x float64) string { return results.Significant(1000 * math.Exp(x)) }
