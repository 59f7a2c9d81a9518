package compare

import (
	"io"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/table"
)

// Text prints the comparison for a terminal: the answer, then what WriteTables prints.
func (v View) Text(w io.Writer) error {
	english.Wrap(w, "", v.Sentence(), width)
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return v.WriteTables(w)
}

// WriteTables prints the table of methods by the metric and, where the view is Full, that of strengths, the warnings of fits, and
// the table of redrawn splits.
func (v View) WriteTables(w io.Writer) error {
	var b strings.Builder // returns no error
	v.MethodTable().Text(&b, width)
	if t := v.StrengthTable(); v.Full && t.Rows != nil {
		b.WriteByte('\n')
		t.Origin = ""
		t.Text(&b, width)
	}
	for i, s := range v.warnings() {
		if i == 0 {
			b.WriteString("\nWarnings of fits:\n")
		}
		english.Wrap(&b, "", s, width)
	}
	if len(v.Splits) > 0 {
		b.WriteByte('\n')
		v.SplitTable().Text(&b, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// LaTeX prints the table of methods with all notes of the comparison.
func (v View) LaTeX(w io.Writer) error {
	t := v.MethodTable()
	warnings := v.warnings()
	if len(warnings) > 0 {
		warnings[0] = "Warnings of fits. " + warnings[0]
	}
	t.Legend = slices.Insert(t.Legend, 0, table.Sentences(v.Sentence())...)
	t.Remarks = append(t.Remarks, warnings...)
	return t.LaTeX(w)
}

// compactCaption says what the compact table shows.
func (v View) compactCaption() string {
	unit := ""
	if v.Percent {
		unit = ", in points"
	}
	side := "below"
	if v.Better == "higher" {
		side = "above"
	}
	what, noun, none := "Difference in", "difference", "zero"
	if v.Ratio {
		what, noun, none = "Ratio of", "ratio", "1"
	}
	if v.Judged() && v.Testable() {
		mean := v.MetricLabel
		if v.Percent {
			mean += " in per cent"
		}
		return "Mean " + mean + " over " + v.Extent.String() + ", and the shift of its " + noun + " to " + v.Label(v.Against) + unit +
			" (Hodges\u2013Lehmann estimate); " + side + " " + none + " the method is better. " +
			v.compactTest() + "W/T/L: settings won, tied, lost."
	}
	text := what + " " + v.MetricLabel + " to " + v.Label(v.Against) + unit + ", over " + v.Extent.String()
	if !v.Judged() {
		return text + ". " + unjudged
	}
	return text + "; " + side + " " + none + " the method is better. W/T/L: settings won, tied, lost."
}

// compactTest explains the p of a compact table, with a space after it.
func (v View) compactTest() string {
	switch {
	case !v.decides():
		return "The shift is descriptive: " + v.MetricLabel + " decides nothing. "
	case v.Judgement == nil || v.Ratio:
		return "p: Wilcoxon's signed-rank test, Holm's correction. "
	}
	return "p: Wilcoxon's signed-rank test, Holm's correction over the methods of a table and both scores. "
}
