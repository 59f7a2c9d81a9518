package pivot

import (
	"slices"
	"strings"
)

// latexCell prints a cell of column j: a number and its superscripts and
// subscripts. It is padded on both sides to the size of the largest cell in its
// column.
func (t *Pivot) latexCell(c Cell, j int) string {
	whole := 0            // digits before the point
	room, widest := 0, "" // the longest tail in the column, and its number of characters
	for _, r := range t.Rows {
		other := r.Cells[j]
		whole = max(whole, strings.Index(other.Text, "."))
		if w := len(strings.ReplaceAll(t.superscript(other), "\\ddagger", "d")) + len(other.Gap); w > room {
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

// latexTail prints the signs and footnotes of a number and beside them the gap.
// Above each other, they would run into the next row.
func (t *Pivot) latexTail(c Cell) string {
	tail := ""
	if above := t.superscript(c); above != "" {
		tail = "^{\\mathrm{" + above + "}}"
	}
	switch {
	case c.Gap != "" && c.GapBetter:
		tail += "{}_{\\textcolor{Better}{\\mathbf{" + c.Gap + "}}}"
	case c.Gap != "":
		tail += "{}_{\\textcolor{Worse}{" + c.Gap + "}}"
	}
	if tail == "" {
		return ""
	}
	return "$" + tail + "$"
}

func (t *Pivot) superscript(c Cell) string {
	return strings.Join(slices.Concat(t.marks(c, "\\ddagger"), noteNumbers(c.Notes)), ",")
}
