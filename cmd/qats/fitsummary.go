package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/arrays"
	"github.com/qats-bench/qats/experiments/inspect"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/table"
)

// summaryParameters is the most parameters that a summary prints.
const summaryParameters = 20

// fitSummary prints a fit for people: its parameters, its scores on the calibration
// set and the next commands. change is nil if the set is not in memory.
func (f *fit) fitSummary(w io.Writer, m *spec.Method, fitted *calib.Fitted, change *arrays.Change) {
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
		table.NewList([]string{"PARAMETER", "VALUE", ""}, rows).Text(w, widthOf(w))
		if more := len(parameters) - summaryParameters; more > 0 {
			fmt.Fprintf(w, "and %d more, which the saved model has\n", more)
		}
	case m.Contract().Cal == 0:
		fmt.Fprintln(w, "The method fits no parameters.")
	default:
		fmt.Fprintln(w, "Its parameters have no names, such as one for each class, row or weight; the saved model has them.")
	}
	switch {
	case change != nil:
		fmt.Fprintf(w, "\nOn the %d calibration rows, which the fit has seen:\n\n", change.Before.Len())
		changeTable(change).Text(w, lineWidth)
	case fitted.Report.NLL != 0:
		fmt.Fprintf(w, "\nNLL %.6f on the calibration rows, which the fit has seen.\n", fitted.Report.NLL)
	}
	if f.files.Kind == data.KindConfidence {
		fmt.Fprintf(w, "\nThe model is not saved. To save it and use it on test rows:\n\n  %s\n  %s apply %s --confidence test/confidence.npy -o calibrated.npy\n  %s score --confidence calibrated.npy --correct test/correct.npy\n",
			f.again(m.Name), called.Command(), m.Name+".json", called.Command())
		return
	}
	fmt.Fprintf(w, "\nThe model is not saved. To save it and use it on test rows:\n\n  %s\n  %s apply %s --logits test/logits.npy%s -o probs.npy\n  %s score --probs probs.npy --labels test/labels.npy%s\n",
		f.again(m.Name), called.Command(), m.Name+".json", f.kindWords(), called.Command(), f.ignoreWords())
}

// changeTable is the table of the scores of the calibration rows before and after the fit. The
// first row is what the fit minimised, if it minimised one score.
func changeTable(c *arrays.Change) *table.Table {
	number := func(v float64) string { return fmt.Sprintf("%.6f", v) }
	of := func(score func(*metrics.Samples) (float64, error), s *metrics.Samples) string {
		v, err := score(s)
		if err != nil {
			return "-"
		}
		return number(v)
	}
	var rows [][]string
	if c.Objective != "" {
		note := "minimised by the fit"
		if c.Objective == calib.ByNLL && c.Floored > 0 {
			note += ", without a floor"
		}
		rows = append(rows, []string{string(c.Objective), number(c.From), number(c.To), note})
	}
	add := func(name string, score func(*metrics.Samples) (float64, error), note string) {
		rows = append(rows, []string{name, of(score, c.Before), of(score, c.After), note})
	}
	switch {
	case c.ConfidenceOnly:
		add("NLL of right or wrong", func(s *metrics.Samples) (float64, error) { return metrics.TopNLL(s), nil }, "")
	case c.Floored > 0:
		add("NLL", metrics.NLL, "as scores have it: at most 691 nats a row")
	case c.Objective != calib.ByNLL:
		add("NLL", metrics.NLL, "")
	}
	if c.Objective != calib.ByECE {
		add("ECE", func(s *metrics.Samples) (float64, error) { return metrics.ECE(s, 15), nil }, "")
	}
	if c.OnesAfter > 0 {
		rows = append(rows, []string{"p = 1", strconv.Itoa(c.OnesBefore), strconv.Itoa(c.OnesAfter), "rows whose largest probability is exactly 1"})
	}
	add("accuracy", func(s *metrics.Samples) (float64, error) { return metrics.Accuracy(s), nil }, "")
	return table.NewList([]string{"", "BEFORE", "AFTER", ""}, rows)
}

