package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/table"
)

// positiveFlag declares --positive, which sets class.
func positiveFlag(cmd *cobra.Command, class *int) {
	cmd.Flags().IntVar(class, "positive", metrics.Positive, "the positive `CLASS` of two")
}

// className names the positive class.
func className(class int) string { return fmt.Sprintf("class %d", class) }

// positiveColumns are the columns of P(positive class): those that are printed, beside the ECE, and
// those of the JSON.
func (p printed) positiveColumns() (shown, data []table.Column) {
	if !p.Input.Two() {
		return nil, nil
	}
	only := func(key string) table.Column { return table.Column{Key: key, Data: true} }
	shown = []table.Column{{Key: "ece_positive", Head: fmt.Sprintf("P(%d)", p.Positive), Align: table.Right, Factor: 100, Digits: 2}, {Head: "band", Align: table.Right}}
	data = []table.Column{only("ece_positive_null_lo"), only("ece_positive_null_hi")}
	for _, e := range trial.PositiveMetrics() {
		data = append(data, only(e.Name), only(e.Name+"_lo"), only(e.Name+"_hi"), only(e.Name+"_note"))
	}
	return shown, append(data, only("positive"), only("bins_positive"))
}

// positiveCells are the cells of these columns in the row of a method.
func (p printed) positiveCells(r *trial.Result, shown, data []table.Column) (cells, dataCells []table.Cell) {
	if shown == nil {
		return nil, nil
	}
	of := r.Positive
	if of == nil {
		return []table.Cell{{Text: "-"}, {Text: "-"}}, make([]table.Cell, len(data))
	}
	cells = []table.Cell{shown[0].Number(of.ECE), {Text: fmt.Sprintf("[%.1f, %.1f]", 100*of.Band.Lo, 100*of.Band.Hi)}}
	dataCells = []table.Cell{{Value: of.Band.Lo}, {Value: of.Band.Hi}}
	for _, e := range of.Estimates {
		var note table.Cell
		if e.Err != nil {
			note.Value = e.Err.Error()
		}
		dataCells = append(dataCells, table.Cell{Value: finite(e.Value)}, table.Cell{Value: finite(e.Lo)}, table.Cell{Value: finite(e.Hi)}, note)
	}
	return cells, append(dataCells, table.Cell{Value: p.Positive}, table.Cell{Value: binsJSON(p.PositiveBins(r))})
}

// finite returns a number as JSON has it, and null for one that is not finite.
func finite(v float64) any {
	if v-v != 0 {
		return nil
	}
	return *nineDigits(v)
}

// positiveLines say what P(positive class) is on the rows that judge, before and after the chosen
// method.
func (p printed) positiveLines() (lines []string) {
	if !p.Input.Two() {
		return nil
	}
	for _, r := range lists.Distinct([]*trial.Result{p.Of(trial.Plain), p.Chosen()}, func(r *trial.Result) *trial.Result { return r }) {
		if r == nil || r.Positive == nil {
			continue
		}
		var parts []string
		for _, e := range r.Positive.Estimates {
			_, output, _ := metrics.LookupOutput(e.Metric)
			parts = append(parts, strings.ToLower(output.Label)+" "+estimated(e))
		}
		lines = append(lines, fmt.Sprintf("P(%s) of %s: %s.", className(p.Positive), r.Method.Name, strings.Join(parts, ", ")))
	}
	return lines
}

// estimated prints a value with its interval, or says why there is none.
func estimated(e metrics.Estimate) string {
	switch {
	case e.Value != e.Value:
		return "- (" + e.Err.Error() + ")"
	case e.Err != nil:
		return fmt.Sprintf("%.2f (no interval: %v)", e.Value, e.Err)
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f]", e.Value, e.Lo, e.Hi)
}
