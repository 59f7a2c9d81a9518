package main

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/arrays"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// print prints the metrics in nine significant digits, as in results.csv, and their intervals. For an
// undefined metric that the user named, the reason goes to standard error.
func (s *scoreFlags) print(cmd *cobra.Command, score *arrays.Score, samples *metrics.Samples) error {
	t := &table.Table{Rows: make([]table.Row, 1)}
	add := func(name string, c table.Cell) {
		t.Columns = append(t.Columns, table.Column{Key: name, Head: name})
		t.Rows[0].Cells = append(t.Rows[0].Cells, c)
	}
	add("n", table.Int(samples.Len()))
	if groups := samples.Groups(); groups != samples.Len() {
		add("groups", table.Int(groups))
	}
	intervals, err := score.Intervals(cmd.Context(), samples)
	if err != nil {
		return err
	}
	for _, e := range score.Metrics {
		list, err := score.Compute(samples, e)
		if err != nil && (cmd.Flags().Changed("metric") || !errors.Is(err, metrics.ErrNoVector)) {
			warn(cmd.ErrOrStderr(), newTextWarning(e.Name+": "+err.Error()))
		}
		for i, name := range e.Names() {
			value := table.Cell{Text: "-"}
			if err == nil {
				value = nine(list[i])
			}
			e, ok := intervals[name]
			lo, hi := table.Cell{Text: "-"}, table.Cell{Text: "-"}
			switch {
			case !ok:
			case e.Err == nil:
				lo, hi = nine(e.Lo), nine(e.Hi)
				value.Text += " [" + lo.Text + ", " + hi.Text + "]"
			case err == nil:
				warn(cmd.ErrOrStderr(), newTextWarning("interval of "+name+": "+e.Err.Error()))
			}
			add(name, value)
			if ok && s.json {
				add(name+"_lo", lo)
				add(name+"_hi", hi)
			}
		}
	}
	if s.bins > 0 {
		bins := lists.Values(s.binning().Of(samples), func(b metrics.Bin) results.Bin {
			return results.Bin{Lo: b.Lo, Hi: b.Hi, N: b.N, Conf: b.Conf, Acc: b.Acc}
		})
		add("bins", table.Cell{Value: binsJSON(bins)})
	}
	if s.json {
		return t.JSON(cmd.OutOrStdout())
	}
	return t.Turned().Text(cmd.OutOrStdout(), widthOf(cmd.OutOrStdout()))
}

// nine prints nine significant digits.
func nine(v float64) table.Cell {
	return table.Cell{Text: strconv.FormatFloat(v, 'g', 9, 64), Value: v}
}
