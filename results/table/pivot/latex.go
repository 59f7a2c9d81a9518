package pivot

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results/table"
)

// LaTeX prints the table as a float that needs the packages amssymb, booktabs,
// graphicx, multirow, pdflscape and xcolor. The best number is bold, the second
// best is underlined, and the gap is a subscript in the colours of the paper. The
// numbers of a column are aligned: marks behind one number take the same room
// behind all. The table has 9 pt text if it fits the page so, otherwise 8 or 7 pt. A
// table too wide for an upright page, for example one of 14 columns, is turned on a
// page of its own. If it does not fit there either, it is scaled down, and LaTeX's
// log says so. A table too high for
// a page is divided into several floats. Notes that would not fit below the table
// follow after it.
func (t *Pivot) LaTeX(w io.Writer) error {
	b := bufio.NewWriter(w)
	s := t.Spec
	b.WriteString("% Made from results.csv; needs amssymb, booktabs, graphicx, multirow, pdflscape, xcolor.\n" +
		"\\providecolor{Better}{rgb}{0.18,0.407,0.266}\n" +
		"\\providecolor{Worse}{rgb}{0.35,0.35,0.35}\n")
	parts := t.parts()
	for i, rows := range parts {
		t.latexFloat(b, rows, i, len(parts))
	}
	if notes := t.latexNotes(); len(notes) > 0 && t.longNotes() {
		fmt.Fprintf(b, "\\par\\noindent{\\raggedright\\scriptsize\\textbf{Notes to Table~\\ref{tab:%s}.}\n%s\\par}\\medskip\n",
			table.Label(s.Name), strings.Join(notes, "\n"))
	}
	return b.Flush()
}

// latexFloat prints rows from rows[0] up to rows[1], part k of n of the table. The
// legend and the notes are below the last part.
func (t *Pivot) latexFloat(b *bufio.Writer, rows [2]int, k, n int) {
	s := t.Spec
	label := table.Label(s.Name)
	if t.turned() {
		b.WriteString("\\begin{landscape}\n")
	}
	b.WriteString("\\begin{table}[!htbp]\n\\centering\n")
	if k > 0 { // the parts share a number
		b.WriteString("\\addtocounter{table}{-1}\n")
	}
	if caption := table.Escape(s.Caption); caption != "" {
		if n > 1 {
			caption += fmt.Sprintf(" (part %d of %d)", k+1, n)
		}
		fmt.Fprintf(b, "\\caption{%s}\n", caption)
	}
	if s.Name != "" && k == 0 {
		fmt.Fprintf(b, "\\label{tab:%s}\n", label)
	}
	origin := table.Escape(t.Origin())
	if t.Simulated > 0 {
		origin = "\\textbf{" + origin + "}"
	}
	fmt.Fprintf(b, "{\\footnotesize\\par\\smallskip\n%s\n\\par\\smallskip}\n", origin)
	fmt.Fprintf(b, "\\def\\body{\\begin{tabular}{%s}\n\\toprule\n", t.latexLayout())
	t.latexHead(b)
	b.WriteString("\\midrule\n")
	for i := rows[0]; i < rows[1]; i++ {
		t.latexRow(b, i, i == rows[0])
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}%\n")
	t.latexSize(b, label)
	if k == n-1 {
		legend := t.legend(glyphs{"Best \\textbf{bold}", "second \\underline{underlined}", "$^\\ddagger$", "$^\\star$", table.Escape})
		b.WriteString("\\par\\smallskip\n\\begin{minipage}{\\linewidth}\n\\raggedright\\scriptsize\n" + strings.Join(legend, " ") + "\n")
		if notes := t.latexNotes(); len(notes) > 0 && !t.longNotes() {
			b.WriteString(strings.Join(notes, "\n") + "\n")
		}
		b.WriteString("\\end{minipage}\n")
	}
	b.WriteString("\\end{table}\n")
	if t.turned() {
		b.WriteString("\\end{landscape}\n")
	}
}

