package main

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/table"
)

// scoreSeed is the seed of consistency bands, folds and resamples: score does not know
// the identity of the test set.
const scoreSeed = 0

// print prints the metrics in nine significant digits, as in results.csv. For an
// undefined metric that the user named, the reason goes to standard error.
func (s *scoreFlags) print(cmd *cobra.Command, samples *metrics.Samples, entries []metrics.Entry) error {
	t := &table.Table{Rows: make([]table.Row, 1)}
	add := func(name string, c table.Cell) {
		t.Columns = append(t.Columns, table.Column{Key: name, Head: name})
		t.Rows[0].Cells = append(t.Rows[0].Cells, c)
	}
	add("n", table.Int(samples.Len()))
	intervals, err := s.intervals(cmd, samples, entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		list, err := e.Compute(samples, scoreSeed)
		if err != nil && (cmd.Flags().Changed("metric") || !errors.Is(err, metrics.ErrNoVector)) {
			warn(cmd.ErrOrStderr(), e.Name+": "+err.Error())
		}
		for i, name := range e.Names() {
			score := table.Cell{Text: "-"}
			if err == nil {
				score = nine(list[i])
			}
			add(name, score)
			e, ok := intervals[name]
			lo, hi := table.Cell{Text: "-"}, table.Cell{Text: "-"}
			switch {
			case !ok:
				continue
			case e.Err == nil:
				lo, hi = nine(e.Lo), nine(e.Hi)
			case err == nil:
				warn(cmd.ErrOrStderr(), "interval of "+name+": "+e.Err.Error())
			}
			add(name+"_lo", lo)
			add(name+"_hi", hi)
		}
	}
	if s.json {
		return t.JSON(cmd.OutOrStdout())
	}
	return t.Turned().Text(cmd.OutOrStdout(), lineWidth)
}

// nine prints nine significant digits.
func nine(v float64) table.Cell {
	return table.Cell{Text: strconv.FormatFloat(v, 'g', 9, 64), Value: v}
}

// intervals returns the intervals by the name of the output: none unless the user
// asked for them, and none of metrics that cannot have any.
func (s *scoreFlags) intervals(cmd *cobra.Command, samples *metrics.Samples, entries []metrics.Entry) (map[string]metrics.Estimate, error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e metrics.Entry) bool { return e.Whole })
	if s.interval == "" || len(entries) == 0 {
		return nil, nil
	}
	list, err := metrics.Intervals(cmd.Context(), samples, metrics.PairOptions{Seed: scoreSeed, Interval: s.interval, Metrics: entries})
	if err != nil {
		return nil, err
	}
	byName := map[string]metrics.Estimate{}
	for _, e := range list {
		byName[e.Metric] = e
	}
	return byName, nil
}
