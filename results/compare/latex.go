package compare

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results/table"
)

// LaTeX prints the comparison as one LaTeX float in ASCII, with its notes. It needs
// the packages booktabs and graphicx. A table wider than the line is scaled down.
func (v View) LaTeX(w io.Writer) error {
	warnings := v.warnings()
	if len(warnings) > 0 {
		warnings[0] = "Warnings of fits. " + warnings[0]
	}
	headings, rows, _ := v.MethodTable()
	return v.float(w, v.title(), "ranks", "l", headings, rows, slices.Concat([]string{v.Sentence()}, v.legend(), v.contrary(), v.RankingNotes(), warnings))
}

// SplitsLaTeX prints the redrawn splits as LaTeX does.
func (v View) SplitsLaTeX(w io.Writer) error {
	headings, rows := v.splitTable()
	return v.float(w, "Redrawn splits, "+v.title(), "splits", "ll", headings, rows, []string{v.splitLegend()})
}

// StrengthsLaTeX prints the win rates and strengths of the ranked methods as LaTeX
// does.
func (v View) StrengthsLaTeX(w io.Writer) error {
	headings, rows := v.StrengthTable()
	return v.float(w, v.strengthTitle(), "strengths", "l", headings, rows, []string{v.StrengthLegend()})
}

// CompactLaTeX prints the comparison as a float for one column of a two-column
// paper, in ASCII: the mean difference, the shift with its interval, p with Holm's
// correction, and the settings won, tied and lost. The shift has a column of its own,
// because the interval belongs to it and not to the mean. The float needs the package
// booktabs; CompactNotes has its notes.
func (v View) CompactLaTeX(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(v.madeFrom() + ". The notes are in a file of their own.\n")
	fmt.Fprintf(b, "\\begin{table}[t]\n\\centering\n\\caption{%s}\n\\label{tab:compare-%s-%s}\n", v.compactCaption(), v.Metric, v.Source)
	if !v.Judged() {
		b.WriteString("\\smallskip\n\\footnotesize\n\\begin{tabular}{@{}lrr@{}}\n\\toprule\nMethod & Mean & Mean diff. \\\\\n\\midrule\n")
		for _, r := range v.Rows {
			fmt.Fprintf(b, "%s & %s & %s \\\\\n", table.Escape(v.Label(r.Method)), minus(v.Number(r.Value)), minus(v.signed(r.Difference)))
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
		return b.Flush()
	}
	b.WriteString("\\smallskip\n\\footnotesize\n\\setlength{\\tabcolsep}{2.5pt}\n\\begin{tabular}{@{}lrrrr@{}}\n\\toprule\n" +
		"Method & \\shortstack[r]{Mean\\\\diff.} & Shift [95\\,\\%] & \\shortstack[r]{$p$\\\\(Holm)} & W/T/L \\\\\n\\midrule\n")
	for _, r := range v.Rows {
		shift := v.signed(r.Shift.Estimate)
		if r.Shift.Bounded {
			shift += " " + v.interval(r.Shift.Lo, r.Shift.Hi)
		}
		wins := "--"
		if r.NoVerdict < r.Settings {
			wins = strconv.Itoa(r.Win) + "/" + strconv.Itoa(r.Tie) + "/" + strconv.Itoa(r.Loss)
		}
		p := strings.TrimPrefix(strings.TrimPrefix(shortP(r.Holm), "p "), "= ")
		fmt.Fprintf(b, "%s & %s & %s & $%s$ & %s \\\\\n", table.Escape(v.Label(r.Method)), minus(v.signed(r.Difference)), minus(shift), p, wins)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
	return b.Flush()
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
	what, none := "Difference in", "zero"
	if v.Ratio {
		what, none = "Ratio of", "1"
	}
	text := fmt.Sprintf("%s %s to %s%s, over %s", what, table.Escape(v.MetricLabel), table.Escape(v.Label(v.Against)), unit, v.Extent)
	if !v.Judged() {
		return "\\textbf{SIMULATED.} " + text + ". " + unjudged
	}
	return text + fmt.Sprintf("; %s %s the method is better. "+
		"Shift: Hodges--Lehmann estimate. $p$: Wilcoxon's signed-rank test, Holm's correction. W/T/L: settings won, tied, lost.", side, none)
}

// CompactNotes prints the notes of the compact table as LaTeX paragraphs.
func (v View) CompactNotes(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("% Notes of the compact table.\n")
	for _, s := range slices.Concat([]string{v.Sentence(), v.origin()}, v.legend(), v.contrary(), v.RankingNotes(), v.warnings()) {
		b.WriteString(table.Escape(s) + "\n")
	}
	return b.Flush()
}

// minus sets minus signs in place of the hyphens of numbers.
func minus(s string) string { return strings.ReplaceAll(table.Escape(s), "-", "$-$") }

// float prints a file with one table, its caption above and its notes below. left
// aligns the first columns.
func (v View) float(w io.Writer, caption, label, left string, headings []string, cells [][]string, notes []string) error {
	b := bufio.NewWriter(w)
	b.WriteString(v.madeFrom() + ", graphicx.\n")
	origin := table.Escape(v.origin())
	if !v.Judged() {
		origin = "\\textbf{" + origin + "}"
	}
	fmt.Fprintf(b, "\\begin{table}[!htbp]\n\\centering\n\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n\\caption{%s}\n\\label{tab:compare-%s-%s-%s}\n",
		table.Escape(caption), v.Metric, v.Source, label)
	fmt.Fprintf(b, "\\par\\smallskip\n%s\n\\par\\smallskip\n\\sbox{0}{\\begin{tabular}{%s}\n\\toprule\n", origin, left+strings.Repeat("r", len(headings)-len(left)))
	var head []string
	for _, h := range headings {
		head = append(head, "\\textbf{"+table.Escape(h)+"}")
	}
	b.WriteString(strings.Join(head, " & ") + " \\\\\n\\midrule\n")
	for _, row := range cells {
		row = slices.Clone(row)
		for i, c := range row {
			switch {
			case headings[i] == "alike": // ranges of places
				row[i] = strings.ReplaceAll(c, "-", "--")
			case i < len(left):
				row[i] = table.Escape(c)
			case c == "-":
				row[i] = "--"
			default:
				row[i] = minus(c)
			}
		}
		b.WriteString(strings.Join(row, " & ") + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}%\n\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox{0}}\\else\\usebox{0}\\fi\n" +
		"\\par\\smallskip\n\\begin{minipage}{\\linewidth}\n\\raggedright\n")
	for _, n := range notes {
		b.WriteString(table.Escape(n) + "\n")
	}
	b.WriteString("\\end{minipage}\n\\end{table}\n")
	return b.Flush()
}