// latexNotes returns the footnotes.
func (t *Pivot) latexNotes() []string {
	var notes []string
	for i, n := range t.Notes {
		notes = append(notes, fmt.Sprintf("\\textsuperscript{%d}\\,%s.", i+1, table.Escape(n.String())))
	}
	return notes
}

// A float holds about this many lines of 7 pt beside its caption and its legend.
const (
	uprightLines = 62
	turnedLines  = 34
)

// longNotes reports whether the notes might not fit below the last part.
func (t *Pivot) longNotes() bool {
	parts := t.parts()
	last := parts[len(parts)-1]
	return t.lines(last[0], last[1])+t.notesLength()/140 > t.pageLines()
}

// notesLength is about the number of characters of all footnotes.
func (t *Pivot) notesLength() int {
	length := 0
	for _, note := range t.Notes {
		length += len(note.String()) + 4
	}
	return length
}

// pageLines is the number of lines that a float of the table holds.
func (t *Pivot) pageLines() int {
	if t.turned() {
		return turnedLines
	}
	return uprightLines
}

// lines is the number of lines of some rows.
func (t *Pivot) lines(from, to int) int {
	n := to - from
	for i := from; i < to; i++ {
		if t.banded(i) {
			n++
		}
	}
	return n
}

// parts divides the rows so that each part fits a page. It divides between rows that
// differ in the first label.
func (t *Pivot) parts() [][2]int {
	parts := [][2]int{{0, len(t.Rows)}}
	for i := 1; i < len(t.Rows); i++ {
		last := &parts[len(parts)-1]
		if t.Rows[i].Labels[0] == t.Rows[i-1].Labels[0] || len(t.Rows[i].Labels) == 1 {
			continue
		}
		next := i + 1 // the end of the group that begins here
		for next < len(t.Rows) && t.Rows[next].Labels[0] == t.Rows[i].Labels[0] {
			next++
		}
		if t.lines(last[0], next) > t.pageLines() {
			last[1] = i
			parts = append(parts, [2]int{i, len(t.Rows)})
		}
	}
	return parts
}

// latexSize prints the body of the table in the largest text in which it fits the
// line and most of the page.
func (t *Pivot) latexSize(b *bufio.Writer, label string) {
	fits := func(size, sep, stretch string) string {
		return fmt.Sprintf("\\sbox{0}{\\%s\\setlength{\\tabcolsep}{%s}\\renewcommand{\\arraystretch}{%s}\\body}%%\n", size, sep, stretch)
	}
	again := "\\ifdim\\wd0>\\linewidth\\dimen0=2\\textheight\\else\\dimen0=\\ht0\\advance\\dimen0\\dp0\\fi\n\\ifdim\\dimen0>0.75\\textheight"
	if t.turned() { // of a turned page the height is the width of an upright one
		again = strings.ReplaceAll(again, "\\textheight", "\\textwidth")
	}
	b.WriteString(fits("small", "4pt", "1.1"))
	for _, smaller := range []string{fits("small", "2.5pt", "1"), fits("footnotesize", "3.5pt", "1.05"), fits("footnotesize", "2.5pt", "1"),
		fits("scriptsize", "3pt", "1"), fits("scriptsize", "2pt", "0.95")} {
		b.WriteString(again + smaller + "\\fi\n")
	}
	fmt.Fprintf(b, "\\ifdim\\wd0>\\linewidth\\typeout{Table %s is wider than the page and scaled down.}\\resizebox{\\linewidth}{!}{\\usebox{0}}\\else\\usebox{0}\\fi\n", label)
}

// turned reports whether the table is too wide for an upright page. A table that is a
// little too wide and high has smaller text instead.
func (t *Pivot) turned() bool {
	return t.load() > 13 && (t.lines(0, len(t.Rows)) <= turnedLines || t.load() > 15)
}

// load is the width in columns. A column with gaps or bands counts more.
func (t *Pivot) load() float64 {
	sum := 0.0
	for j := range t.Columns {
		sum++
		if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[j].Gap != "" || r.Cells[j].Band != "" || r.Cells[j].Paired != "" }) {
			sum += 0.7
		}
	}
	return sum
}

