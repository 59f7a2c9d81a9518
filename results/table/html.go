package table

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// HTML writes the table as a table element: the caption for screen readers, headings, and
// rows whose first cell names them. The best number is strong, the second best is
// underlined. The legend, the remarks and the notes are paragraphs after it.
func (t *Table) HTML(w io.Writer) error {
	var b strings.Builder
	b.WriteString("<table>")
	if t.Caption != "" {
		b.WriteString(`<caption class="hidden">` + html.EscapeString(t.Caption) + "</caption>")
	}
	b.WriteString("<thead>")
	if t.Over != nil {
		b.WriteString("<tr>")
		for _, j := range t.shown() {
			b.WriteString("<th" + t.htmlClass(j) + ">" + html.EscapeString(t.Over[j].text()) + "</th>")
		}
		b.WriteString("</tr>")
	}
	b.WriteString("<tr>")
	for _, j := range t.shown() {
		c := t.Columns[j]
		head := strings.ReplaceAll(html.EscapeString(c.Head), "\n", "<br>")
		b.WriteString(`<th scope="col"` + t.htmlClass(j) + ">" + head + htmlSigns(c.Signs, c.Notes) + "</th>")
	}
	b.WriteString("</tr></thead>\n<tbody>")
	for _, r := range t.Rows {
		b.WriteString("<tr>")
		if r.Wide {
			fmt.Fprintf(&b, `<th scope="row" colspan="%d">%s</th></tr>`, len(t.shown()), htmlCell(r.Cells[0]))
			continue
		}
		for k, j := range t.shown() {
			if k == 0 {
				b.WriteString(`<th scope="row">` + htmlCell(r.Cells[j]) + "</th>")
			} else {
				b.WriteString("<td" + t.htmlClass(j) + ">" + htmlCell(r.Cells[j]) + "</td>")
			}
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table>")
	if len(t.Legend) > 0 {
		b.WriteString("\n<p>" + t.legendText("Best <strong>bold</strong>, second <u>underlined</u>", html.EscapeString) + "</p>")
	}
	for _, text := range t.Remarks {
		b.WriteString("\n<p>" + html.EscapeString(text) + "</p>")
	}
	for i, text := range t.Notes {
		b.WriteString("\n<p><sup>" + footnotes([]int{i}) + "</sup> " + html.EscapeString(text) + "</p>")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) htmlClass(j int) string {
	if t.Columns[j].Align == Left {
		return ""
	}
	return ` class="number"`
}

func htmlSigns(signs string, notes []int) string {
	if signs+footnotes(notes) == "" {
		return ""
	}
	return "<sup>" + html.EscapeString(signs+footnotes(notes)) + "</sup>"
}

func htmlCell(c Cell) string {
	text := html.EscapeString(c.text())
	switch c.Mark {
	case Best:
		text = "<strong>" + text + "</strong>"
	case Second:
		text = "<u>" + text + "</u>"
	}
	if c.Spread != "" {
		text += plusMinus + html.EscapeString(c.Spread)
	}
	text += htmlSigns(c.Signs, c.Notes)
	if c.Gap != "" {
		text += " <small>" + html.EscapeString(c.Gap) + "</small>"
	}
	if c.Below != "" {
		text += "<br><small>" + html.EscapeString(c.Below) + "</small>"
	}
	return text
}
