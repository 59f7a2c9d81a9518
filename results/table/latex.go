package table

import (
	"fmt"
	"io"
	"strings"
)

// LaTeX prints the table as a float that needs the packages booktabs, multirow
// and xcolor: bold best, underlined second, the gap as a subscript in the
// colours of the paper. The numbers of a column align: what stands behind one
// of them takes the same room behind all.
func (t *Table) LaTeX(w io.Writer) error {
	var b strings.Builder
	s := t.Spec
	b.WriteString("% Made from results.csv; needs booktabs, multirow, xcolor.\n" +
		"\\providecolor{Better}{rgb}{0.18,0.407,0.266}\n" +
		"\\providecolor{Worse}{rgb}{0.35,0.35,0.35}\n" +
		"\\begin{table}[t]\n\\centering\n\\scriptsize\n\\renewcommand{\\arraystretch}{1.1}\n")
	if len(t.Columns) > 7 {
		b.WriteString("\\setlength{\\tabcolsep}{3.5pt}\n")
	}
	if s.Caption != "" {
		fmt.Fprintf(&b, "\\caption{%s}\n", escape(s.Caption))
	}
	if s.Name != "" {
		fmt.Fprintf(&b, "\\label{tab:%s}\n", strings.Map(labelRune, s.Name))
	}
	origin := escape(t.Origin())
	if t.Simulated > 0 {
		origin = "\\textbf{" + origin + "}"
	}
	fmt.Fprintf(&b, "\\par\\smallskip\n%s\n\\par\\smallskip\n", origin)
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n", t.latexLayout())
	t.latexHead(&b)
	b.WriteString("\\midrule\n")
	for i := range t.Rows {
		t.latexRow(&b, i)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")

	b.WriteString("\\par\\smallskip\n\\begin{minipage}{\\linewidth}\n\\raggedright\n")
	legend := t.legend("Best \\textbf{bold}", "second \\underline{underlined}", "$^\\ddagger$", escape)
	b.WriteString(strings.Join(legend, " ") + "\n")
	for i, n := range t.Notes {
		fmt.Fprintf(&b, "\\par\\textsuperscript{%d}\\,%s\n", i+1, escape(n.String()))
	}
	b.WriteString("\\end{minipage}\n\\end{table}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// latexLayout is the column specification; unranked columns stand apart.
func (t *Table) latexLayout() string {
	layout := strings.Repeat("l", len(t.Spec.Rows))
	for j, c := range t.Columns {
		if !c.Ranked && j > 0 && t.Columns[j-1].Ranked {
			layout += "@{\\hspace{2em}}"
		}
		layout += "c"
	}
	return layout
}

func (t *Table) latexHead(b *strings.Builder) {
	for i, c := range t.Spec.Rows {
		if i > 0 {
			b.WriteString(" & ")
		}
		fmt.Fprintf(b, "\\textbf{%s}", headings[c])
	}
	for _, c := range t.Columns {
		fmt.Fprintf(b, " & \\textbf{%s}", escape(c.Label))
		if t.Spec.Columns == "method" && c.Changes == Yes {
			b.WriteString("$^\\ddagger$")
		}
	}
	b.WriteString(" \\\\\n")
}

func (t *Table) latexRow(b *strings.Builder, i int) {
	row := t.Rows[i]
	labels := t.labels(row)
	starts := i == 0 || len(labels) == 1 || row.Mean || row.Labels[0] != t.Rows[i-1].Labels[0]
	if i > 0 && (row.Mean || len(labels) > 1 && starts) {
		b.WriteString("\\midrule\n")
	}
	for j, label := range labels {
		switch {
		case j > 0:
			b.WriteString(" & " + escape(label))
		case !starts:
		case t.height(i) > 1 && len(labels) > 1:
			fmt.Fprintf(b, "\\multirow{%d}{*}{%s}", t.height(i), escape(label))
		default:
			b.WriteString(escape(label))
		}
	}
	for j, c := range row.Cells {
		b.WriteString(" & " + t.latexCell(c, j))
	}
	b.WriteString(" \\\\\n")
	if !t.banded(i) {
		return
	}
	b.WriteString(strings.Repeat(" & ", len(labels)-1))
	for _, c := range row.Cells {
		b.WriteString(" & ")
		if c.Band != "" {
			fmt.Fprintf(b, "{\\tiny\\textcolor{Worse}{%s}}", c.Band)
		}
	}
	b.WriteString(" \\\\\n")
}

// banded reports whether a line of null bands follows row i.
func (t *Table) banded(i int) bool {
	for _, c := range t.Rows[i].Cells {
		if c.Band != "" {
			return true
		}
	}
	return false
}

// height is the number of lines of the group that row i begins.
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

// latexCell prints a cell of column j: a number and what follows it. The
// number is padded on both sides to the size of the largest in its column.
func (t *Table) latexCell(c Cell, j int) string {
	whole := 0            // digits before the point
	room, widest := 0, "" // characters of what follows a number
	for _, r := range t.Rows {
		other := r.Cells[j]
		whole = max(whole, strings.Index(other.Text, "."))
		if w := max(len(t.superscript(other)), len(other.Gap)); w > room {
			room, widest = w, t.latexTail(other)
		}
	}
	tail := t.latexTail(c)
	switch {
	case tail == widest:
	case tail == "":
		tail = "\\hphantom{" + widest + "}"
	default:
		tail = "\\rlap{" + tail + "}\\hphantom{" + widest + "}"
	}
	if !c.OK {
		return "--" + tail
	}
	pad := ""
	if missing := whole - strings.Index(c.Text, "."); missing > 0 {
		pad = "\\phantom{" + strings.Repeat("0", missing) + "}"
	}
	text := strings.Replace(c.Text, "-", "$-$", 1)
	switch c.Mark {
	case Best:
		text = "\\textbf{" + text + "}"
	case Second:
		text = "\\underline{" + text + "}"
	}
	return pad + text + tail
}

// latexTail prints what follows a number. The footnotes stand above the gap.
func (t *Table) latexTail(c Cell) string {
	tail := ""
	if above := t.superscript(c); above != "" {
		tail = "^{\\mathrm{" + above + "}}"
	}
	switch {
	case c.Gap != "" && c.GapBetter:
		tail += "_{\\textcolor{Better}{\\mathbf{" + c.Gap + "}}}"
	case c.Gap != "":
		tail += "_{\\textcolor{Worse}{" + c.Gap + "}}"
	}
	if tail == "" {
		return ""
	}
	return "$" + tail + "$"
}

func (t *Table) superscript(c Cell) string {
	var marks []string
	if c.Simulated {
		marks = append(marks, "s")
	}
	if t.Spec.Columns != "method" && c.Changes == Yes {
		marks = append(marks, "\\ddagger")
	}
	for _, n := range c.Notes {
		marks = append(marks, fmt.Sprint(n+1))
	}
	return strings.Join(marks, ",")
}

// escapes are the characters that LaTeX would not print as they are, or not in
// ASCII.
var escapes = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '#': "\\#", '$': "\\$", '%': "\\%", '&': "\\&",
	'_': "\\_", '~': "\\textasciitilde{}", '^': "\\textasciicircum{}", '<': "\\textless{}", '>': "\\textgreater{}",
	'|': "\\textbar{}", '"': "''", '`': "{}`",
	'\u2013': "--", '\u2014': "---", '\u2018': "`", '\u2019': "'", '\u201c': "``", '\u201d': "''", '\u2026': "\\dots{}",
	'\u00d7': "$\\times$", '\u00b1': "$\\pm$", '\u2264': "$\\le$", '\u2265': "$\\ge$", '\u2192': "$\\to$",
	'\u00e4': "\\\"a", '\u00f6': "\\\"o", '\u00fc': "\\\"u", '\u00df': "\\ss{}", '\u00e9': "\\'e", '\u00e8': "\\`e",
}

// escape returns plain text as LaTeX in ASCII. Control characters become
// spaces, and two hyphens stay two.
func escape(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		switch e, ok := escapes[r]; {
		case ok:
			b.WriteString(e)
		case r == '-' && before == '-':
			b.WriteString("{}-")
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case r > 0x7f:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// labelRune keeps a \label to what every package accepts in one.
func labelRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
		return r
	}
	return '-'
}
