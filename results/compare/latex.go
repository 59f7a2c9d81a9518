package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results/table"
)

// LaTeX prints the comparison as LaTeX floats in ASCII, one of the methods and one
// of the redrawn splits if there are any. They need the packages booktabs and
// graphicx. A table wider than the line is scaled down.
func (v View) LaTeX(w io.Writer) error {
	var b strings.Builder
	warnings := v.warnings()
	if len(warnings) > 0 {
		warnings[0] = "Warnings of fits. " + warnings[0]
	}
	b.WriteString("% Made from results.csv and pairs.csv; needs booktabs, graphicx.\n")
	v.float(&b, v.title(), "ranks", "l", v.headings(), v.cells(), slices.Concat(v.legend(), v.contrary(), v.RankingNotes(), warnings))
	if len(v.Splits) > 0 {
		v.float(&b, "Redrawn splits, "+v.title(), "splits", "ll", v.splitHeadings(), v.splitCells(), []string{v.splitLegend()})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// float prints one table with its caption above and its notes below. left aligns
// the first columns.
func (v View) float(b *strings.Builder, caption, label, left string, headings []string, cells [][]string, notes []string) {
	origin := table.Escape(v.origin())
	if v.Source == "simulated" {
		origin = "\\textbf{" + origin + "}"
	}
	fmt.Fprintf(b, "\\begin{table}[!htbp]\n\\centering\n\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n\\caption{%s}\n\\label{tab:compare-%s-%s-%s}\n",
		table.Escape(caption), v.Metric, v.Source, label)
	fmt.Fprintf(b, "\\par\\smallskip\n%s\n\\par\\smallskip\n\\sbox{0}{\\begin{tabular}{%s}\n\\toprule\n", origin, left+strings.Repeat("r", len(headings)-len(left)))
	for i, h := range headings {
		if i > 0 {
			b.WriteString(" & ")
		}
		fmt.Fprintf(b, "\\textbf{%s}", table.Escape(h))
	}
	b.WriteString(" \\\\\n\\midrule\n")
	for _, row := range cells {
		for i, c := range row {
			if i > 0 {
				b.WriteString(" & ")
			}
			switch {
			case headings[i] == "alike": // ranges of places
				c = strings.ReplaceAll(c, "-", "--")
			case i >= len(left): // signs, not hyphens
				c = strings.ReplaceAll(table.Escape(c), "-", "$-$")
				if c == "$-$" {
					c = "--"
				}
			default:
				c = table.Escape(c)
			}
			b.WriteString(c)
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}%\n\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox{0}}\\else\\usebox{0}\\fi\n" +
		"\\par\\smallskip\n\\begin{minipage}{\\linewidth}\n\\raggedright\n")
	for _, n := range notes {
		b.WriteString(table.Escape(n) + "\n")
	}
	b.WriteString("\\end{minipage}\n\\end{table}\n")
}
