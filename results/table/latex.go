package table

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Preamble is what a document of tables of [Table.Typeset] needs in its preamble: macros by which TeX measures a
// table and decides how it fits. It needs the packages amssymb, booktabs, graphicx, longtable, multirow, pdflscape and xcolor.
//
//go:embed fitting.tex
var Preamble string

// Typeset writes the table for a LaTeX document with [Preamble], in ASCII. The best number is bold, the second
// best is underlined, and the gap is a subscript in the colours of the paper. The
// numbers of a column are aligned: marks behind one number take the same room behind all.
//
// TeX measures the table. It is a float, with the largest text in which it fits the line
// and most of the page. A table too wide for an upright page is turned on a page of its
// own, and if it does not fit there either, it is scaled down, and LaTeX's log says so. A
// table that does not fit one page with its notes is a longtable over several, and the
// notes follow after it. A document of two columns has no such pages: there a table is
// a float in any case.
func (t *Table) Typeset(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("\\begingroup\n")
	for _, d := range []struct{ name, text string }{
		{"name", strings.Map(labelRune, t.Name)}, {"caption", Escape(t.Caption)}, {"label", t.latexLabel()}, {"origin", t.latexOrigin()}, {"layout", t.latexLayout()},
		{"head", "%\n" + t.latexHead()}, {"rows", "%\n" + t.latexRows()}, {"notes", "%\n" + strings.Join(append(t.latexNotes(), ""), "\n")},
	} {
		fmt.Fprintf(b, "\\def\\qats%s{%s}\n", d.name, d.text)
	}
	b.WriteString("\\qatstable\n\\endgroup\n")
	return b.Flush()
}

// usePackage is the first line of a table for a document of its own.
const usePackage = "% \\usepackage{booktabs}\n"

// LaTeX writes the table for an article with the package booktabs, in ASCII, as a tabular without macros
// that an author can edit: a float at the top of a column, or of both columns where it has more
// text than one holds. The first line is the one to copy into the preamble. The legend and the notes follow as
// comments, for the paper to take what it needs.
func (t *Table) LaTeX(w io.Writer) error {
	plain := *t
	plain.plain, t = true, &plain
	b := bufio.NewWriter(w)
	b.WriteString(usePackage)
	if t.Files != "" {
		fmt.Fprintf(b, "%% Made from %s.\n", t.Files)
	}
	float := "table"
	if t.characters() > columnCharacters {
		float = "table*"
	}
	caption, origin := Escape(t.Caption), t.latexOrigin()
	if caption != "" && origin != "" && !strings.ContainsAny(caption[len(caption)-1:], ".:;!?") {
		caption += "."
	}
	fmt.Fprintf(b, "\\begin{%s}[t]\n\\centering\n\\caption{%s}\n%s\n\\smallskip\n\\footnotesize\n\\setlength{\\tabcolsep}{2.5pt}\n"+
		"\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s\\midrule\n%s\\bottomrule\n\\end{tabular}\n\\end{%s}\n",
		float, strings.TrimSpace(caption+" "+origin), t.latexLabel(), t.latexLayout(), t.latexHead(), t.latexRows(), float)
	for _, note := range t.latexNotes() {
		b.WriteString("% " + note + "\n")
	}
	return b.Flush()
}

func (t *Table) latexRows() string {
	var b strings.Builder
	for i := range t.Rows {
		t.latexRow(&b, i)
	}
	return b.String()
}

func (t *Table) latexLabel() string {
	if t.Name == "" {
		return ""
	}
	return "\\label{tab:" + strings.Map(labelRune, t.Name) + "}"
}

func (t *Table) latexOrigin() string {
	if t.Warning {
		return "\\textbf{" + Escape(t.Origin) + "}"
	}
	return Escape(t.Origin)
}

// columnCharacters is how many characters of footnotesize, about 4.2 points each, stand in a
// column of a paper, 3.3 inches.
const columnCharacters = 56

// characters estimates the width of a plain table: the widest text of each column, and
// the space between columns.
func (t *Table) characters() int {
	n := 0
	for _, j := range t.shown() {
		widest := 0
		for line := range strings.SplitSeq(t.Columns[j].Head, "\n") {
			widest = max(widest, utf8.RuneCountInString(line))
		}
		for i, r := range t.Rows {
			if r.Wide || j == 0 && t.repeats(i) {
				continue
			}
			c := r.Cells[j]
			text := utf8.RuneCountInString(c.Text+c.Gap) + len(c.Notes)
			if c.Spread != "" {
				text += utf8.RuneCountInString(plusMinus + c.Spread)
			}
			widest = max(widest, text, utf8.RuneCountInString(c.Below))
		}
		n += widest + 1
	}
	return n
}

