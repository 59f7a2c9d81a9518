package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Pareto sets the values of a metric beside the fit times, for the same methods on the
// same settings.
type Pareto struct {
	All     *Comparison // by the metric, on all settings with values
	Quality *Comparison // by the metric, on the settings that have fit times too; its ranking has Methods
	Times   *Comparison // by fit time
	Methods []string    // in the order of their mean ranks by the metric
	Values  []float64   // means over blocks
	Seconds []float64   // geometric means over blocks

	// Front holds the places in Methods of those that no other method beats in one
	// number without losing in the other, in the order of their times; nil where the values
	// are simulated.
	Front []int

	Programs []string // of Methods, those whose times include the start of an external program
	Untimed  []string // methods that are ranked by the metric and lack fit times
	Lost     int      // settings that are ranked by the metric and lack the fit time of a method
}

// ParetoOf compares by the metric and by fit time. The records are of one source and
// have times ([results.TimeRecords]). It is an error if there is no ranking by the
// metric, no fit time, or no ranking on the settings that have both.
func ParetoOf(records []results.Record, o Options) (*Pareto, error) {
	all, err := rankingOf(records, o, "")
	if err != nil {
		return nil, err
	}
	timed := lists.Where(all.Ranking.Methods, func(m string) bool {
		return slices.ContainsFunc(records, func(r results.Record) bool {
			return r.Method == m && r.Metric == results.TimeMetric && r.Status == results.OK
		})
	})
	if len(timed) == 0 {
		return nil, fmt.Errorf("no fit times: times.csv has none of these settings")
	}
	byTime := o
	byTime.Metric = results.TimeMetric
	times, err := rankingOf(recordsOf(records, timed), byTime, "fit times: ")
	if err != nil {
		return nil, err
	}
	timed = times.Ranking.Methods
	p := &Pareto{All: all, Untimed: lists.Where(all.Ranking.Methods, func(m string) bool { return !slices.Contains(timed, m) })}
	common, _, err := onCommonSettings(recordsOf(records, timed), timed, []string{o.Metric, results.TimeMetric}, o.Variants)
	if err != nil {
		return nil, err
	}
	o.Variants, byTime.Variants = variantsOf(common), variantsOf(common)
	const where = "on the settings with values and fit times: "
	if len(common) == 0 {
		return nil, fmt.Errorf(where + "no setting has all of them")
	}
	if p.Quality, err = rankingOf(common, o, where); err != nil {
		return nil, err
	}
	if p.Times, err = rankingOf(common, byTime, where); err != nil {
		return nil, err
	}
	p.Lost = all.Ranking.Settings - p.Quality.Ranking.Settings
	p.Methods, p.Values = p.Quality.Ranking.Methods, p.Quality.Ranking.Means
	for _, m := range p.Methods {
		p.Seconds = append(p.Seconds, math.Exp(p.Times.Ranking.Means[slices.Index(p.Times.Ranking.Methods, m)]))
	}
	p.Programs = lists.Where(p.Methods, func(m string) bool {
		return slices.ContainsFunc(common, func(r results.Record) bool {
			return r.Method == m && r.Metric == results.TimeMetric && r.Note.Has(results.Program)
		})
	})
	if p.Quality.Judged() {
		p.Front = front(p.Seconds, p.Values, p.Quality.Better == metrics.Higher)
	}
	return p, nil
}

// recordsOf returns the records of some methods.
func recordsOf(records []results.Record, methods []string) []results.Record {
	return lists.Where(records, func(r results.Record) bool { return slices.Contains(methods, r.Method) })
}

// rankingOf compares the methods of the records, and the named ones among them, against
// the one named or else the first. Without a ranking it is an error that begins with
// where.
func rankingOf(records []results.Record, o Options, where string) (*Comparison, error) {
	valued := lists.Where(records, func(r results.Record) bool { return r.Metric == o.Metric && r.Status == results.OK })
	present := lists.Distinct(valued, func(r results.Record) string { return r.Method })
	if len(present) == 0 {
		return nil, fmt.Errorf("%sno value of %s", where, o.Metric)
	}
	if !slices.Contains(present, o.Against) {
		o.Against = present[0]
	}
	if o.Methods != nil {
		o.Methods = lists.Where(o.Methods, func(m string) bool { return slices.Contains(present, m) })
	}
	c, err := rankBy(records, o, o.Metric, o.Methods)
	if err != nil {
		return nil, fmt.Errorf("%s%w", where, err)
	}
	return c, nil
}

// front returns the places of the methods that no other beats in one number without
// losing in the other, in the order of their times.
func front(seconds, values []float64, higher bool) []int {
	cost := func(i int) float64 {
		if higher {
			return -values[i]
		}
		return values[i]
	}
	var list []int
	for i := range seconds {
		beaten := false
		for j := range seconds {
			better := -results.Sign(cost(j) - cost(i))
			beaten = beaten || seconds[j] <= seconds[i] && better >= 0 && (seconds[j] < seconds[i] || better > 0)
		}
		if !beaten {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(seconds[a], seconds[b]) })
	return list
}
