package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/inspect"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results/table"
)

func demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo [NETWORK]",
		Short: "Calibrate a small network that the program carries, and print a table and a diagram",
		Long: `demo fits uncal, ts, ir and qats on the outputs of a small text classifier, and
prints their scores on its test rows and a reliability diagram. It takes about a
second, needs no file and writes none. The networks are
` + strings.Join(inspect.DemoNetworks(), " (the default) and ") + `.`,
		Example: `  qats demo
  qats demo mlp-tfidf-h128`,
		Args:              arguments(0, 1),
		ValidArgsFunction: oneArgument(inspect.DemoNetworks),
		RunE: func(cmd *cobra.Command, args []string) error {
			network := inspect.DemoNetworks()[0]
			if len(args) > 0 {
				network = args[0]
			}
			d, err := inspect.RunDemo(cmd.Context(), network)
			if err != nil {
				return err
			}
			return printDemo(cmd.OutOrStdout(), d)
		},
	}
}

// printDemo prints a demo in at most 80 columns.
func printDemo(w io.Writer, d *inspect.Demo) error {
	var b strings.Builder
	source := d.Bins[0].Source
	fmt.Fprintf(&b, "%s/%s, %s: %d classes,\n%d calibration rows, %d test rows\n", d.Setting.Dataset, d.Setting.Backbone, source, d.Classes, d.Cal, d.Test)
	english.Wrap(&b, "", d.From, 80)
	b.WriteByte('\n')
	if err := scoreTable(d).Text(&b, 80); err != nil {
		return err
	}
	b.WriteByte('\n')
	english.Wrap(&b, "", "Scores of the test rows, calibration errors (ECE, AECE) in per cent, where lower is better. "+
		"Every method is fitted on the calibration rows alone.", 80)
	fmt.Fprintf(&b, "Lowest ECE: %s.\n\n", strings.Join(lowestECE(d), " and "))

	diagram, err := plots.ReliabilityText(plots.Input{Bins: d.Bins, Methods: []string{"uncal", "qats"}, Labels: report.Labels()})
	if err != nil {
		return err
	}
	b.WriteString(diagram + `
A bar is the accuracy of the rows in a bin of confidence, a line their mean
confidence: above the bar they are overconfident, inside it underconfident.

One network shows nothing general: on mlp-tfidf-h128 (qats demo mlp-tfidf-h128)
QaTS is equal to TS. qats compare --spec companion compares 31 networks. For
your own, from logits (n x k, before the softmax) and labels (n, from 0):

  qats fit qats --logits cal/logits.npy --labels cal/labels.npy -o model.json
  qats apply model.json --logits test/logits.npy -o probs.npy
  qats score --probs probs.npy --labels test/labels.npy
`)
	_, err = io.WriteString(w, b.String())
	return err
}

// scoreTable is the table of the scores and parameters of a demo.
func scoreTable(d *inspect.Demo) *table.Table {
	score := func(head string, factor float64, digits int, unit string) table.Column {
		return table.Column{Head: head, Align: table.Right, Factor: factor, Digits: digits, Unit: unit}
	}
	columns := []table.Column{{Head: "method"}, score("accuracy", 100, 2, " %"), score("ECE", 100, 2, ""), score("AECE", 100, 2, ""), score("NLL", 1, 4, ""),
		{Head: "fitted", Fold: true}}
	t := &table.Table{List: true, Columns: columns}
	for _, c := range d.Columns {
		var fitted []string
		for _, p := range c.Parameters {
			value := fmt.Sprintf("%.3f", p.Value)
			if p.Value == 0 { // exactly: not the 0.000 of a small number
				value = "0"
			}
			fitted = append(fitted, p.Name+" = "+value)
		}
		for _, w := range c.Warnings {
			fitted = append(fitted, w.String())
		}
		cells := []table.Cell{table.Words(c.Entry.Name)}
		for j, v := range []float64{c.Accuracy, c.ECE, c.AECE, c.NLL} {
			cells = append(cells, columns[j+1].Number(v))
		}
		t.Rows = append(t.Rows, table.Row{Cells: append(cells, table.Words(strings.Join(fitted, ", ")))})
	}
	return t
}

// lowestECE returns the methods with the lowest ECE.
func lowestECE(d *inspect.Demo) []string {
	best := slices.MinFunc(d.Columns, func(a, b inspect.DemoColumn) int { return cmp.Compare(a.ECE, b.ECE) }).ECE
	var names []string
	for _, c := range d.Columns {
		if c.ECE == best {
			names = append(names, c.Entry.Name)
		}
	}
	return names
}