// latexNotes returns the sentences of the legend, the remarks and the footnotes. Without an empty line between them,
// sentences are one paragraph.
func (t *Table) latexNotes() []string {
	list := t.legendSentences("Best \\textbf{bold}, second \\underline{underlined}", Escape)
	for _, text := range t.Remarks {
		list = append(list, Escape(text))
	}
	for i, text := range t.Notes {
		list = append(list, fmt.Sprintf("\\textsuperscript{%d}\\,%s.", i+1, Escape(text)))
	}
	return list
}

// latexLayout is the column specification.
func (t *Table) latexLayout() string {
	layout := ""
	for _, j := range t.shown() {
		c := t.Columns[j]
		if c.Apart {
			layout += "@{\\hspace{2em}}"
		}
		switch {
		case c.Align == Right || c.Align == Numbers && t.plain:
			layout += "r"
		case c.Align == Numbers || c.Aside:
			layout += "c"
		default:
			layout += "l"
		}
	}
	return layout
}

func (t *Table) latexHead() string {
	text := ""
	if t.Over != nil {
		var cells []string
		for _, j := range t.shown() {
			cell := t.latexText(t.Over[j], t.Columns[j])
			if j < t.labels() && cell != "" {
				cell = "\\textit{" + cell + "}"
			}
			cells = append(cells, cell)
		}
		text = strings.Join(cells, " & ") + " \\\\\n\\midrule\n"
	}
	var head []string
	for _, j := range t.shown() {
		c := t.Columns[j]
		lines := strings.Split(c.Head, "\n")
		for i := range lines {
			lines[i] = Escape(lines[i])
		}
		name := strings.Join(lines, "\\\\")
		if len(lines) > 1 {
			at := "c"
			if c.Align == Right || c.Align == Numbers && t.plain {
				at = "r"
			}
			name = "\\begin{tabular}[b]{@{}" + at + "@{}}" + name + "\\end{tabular}"
		}
		switch {
		case c.Aside:
			name = "\\textit{" + name + "}"
		case !t.plain:
			name = "\\textbf{" + name + "}"
		}
		head = append(head, name+superscripts(c.Signs, c.Notes))
	}
	return text + strings.Join(head, " & ") + " \\\\\n"
}

// signs returns signs and the numbers of notes as LaTeX has them in a formula.
func signs(text string, notes []int) string {
	var list []string
	for _, r := range text {
		switch string(r) {
		case Dagger:
			list = append(list, "\\ddagger")
		case Star:
			list = append(list, "\\star")
		default:
			list = append(list, string(r))
		}
	}
	if len(notes) > 0 {
		list = append(list, footnotes(notes))
	}
	return strings.Join(list, ",")
}

// superscripts are the signs after a label.
func superscripts(text string, notes []int) string {
	if text == "" && len(notes) == 0 {
		return ""
	}
	return "$^{" + signs(text, notes) + "}$"
}

// latexText prints a cell that is not a number with marks.
func (t *Table) latexText(c Cell, column Column) string {
	if v, ok := c.Value.(bool); ok && c.Text == "" {
		switch {
		case t.plain && v:
			return "yes"
		case t.plain:
			return "no"
		case v:
			return "$\\checkmark$"
		}
		return "$\\times$"
	}
	text := Escape(c.Text)
	switch {
	case column.Align == Left:
	case c.Text == "-":
		return "--"
	default:
		text = strings.ReplaceAll(text, "-", "$-$")
	}
	switch c.Mark {
	case Best:
		return "\\textbf{" + text + "}"
	case Second:
		return "\\underline{" + text + "}"
	}
	return text
}

// latexRow prints row i and what stands below its numbers.
func (t *Table) latexRow(b *strings.Builder, i int) {
	if t.begins(i) {
		b.WriteString("\\midrule\n")
	}
	if t.Rows[i].Wide {
		fmt.Fprintf(b, "\\multicolumn{%d}{@{}l@{}}{%s} \\\\\n", len(t.shown()), Escape(t.Rows[i].Cells[0].Text))
		return
	}
	var cells, below []string
	under := false
	for _, j := range t.shown() {
		c := t.Rows[i].Cells[j]
		text := ""
		switch {
		case t.Columns[j].Align == Numbers:
			text = t.latexNumber(c, j)
		case j > 0 || !t.repeats(i):
			text = t.latexText(c, t.Columns[j]) + superscripts(c.Signs, c.Notes)
		}
		if n := t.height(i); j == 0 && t.Grouped && !t.plain && !t.repeats(i) && n > 1 {
			text = fmt.Sprintf("\\qatsgroup{%d}{%s}", n, text)
		}
		cells = append(cells, text)
		second := ""
		if c.Below != "" {
			under = true
			size := "scriptsize"
			if len(c.Below) > 12 {
				size = "tiny"
			}
			second = fmt.Sprintf("{\\%s%s}", size, t.coloured("Worse", strings.ReplaceAll(Escape(c.Below), "-", "$-$")))
		}
		below = append(below, second)
	}
	b.WriteString(strings.Join(cells, " & "))
	if under {
		end := " \\\\*\n"
		if t.plain {
			end = " \\\\\n"
		}
		b.WriteString(end + strings.Join(below, " & "))
	}
	end := " \\\\"
	if first := t.group(i); i+1 < len(t.Rows) && t.repeats(i+1) && t.height(first) <= undivided && !t.plain {
		end += "*" // no page ends here
	}
	if under {
		end += "[1.5pt]" // what stands below belongs to the number above it
	}
	b.WriteString(end + "\n")
}

