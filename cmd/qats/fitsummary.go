package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/arrays"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/table"
)

// summaryParameters is the most parameters that a summary prints.
const summaryParameters = 20

// fitSummary prints a fit for people: its parameters, its scores on the calibration
// set and the next commands. The samples before and after calibration are nil if the
// set is not in memory.
func (f *fit) fitSummary(w io.Writer, m *spec.Method, fitted *calib.Fitted, before, after *metrics.Samples) {
	fmt.Fprintf(w, "%s: %s\n\n", m.Name, m.Entry.Summary)
	parameters := fitted.Parameters()
	switch {
	case len(parameters) > 0:
		var rows [][]string
		for _, p := range parameters[:min(len(parameters), summaryParameters)] {
			bound := ""
			if p.Bound != "" {
				bound = "at its bound " + p.Bound
			}
			rows = append(rows, []string{p.Name, fmt.Sprintf("%.9g", p.Value), bound})
		}
		table.NewList([]string{"PARAMETER", "VALUE", ""}, rows).Text(w, lineWidth)
		if more := len(parameters) - summaryParameters; more > 0 {
			fmt.Fprintf(w, "and %d more, which the saved model has\n", more)
		}
	case m.Contract().Cal == 0:
		fmt.Fprintln(w, "The method fits no parameters.")
	default:
		fmt.Fprintln(w, "Its parameters have no names, such as one for each class, row or weight; the saved model has them.")
	}
	switch {
	case before != nil:
		fmt.Fprintf(w, "\nOn the %d calibration rows, which the fit has seen:\n\n", before.Len())
		nll := func(s *metrics.Samples) string {
			v, err := metrics.NLL(s)
			if err != nil {
				return "-"
			}
			return fmt.Sprintf("%.6f", v)
		}
		ece := func(s *metrics.Samples) string { return fmt.Sprintf("%.6f", metrics.ECE(s, 15)) }
		table.NewList([]string{"", "BEFORE", "AFTER"}, [][]string{{"NLL", nll(before), nll(after)}, {"ECE", ece(before), ece(after)}}).Text(w, lineWidth)
	case fitted.Report.NLL != 0:
		fmt.Fprintf(w, "\nNLL %.6f on the calibration rows, which the fit has seen.\n", fitted.Report.NLL)
	}
	fmt.Fprintf(w, "\nThe model is not saved. To save it and use it on test rows:\n\n  %s\n  qats apply %s --logits test/logits.npy%s -o probs.npy\n  qats score --probs probs.npy --labels test/labels.npy\n",
		f.again(m.Name), m.Name+".json", f.kindWords())
}

// again returns the command of this fit with -o.
func (f *fit) again(method string) string {
	words := []string{"qats", "fit", method}
	for _, p := range f.params {
		words = append(words, "-p", p)
	}
	for _, x := range f.list("") {
		if *x.path != "" {
			words = append(words, "--"+x.name, filepath.ToSlash(*x.path))
		}
	}
	return quoted(words) + f.kindWords() + " -o " + quoted([]string{method + ".json"})
}

// kindWords returns the flag --kind of this fit, after a space, or nothing.
func (f *fit) kindWords() string {
	if f.files.Kind == "" {
		return ""
	}
	return " --kind " + string(f.files.Kind)
}

// scoreFit returns the scores of the calibration set for the summary, and draws the
// figure. The scores are nil if neither is wanted or the set is not in memory.
func (f *fit) scoreFit(m *spec.Method, fitted *calib.Fitted, cal *data.Set) (before, after *metrics.Samples, err error) {
	switch {
	case f.figure == "" && f.output != "":
		return nil, nil, nil
	case cal == nil && f.figure != "":
		return nil, nil, fmt.Errorf("--figure: %s has no calibration set in memory to draw; qats apply and qats score --figure draw a test set", m.Name)
	case cal == nil || f.figure == "" && m.Contract().Test&^cal.Parts() != 0: // it cannot be applied to its calibration set
		return nil, nil, nil
	}
	before, after, err = arrays.BeforeAfter(fitted, m.Contract(), cal)
	switch {
	case f.figure == "":
		return before, after, err
	case err != nil:
		return nil, nil, fmt.Errorf("--figure: %w", err)
	}
	return before, after, saveDiagrams(f.figure, f.files.Logits, []diagram{{"uncal", "Uncal", before}, {m.Name, m.Label, after}})
}
