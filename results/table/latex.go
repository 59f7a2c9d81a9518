package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// LaTeX prints the table as a float that needs the packages amssymb, booktabs,
// graphicx, multirow, pdflscape and xcolor. The best number is bold, the second
// best is underlined, and the gap is a subscript in the colours of the paper. The
// numbers of a column are aligned: marks behind one number take the same room
// behind all. A table too wide for an upright page, for example one of 14
// columns, is turned on a page of its own. If it does not fit there either, it is
// scaled down, and LaTeX's log says so.
func (t *Table) LaTeX(w io.Writer) error {
	var b strings.Builder
	s := t.Spec
	b.WriteString("% Made from results.csv; needs amssymb, booktabs, graphicx, multirow, pdflscape, xcolor.\n" +
		"\\providecolor{Better}{rgb}{0.18,0.407,0.266}\n" +
		"\\providecolor{Worse}{rgb}{0.35,0.35,0.35}\n")
	if t.turned() {
		b.WriteString("\\begin{landscape}\n")
	}
	b.WriteString("\\begin{table}[!htbp]\n\\centering\n\\scriptsize\n")
	if !t.turned() { // a turned page has less height
		b.WriteString("\\renewcommand{\\arraystretch}{1.1}\n")
	}
	switch {
	case t.turned():
		b.WriteString("\\setlength{\\tabcolsep}{2pt}\n")
	case t.load() > 9:
		b.WriteString("\\setlength{\\tabcolsep}{2.5pt}\n")
	case t.load() > 8:
		b.WriteString("\\setlength{\\tabcolsep}{3.5pt}\n")
	}
	if s.Caption != "" {
		fmt.Fprintf(&b, "\\caption{%s}\n", Escape(s.Caption))
	}
	if s.Name != "" {
		fmt.Fprintf(&b, "\\label{tab:%s}\n", strings.Map(labelRune, s.Name))
	}
	origin := Escape(t.Origin())
	if t.Simulated > 0 {
		origin = "\\textbf{" + origin + "}"
	}
	fmt.Fprintf(&b, "\\par\\smallskip\n%s\n\\par\\smallskip\n", origin)
	fmt.Fprintf(&b, "\\sbox{0}{\\begin{tabular}{%s}\n\\toprule\n", t.latexLayout())
	t.latexHead(&b)
	b.WriteString("\\midrule\n")
	for i := range t.Rows {
		t.latexRow(&b, i)
	}
	fmt.Fprintf(&b, "\\bottomrule\n\\end{tabular}}%%\n"+
		"\\ifdim\\wd0>\\linewidth\\typeout{Table %s is wider than the page and scaled down.}\\resizebox{\\linewidth}{!}{\\usebox{0}}\\else\\usebox{0}\\fi\n",
		strings.Map(labelRune, s.Name))

	b.WriteString("\\par\\smallskip\n\\begin{minipage}{\\linewidth}\n\\raggedright\n")
	legend := t.legend(glyphs{"Best \\textbf{bold}", "second \\underline{underlined}", "$^\\ddagger$", "$^\\star$", Escape})
	b.WriteString(strings.Join(legend, " ") + "\n")
	for i, n := range t.Notes {
		fmt.Fprintf(&b, "\\par\\textsuperscript{%d}\\,%s\n", i+1, Escape(n.String()))
	}
	b.WriteString("\\end{minipage}\n\\end{table}\n")
	if t.turned() {
		b.WriteString("\\end{landscape}\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// turned reports whether the table is too wide for an upright page.
func (t *Table) turned() bool { return t.load() > 13 }

// load is the width in columns. A column with gaps or bands counts more.
func (t *Table) load() float64 {
	sum := 0.0
	for j := range t.Columns {
		sum++
		if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[j].Gap != "" || r.Cells[j].Band != "" }) {
			sum += 0.7
		}
	}
	return sum
}

// latexLayout is the column specification. Space separates columns of means and
// unranked columns from the others.
func (t *Table) latexLayout() string {
	layout := strings.Repeat("l", len(t.Spec.Rows))
	if t.showsTarget() && t.Spec.methodsAreRows() {
		layout += "c"
	}
	apart := func(c Column) bool { return c.Mean || c.Rival != nil && !c.Rival.Ranked }
	for j, c := range t.Columns {
		if j > 0 && apart(c) && !apart(t.Columns[j-1]) {
			layout += "@{\\hspace{2em}}"
		}
		layout += "c"
	}
	return layout
}

func (t *Table) latexHead(b *strings.Builder) {
	if t.showsTarget() && !t.Spec.methodsAreRows() {
		b.WriteString(strings.Repeat(" & ", len(t.Spec.Rows)-1) + "\\textit{OOD-free?}")
		for _, c := range t.Columns {
			b.WriteString(" & " + tick(c.Rival))
		}
		b.WriteString(" \\\\\n\\midrule\n")
	}
	for i, c := range t.Spec.Rows {
		if i > 0 {
			b.WriteString(" & ")
		}
		fmt.Fprintf(b, "\\textbf{%s}", headings[c])
	}
	if t.showsTarget() && t.Spec.methodsAreRows() {
		b.WriteString(" & \\textit{OOD-free?}")
	}
	for _, c := range t.Columns {
		lines := t.heading(c)
		for i := range lines {
			lines[i] = Escape(lines[i])
		}
		if len(lines) > 1 {
			fmt.Fprintf(b, " & \\textbf{\\begin{tabular}[b]{@{}c@{}}%s\\end{tabular}}", strings.Join(lines, "\\\\"))
		} else {
			fmt.Fprintf(b, " & \\textbf{%s}", strings.Join(lines, ""))
		}
		b.WriteString(t.latexSigns(c.Rival))
	}
	b.WriteString(" \\\\\n")
}

// tick says whether a method works without the target domain.
func tick(r *Rival) string {
	if r.Target {
		return "$\\times$"
	}
	return "$\\checkmark$"
}

// latexSigns are the superscripts of a rival's label.
func (t *Table) latexSigns(r *Rival) string {
	if r == nil {
		return ""
	}
	var signs []string
	if r.Changes == Yes && !t.changesAtCells() {
		signs = append(signs, "\\ddagger")
	}
	if r.Target {
		signs = append(signs, "\\star")
	}
	for _, n := range r.Notes {
		signs = append(signs, fmt.Sprint(n+1))
	}
	if signs == nil {
		return ""
	}
	return "$^{" + strings.Join(signs, ",") + "}$"
}

func (t *Table) latexRow(b *strings.Builder, i int) {
	row := t.Rows[i]
	labels := t.labels(row)
	starts := i == 0 || len(labels) == 1 || row.Mean || row.Labels[0] != t.Rows[i-1].Labels[0]
	if i > 0 && (row.Mean || len(labels) > 1 && starts) {
		b.WriteString("\\midrule\n")
	}
	for j, label := range labels {
		label = Escape(label)
		if !row.Mean && t.Spec.Rows[j] == "method" {
			label += t.latexSigns(row.Rival)
		}
		switch {
		case j > 0:
			b.WriteString(" & " + label)
		case !starts:
		case t.height(i) > 1 && len(labels) > 1:
			fmt.Fprintf(b, "\\multirow{%d}{*}{%s}", t.height(i), label)
		default:
			b.WriteString(label)
		}
	}
	if t.showsTarget() && t.Spec.methodsAreRows() {
		b.WriteString(" & " + tick(row.Rival))
	}
	for j, c := range row.Cells {
		b.WriteString(" & " + t.latexCell(c, j))
	}
	b.WriteString(" \\\\\n")
	if !t.banded(i) {
		return
	}
	b.WriteString(strings.Repeat(" & ", len(labels)-1))
	if t.showsTarget() && t.Spec.methodsAreRows() {
		b.WriteString(" & ")
	}
	for _, c := range row.Cells {
		b.WriteString(" & ")
		if c.Band != "" {
			fmt.Fprintf(b, "{\\tiny\\textcolor{Worse}{%s}}", c.Band)
		}
	}
	b.WriteString(" \\\\\n")
}

// banded reports whether a line of consistency bands follows row i.
func (t *Table) banded(i int) bool {
	return slices.ContainsFunc(t.Rows[i].Cells, func(c Cell) bool { return c.Band != "" })
}

// height is the number of lines in the group that begins at row i.
func (t *Table) height(i int) int {
	lines := 0
	for k := i; k < len(t.Rows) && t.Rows[k].Labels[0] == t.Rows[i].Labels[0] && t.Rows[k].Mean == t.Rows[i].Mean; k++ {
		lines++
		if t.banded(k) {
			lines++
		}
	}
	return lines
}