// undivided is the most lines of a group that has to stand on one page of a longtable.
const undivided = 24

// group is the first row of the group of row i.
func (t *Table) group(i int) int {
	for t.repeats(i) {
		i--
	}
	return i
}

// height is the number of lines in the group that begins at row i.
func (t *Table) height(i int) int {
	lines := 0
	for k := i; k < len(t.Rows) && (k == i || t.repeats(k)); k++ {
		lines++
		if slices.ContainsFunc(t.Rows[k].Cells, func(c Cell) bool { return c.Below != "" }) {
			lines++
		}
	}
	return lines
}

// latexNumber prints a number of column j with its superscripts and subscripts. It is
// padded on both sides to the size of the largest cell in its column.
func (t *Table) latexNumber(c Cell, j int) string {
	whole := 0            // digits before the point
	room, widest := 0, "" // the longest tail in the column, and its number of characters
	for _, r := range t.Rows {
		if r.Wide {
			continue
		}
		other := r.Cells[j]
		whole = max(whole, strings.Index(other.Text, "."))
		if w := len(strings.ReplaceAll(signs(other.Signs, other.Notes), "\\ddagger", "d")) + len(other.Gap); w > room {
			room, widest = w, t.latexTail(other)
		}
	}
	spread, tail := t.latexSpread(c, j), t.latexTail(c)
	gaps := slices.ContainsFunc(t.Rows, func(r Row) bool { return !r.Wide && r.Cells[j].Gap != "" })
	switch {
	case t.plain && !gaps && tail != "":
		tail = "\\rlap{" + tail + "}" // a sign has room between columns
	case t.plain && !gaps:
	case tail == widest:
	case tail == "":
		tail = "\\hphantom{" + widest + "}"
	default:
		tail = "\\rlap{" + tail + "}\\hphantom{" + widest + "}"
	}
	if c.Value == nil {
		return "--" + spread + tail
	}
	pad := ""
	if missing := whole - strings.Index(c.Text, "."); missing > 0 && !t.plain {
		pad = "\\phantom{" + strings.Repeat("0", missing) + "}"
	}
	text := strings.Replace(c.Text, "-", "$-$", 1)
	switch c.Mark {
	case Best:
		text = "\\textbf{" + text + "}"
	case Second:
		text = "\\underline{" + text + "}"
	}
	return pad + text + spread + tail
}

// latexSpread prints the spread of a number of column j, as wide as the widest one in its column.
func (t *Table) latexSpread(c Cell, j int) string {
	widest := 0
	for _, r := range t.Rows {
		if !r.Wide {
			widest = max(widest, len(r.Cells[j].Spread))
		}
	}
	const sign = "\\,$\\pm$\\,"
	pad := strings.Repeat("0", widest-len(c.Spread))
	switch {
	case widest == 0:
		return ""
	case c.Spread == "":
		return "\\hphantom{" + sign + pad + "}"
	case pad != "":
		return sign + "\\phantom{" + pad + "}" + c.Spread
	}
	return sign + c.Spread
}

// latexTail prints the signs and footnotes of a number and beside them the gap.
// Above each other, they would run into the next row.
func (t *Table) latexTail(c Cell) string {
	tail := ""
	if above := signs(c.Signs, c.Notes); above != "" && t.plain {
		tail = "^{" + above + "}"
	} else if above != "" {
		tail = "^{\\mathrm{" + above + "}}"
	}
	empty := "{}" // the subscript does not stand below the superscript
	if t.plain && tail == "" {
		empty = ""
	}
	switch {
	case c.Gap != "" && c.Good:
		tail += empty + "_{" + t.coloured("Better", "\\mathbf{"+c.Gap+"}") + "}"
	case c.Gap != "":
		tail += empty + "_{" + t.coloured("Worse", c.Gap) + "}"
	}
	if tail == "" {
		return ""
	}
	return "$" + tail + "$"
}

// coloured prints text in a colour of Preamble; a plain table has no colours.
func (t *Table) coloured(colour, text string) string {
	if t.plain {
		return text
	}
	return "\\textcolor{" + colour + "}{" + text + "}"
}