// latexLayout is the column specification. Space separates columns of means and
// unranked columns from the others.
func (t *Pivot) latexLayout() string {
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

func (t *Pivot) latexHead(b *bufio.Writer) {
	if t.showsTarget() && !t.Spec.methodsAreRows() {
		b.WriteString(strings.Repeat(" & ", len(t.Spec.Rows)-1) + "\\textit{OOD-free?}")
		for _, c := range t.Columns {
			b.WriteString(" & " + tick(c.Rival))
		}
		b.WriteString(" \\\\\n\\midrule\n")
	}
	var head []string
	for _, c := range t.Spec.Rows {
		head = append(head, "\\textbf{"+capital(c)+"}")
	}
	if t.showsTarget() && t.Spec.methodsAreRows() {
		head = append(head, "\\textit{OOD-free?}")
	}
	for _, c := range t.Columns {
		lines := t.heading(c)
		for i := range lines {
			lines[i] = table.Escape(lines[i])
		}
		text := strings.Join(lines, "\\\\")
		if len(lines) > 1 {
			text = "\\begin{tabular}[b]{@{}c@{}}" + text + "\\end{tabular}"
		}
		head = append(head, "\\textbf{"+text+"}"+t.latexSigns(c.Rival))
	}
	b.WriteString(strings.Join(head, " & ") + " \\\\\n")
}

// tick says whether a method works without the target domain.
func tick(r *Rival) string {
	if r.Target {
		return "$\\times$"
	}
	return "$\\checkmark$"
}

// latexSigns are the superscripts of a rival's label.
func (t *Pivot) latexSigns(r *Rival) string {
	if r == nil {
		return ""
	}
	signs := slices.Concat(t.signs(r, "\\ddagger", "\\star"), noteNumbers(r.Notes))
	if len(signs) == 0 {
		return ""
	}
	return "$^{" + strings.Join(signs, ",") + "}$"
}

// latexRow prints row i, which may be the first of a float.
func (t *Pivot) latexRow(b *bufio.Writer, i int, first bool) {
	row := t.Rows[i]
	labels := t.labels(row)
	starts := first || len(labels) == 1 || row.Mean || row.Labels[0] != t.Rows[i-1].Labels[0]
	if !first && (row.Mean || len(labels) > 1 && starts) {
		b.WriteString("\\midrule\n")
	}
	var cells []string
	for j, label := range labels {
		label = table.Escape(label)
		if !row.Mean && t.Spec.Rows[j] == "method" {
			label += t.latexSigns(row.Rival)
		}
		switch {
		case j > 0:
		case !starts:
			label = ""
		case t.height(i) > 1 && len(labels) > 1:
			label = fmt.Sprintf("\\multirow{%d}{*}{%s}", t.height(i), label)
		}
		cells = append(cells, label)
	}
	if t.showsTarget() && t.Spec.methodsAreRows() {
		cells = append(cells, tick(row.Rival))
	}
	below := make([]string, len(cells))
	for j, c := range row.Cells {
		cells = append(cells, t.latexCell(c, j))
		text := c.below()
		if text != "" {
			size := "tiny"
			if c.Band == "" {
				size = "scriptsize"
			}
			text = fmt.Sprintf("{\\%s\\textcolor{Worse}{%s}}", size, strings.ReplaceAll(text, "-", "$-$"))
		}
		below = append(below, text)
	}
	b.WriteString(strings.Join(cells, " & "))
	if t.banded(i) {
		b.WriteString(" \\\\[-2.5pt]\n" + strings.Join(below, " & "))
	}
	b.WriteString(" \\\\\n")
}

// banded reports whether a line of bands, intervals or published numbers follows row i.
func (t *Pivot) banded(i int) bool {
	return slices.ContainsFunc(t.Rows[i].Cells, func(c Cell) bool { return c.below() != "" })
}

// height is the number of lines in the group that begins at row i.
func (t *Pivot) height(i int) int {
	lines := 0
	for k := i; k < len(t.Rows) && t.Rows[k].Labels[0] == t.Rows[i].Labels[0] && t.Rows[k].Mean == t.Rows[i].Mean; k++ {
		lines++
		if t.banded(k) {
			lines++
		}
	}
	return lines
}
