package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// Input has the rows of the CSV files that a figure is drawn from, and says what
// to show of them. A figure reads only the rows that it needs.
type Input struct {
	Bins    []results.Bin
	Records []results.Record
	Pairs   []results.Pair

	Curves map[string]Curve // method id -> what Reliability draws in place of bars; the CSV files have no rows for it

	Positive string // class whose probability reliability diagrams show, such as "class 1"; empty for the confidence of the prediction

	Metrics []string          // that are shown, as in results.csv; nil for the default of the kind
	Methods []string          // ids to show, in this order; nil for all, in the order of their first row
	Labels  map[string]string // method id -> its name in print; the id itself where absent
	Names   results.Names     // of data sets, networks, losses and corruptions

	// For figures that rank: the variants that are asked for by name, as [results.Counts] has
	// them, and the methods that are not ranked, because they see the domain that they are
	// tested on.
	Variants, Target []string
}

// options are the options of a comparison with a method.
func (in Input) options(against string) compare.Options {
	return compare.Options{Metric: in.metric(), Against: against, Variants: in.Variants, Target: in.Target}
}

// axes are the words of a reliability diagram.
type axes struct{ x, y, over, under, binning string }

// axes returns the words for what the bins are of.
func (in Input) axes() axes {
	if in.Positive == "" {
		return axes{"confidence", "accuracy", "overconfident", "underconfident", metrics.Width15}
	}
	return axes{"probability of " + in.Positive, "share of " + in.Positive, "probability too high", "probability too low", metrics.Positive15}
}

// source is where the rows of a figure come from: a value of the source column.
type source string

// The two values of the source column.
const (
	measured  = "measured"
	simulated = "simulated"
)

// series is the bins of one method that are not empty, in the order of their index.
type series struct {
	method
	bins []results.Bin // at least one
	n    int           // rows in all bins, > 0
}

// method is a method and its name in print.
type method struct{ id, label string }

// ece returns the sum over bins b of n_b/n |acc_b - conf_b|, the calibration error
// of the bins that are shown. With width15 bins it is the ECE-15 of results.csv.
func (s series) ece() float64 {
	var sum float64
	for _, b := range s.bins {
		sum += float64(float64(b.N) / float64(s.n) * max(b.Acc-b.Conf, b.Conf-b.Acc))
	}
	return sum
}

// methods returns the methods to show with their names in print. present lists
// the methods that have rows.
func (in Input) methods(present []string) ([]method, error) {
	ids := in.Methods
	if ids == nil {
		ids = present
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no methods to show")
	}
	list := make([]method, len(ids))
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return nil, fmt.Errorf("method %q is listed twice", id)
		}
		list[i] = method{id, id}
		if l, ok := in.Labels[id]; ok {
			list[i].label = l
		}
		list[i].label = printable(list[i].label)
	}
	return list, nil
}

// add returns an error for a row of another source than the rows before it. Before the
// first row the source is empty.
func (s *source) add(of string) error {
	if *s != "" && of != string(*s) {
		return fmt.Errorf("%s rows beside %s ones; one figure never mixes them", of, *s)
	}
	*s = source(of)
	return nil
}

// seriesOf checks the bins of one method on one cell, and their source, and sorts them.
func seriesOf(m method, bins []results.Bin, binning string, from *source) (series, error) {
	s := series{method: m}
	seen := map[int]bool{}
	for _, b := range lists.Where(bins, func(b results.Bin) bool { return b.Binning == binning }) {
		if seen[b.Bin] {
			return s, fmt.Errorf("method %q, %s bin %d: two rows", m.id, binning, b.Bin)
		}
		seen[b.Bin] = true
		if err := cmp.Or(b.Check(), from.add(b.Source)); err != nil {
			return s, fmt.Errorf("method %q, %s bin %d: %w", m.id, binning, b.Bin, err)
		}
		if b.N > 0 {
			s.bins = append(s.bins, b)
			s.n += b.N
		}
	}
	switch {
	case len(seen) == 0:
		return s, fmt.Errorf("method %q has no %s bins, only %s", m.id, binning, strings.Join(lists.Distinct(bins, func(b results.Bin) string { return b.Binning }), ", "))
	case s.n == 0:
		return s, fmt.Errorf("method %q: every %s bin is empty", m.id, binning)
	}
	slices.SortFunc(s.bins, func(a, b results.Bin) int { return cmp.Compare(a.Bin, b.Bin) })
	return s, nil
}

// methodsOf returns the methods of bins in the order of their first row.
func methodsOf(bins []results.Bin) []string {
	return lists.Distinct(bins, func(b results.Bin) string { return b.Method })
}

// cellName is the name of a cell in print.
func (in Input) cellName(c results.Setting) string { return printable(in.Names.Setting(c, " / ")) }

// labels returns the names of methods in print.
func labels(methods []method) []string {
	return lists.Values(methods, func(m method) string { return m.label })
}

// metric returns the metric of a figure that shows one, ECE by default.
func (in Input) metric() string {
	if len(in.Metrics) > 0 {
		return in.Metrics[0]
	}
	return "ece"
}
