package table

import (
	"io"
	"strings"
)

// Markdown writes the table as GitHub's Markdown: the caption and the origin as paragraphs, one
// line of headings, the rows, and the legend, the remarks and the notes as paragraphs below. The
// best number is bold, the second best in italics. Numbers stand on the right. A heading of several
// lines, and the line above the headings, are joined by spaces; a wide row has its text in the first
// column. Texts are plain: the characters that Markdown would read are escaped, and a line break in
// a text is a space. There is no empty line at the end.
func (t *Table) Markdown(w io.Writer) error {
	var parts []string
	for _, text := range []string{t.Caption, t.Origin} {
		if text != "" {
			parts = append(parts, paragraph(text)+"\n")
		}
	}
	if rows := t.markdownRows(); rows != "" {
		parts = append(parts, rows)
	}
	if len(t.Legend) > 0 {
		parts = append(parts, t.legendText("Best **bold**, second *italic*", EscapeMarkdown)+"\n")
	}
	for _, text := range t.Remarks {
		parts = append(parts, paragraph(text)+"\n")
	}
	for i, text := range t.Notes {
		parts = append(parts, markdownNotes([]int{i})+" "+EscapeMarkdown(text)+"\n")
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n"))
	return err
}

// markdownRows returns the headings, their rule and the rows; nothing of a table without columns.
func (t *Table) markdownRows() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	shown := t.shown()
	if len(shown) == 0 {
		return ""
	}
	var heads []string
	rule := "|"
	for _, j := range shown {
		c := t.Columns[j]
		head := EscapeMarkdown(c.Head)
		if t.Over != nil {
			head = strings.TrimSpace(EscapeMarkdown(t.Over[j].text()) + " " + head)
		}
		heads = append(heads, head+EscapeMarkdown(c.Signs)+markdownNotes(c.Notes))
		if c.Align == Left {
			rule += "---|"
		} else {
			rule += "---:|"
		}
	}
	line(heads)
	b.WriteString(rule + "\n")
	for i, r := range t.Rows {
		cells := make([]string, len(shown))
		for k, j := range shown {
			switch {
			case r.Wide && k > 0, j == 0 && !r.Wide && t.repeats(i):
			case r.Wide:
				cells[k] = markdownCell(r.Cells[0])
			default:
				cells[k] = markdownCell(r.Cells[j])
			}
		}
		line(cells)
	}
	return b.String()
}

func markdownCell(c Cell) string {
	text := EscapeMarkdown(c.text())
	switch {
	case text == "":
	case c.Mark == Best:
		text = "**" + text + "**"
	case c.Mark == Second:
		text = "*" + text + "*"
	}
	if c.Spread != "" {
		text += plusMinus + EscapeMarkdown(c.Spread)
	}
	text += EscapeMarkdown(c.Signs) + markdownNotes(c.Notes)
	if c.Gap != "" {
		text += " (" + EscapeMarkdown(c.Gap) + ")"
	}
	if c.Below != "" {
		text += "<br>" + EscapeMarkdown(c.Below)
	}
	return text
}

func markdownNotes(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	return "<sup>" + footnotes(notes) + "</sup>"
}

// markdownEscapes are the characters that Markdown reads in the middle of a line. An underscore
// inside a word and a bracket without a link are plain.
var markdownEscapes = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "`", "\\`", "<", "\\<", "&", "\\&", "~~", "\\~\\~",
	"](", "]\\(", "][", "]\\[", "\n", " ", "\r", " ", "\t", " ")

// EscapeMarkdown returns a plain text as a part of one line of Markdown.
func EscapeMarkdown(text string) string {
	text = strings.TrimSpace(markdownEscapes.Replace(text))
	if strings.HasPrefix(text, "_") || strings.Contains(text, " _") || strings.Contains(text, "(_") {
		text = strings.ReplaceAll(text, "_", "\\_")
	}
	return text
}

// paragraph escapes a text that begins a line, where a sign makes a heading, a list or a quotation.
func paragraph(text string) string {
	text = EscapeMarkdown(text)
	if text != "" && strings.ContainsRune("#>+-=", rune(text[0])) {
		text = "\\" + text
	}
	return text
}