// again returns the command of this fit with -o.
func (f *fit) again(method string) string {
	words := []string{"fit", method}
	for _, p := range f.params {
		words = append(words, "-p", p)
	}
	for _, x := range f.list("") {
		if *x.path != "" {
			words = append(words, "--"+x.name, filepath.ToSlash(*x.path))
		}
	}
	words = append(words, besideWords(f.files.Beside)...)
	return called.Command() + " " + quoted(words) + f.kindWords() + f.ignoreWords() + " -o " + quoted([]string{method + ".json"})
}

// kindWords returns the flag --kind of this fit, or --classes of a confidence alone, after a space, or nothing.
func (f *fit) kindWords() string {
	switch {
	case f.files.Kind == data.KindConfidence && f.files.Classes > 0:
		return fmt.Sprintf(" --classes %d", f.files.Classes)
	case f.kind == data.AnyKind || f.files.Kind == data.KindConfidence:
		return ""
	}
	return " --kind " + string(f.kind)
}

// ignoreWords returns the flag --ignore of this fit, after a space, or nothing.
func (f *fit) ignoreWords() string {
	if len(f.files.Ignore) == 0 {
		return ""
	}
	return " --ignore " + f.files.Ignore.String()
}

// change scores the calibration set before and after the fit, and draws the figure. It is nil
// if the set is not in memory, or the fit cannot be applied to it.
func (f *fit) change(cmd *cobra.Command, m *spec.Method, fitted *calib.Fitted, cal *data.Set) (*arrays.Change, error) {
	switch {
	case cal == nil && f.figure != "":
		return nil, fmt.Errorf("--figure: %s has no calibration set in memory to draw; "+called.Command()+" apply and "+called.Command()+" score --figure draw a test set", m.Name)
	case cal == nil || cal.Labels == nil || f.figure == "" && m.Contract().Test&^cal.Parts() != 0:
		return nil, nil
	}
	change, err := arrays.BeforeAfter(cmd.Context(), m.Method, fitted, cal)
	switch {
	case f.figure == "":
		return change, err
	case err != nil:
		return nil, fmt.Errorf("--figure: %w", err)
	}
	return change, saveDiagrams(cmd.OutOrStdout(), f.figure, pictured{corp: f.corp}, f.files.Logits, []diagram{{"uncal", "Uncal", change.Before}, {m.Name, m.Label, change.After}})
}

// problems prints what is likely a mistake in the calibration set, the warnings and errors of
// qats check, and which classes have few rows. Notes on the form of the files are printed when they are opened.
func (f *fit) problems(cmd *cobra.Command, cal *data.Set, tell func(warning)) error {
	rows := inspect.Arrays{Name: f.files.Logits, Brief: true, Open: func(context.Context) (data.Reader, error) {
		files := f.files
		return data.Files{Logits: files.Logits, Labels: files.Labels, Predicted: files.Predicted, Classes: files.Classes, Kind: files.Kind, Ignore: files.Ignore, Beside: files.Beside, FS: files.FS, MemberLimit: files.MemberLimit}.Open()
	}}
	switch {
	case f.files.Labels == "":
		return nil
	case cal != nil:
		rows = inspect.Rows(f.files.Logits, cal)
	}
	in, err := inspect.Pair(cmd.Context(), rows, nil)
	if err != nil {
		return err
	}
	for _, set := range in.Sets {
		if set.Masked > 0 {
			notesTo(tell)(arrays.Problem{Place: f.files.Logits, Text: set.MaskedNote().String()})
		}
	}
	for _, found := range in.Problems {
		few := found.AlwaysShown && found.Oddity == folder.OddFewRows
		if found.Oddity == folder.OddForm || found.Severity != inspect.Warning && found.Severity != inspect.Error && !few {
			continue
		}
		tell(newRowsWarning(found))
	}
	return nil
}
