package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// timesOfSource are the fit times of the settings of one source.
type timesOfSource struct {
	Source string
	Rows   []timeRow   // by the geometric mean
	Note   string      // processors, and fits without a time
	Pareto *paretoView // nil where there is no ranking
}

// timeRow has the fit times of a method in milliseconds of processor time. Settings
// with one calibration set share a fit, whose time counts once.
type timeRow struct {
	Method                   string
	Mean, Median, Least, Top string
	Fits                     int
	Samples                  string // calibration rows, least to most
}

// timesOf returns the fit times, measured before simulated, and none without
// times.csv.
func timesOf(f *results.Rows, o Options) (list []timesOfSource) {
	for _, source := range []string{"measured", "simulated"} {
		rows := lists.Where(f.Times, func(t results.Time) bool { return t.Source == source })
		known := lists.Where(rows, func(t results.Time) bool { return t.Known })
		machines := lists.Distinct(known, func(t results.Time) string { return strings.TrimSpace(t.Processor + " " + t.Instructions) })
		machines = lists.Where(machines, func(m string) bool { return m != "" })
		all := lists.Distinct(known, func(t results.Time) timedFit { return timedFit{t.Method, t.Backbone, t.Loss, t.Seconds, t.Rows} })
		methods, fits := lists.Group(all, func(t timedFit) string { return t.method })
		if methods == nil {
			continue
		}
		means := map[string]float64{}
		for _, m := range methods {
			means[m] = geometricMean(fits[m])
		}
		slices.SortStableFunc(methods, func(a, b string) int { return cmp.Compare(means[a], means[b]) })
		part := timesOfSource{Source: source}
		for _, m := range methods {
			part.Rows = append(part.Rows, timeRowOf(o.labels[m], means[m], fits[m]))
		}
		if len(machines) > 0 {
			part.Note = "Fitted on: " + strings.Join(machines, "; ") + "."
		}
		if unknown := len(rows) - len(known); unknown > 0 {
			part.Note = strings.TrimSpace(fmt.Sprintf("%s %s without a time.", part.Note, english.Count(unknown, "cell")))
		}
		part.Pareto = paretoOf(f, o, source)
		list = append(list, part)
	}
	return list
}

// timedFit is a fit with its time. times.csv does not name calibration sets. Rows of one
// network with equal times are taken as one fit: clocks that count nanoseconds rarely
// give two fits the same.
type timedFit struct {
	method, backbone, loss string
	seconds                float64
	rows                   int
}

// geometricMean returns the geometric mean of times in seconds; a time of 0, below the
// resolution of the clock, counts as a nanosecond.
func geometricMean(fits []timedFit) float64 {
	sum := 0.0
	for _, one := range fits {
		sum += math.Log(math.Max(one.seconds, 1e-9))
	}
	return math.Exp(sum / float64(len(fits)))
}

// timeRowOf returns the row of a method. It sorts the fits.
func timeRowOf(label string, mean float64, fits []timedFit) timeRow {
	slices.SortFunc(fits, func(a, b timedFit) int { return cmp.Compare(a.seconds, b.seconds) })
	n, least, most := len(fits), fits[0].rows, fits[0].rows
	for _, one := range fits {
		least, most = min(least, one.rows), max(most, one.rows)
	}
	samples := fmt.Sprintf("%d to %d", least, most)
	switch {
	case most == 0:
		samples = "none"
	case least == most:
		samples = fmt.Sprint(most)
	}
	return timeRow{Method: label, Mean: milliseconds(mean), Median: milliseconds((fits[(n-1)/2].seconds + fits[n/2].seconds) / 2),
		Least: milliseconds(fits[0].seconds), Top: milliseconds(fits[n-1].seconds), Fits: n, Samples: samples}
}

// milliseconds prints seconds in milliseconds, with three significant digits.
func milliseconds(seconds float64) string { return results.Significant(1000 * seconds) }
