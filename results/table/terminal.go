package table

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
)

// Text writes the table for a terminal or a log of the given width, in characters: the
// caption, the origin, the rows under their headings, the legend and the notes. Best
// numbers are *starred*, second ones _underlined_, and signs are ASCII. A table that is
// wider is folded: columns with Fold take several lines, and other columns follow in
// parts, each with the labels of the rows. Width 0 stands for a table as wide as it needs
// to be. No line ends in a space.
func (t *Table) Text(w io.Writer, width int) error {
	parts := t.folded(width)
	if width == 0 {
		width = 72
		for _, lines := range parts {
			width = max(width, longest(lines))
		}
	}
	var b strings.Builder
	for _, text := range []string{t.Caption, t.Origin} {
		if text != "" {
			english.Wrap(&b, "", ascii(text), width)
		}
	}
	if b.Len() > 0 && len(parts) > 0 {
		b.WriteByte('\n')
	}
	for i, lines := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	if len(t.Legend)+len(t.Remarks)+len(t.Notes) > 0 {
		b.WriteByte('\n')
	}
	if len(t.Legend) > 0 {
		english.Wrap(&b, "", t.legendText("Best *starred*, second _underlined_", ascii), width)
	}
	if len(t.Legend) > 0 && len(t.Remarks) > 0 {
		b.WriteByte('\n')
	}
	for _, text := range t.Remarks {
		english.Wrap(&b, "", ascii(text), width)
	}
	for i, text := range t.Notes {
		english.Wrap(&b, fmt.Sprintf("[%d] ", i+1), ascii(text), width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Fits reports whether all columns stand beside each other in a width.
func (t *Table) Fits(width int) bool { return len(t.folded(width)) < 2 }

// legendText joins the sentences of the legend.
func (t *Table) legendText(marks string, escape func(string) string) string {
	return strings.Join(t.legendSentences(marks, escape), " ")
}

// legendSentences are the sentences of the legend, with what the marks of numbers mean before those that say so.
func (t *Table) legendSentences(marks string, escape func(string) string) (list []string) {
	for _, s := range t.Legend {
		text := escape(s.Text)
		if s.Marks {
			text = marks + text
		}
		list = append(list, text)
	}
	return list
}

// ascii returns a text in one line, with the signs of a table in ASCII.
func ascii(text string) string {
	return terminal.Line(strings.NewReplacer(Dagger, "#", Star, "^", "\u2013", "-", "\u00b1", "+-").Replace(text))
}

// strip is a column in print: lines of the heading, and of each row.
type strip struct {
	head  []string
	rows  [][]string
	left  bool
	width int
}

// leastFold is the least width of a column that is folded.
const leastFold = 24

// folded returns the lines of each part of the table; none of a table without columns.
func (t *Table) folded(width int) (parts [][]string) {
	strips := map[int]strip{}
	total := -2
	for _, j := range t.shown() {
		strips[j] = t.strip(j)
		total += t.leastWidth(j, strips[j]) + 2
	}
	var part []int
	flush := func() {
		if len(part) > 0 {
			parts = append(parts, t.lines(part, strips, width))
		}
	}
	used := 0
	labels := min(t.labels(), len(t.shown()))
	for k, j := range t.shown() {
		needs := t.leastWidth(j, strips[j]) + 2
		if width > 0 && total > width && len(part) > labels && k >= labels && (t.Columns[j].Break || used+needs-2 > width) {
			flush()
			part, used = slices.Clone(t.shown()[:labels]), 0
			for _, label := range part {
				used += strips[label].width + 2
			}
		}
		part, used = append(part, j), used+needs
	}
	flush()
	return parts
}

// leastWidth is the width that a column needs. One that others follow is not folded beside
// them.
func (t *Table) leastWidth(j int, s strip) int {
	if shown := t.shown(); t.Columns[j].Fold && j == shown[len(shown)-1] {
		return min(leastFold, s.width)
	}
	return s.width
}

// lines returns the lines of some columns.
func (t *Table) lines(part []int, strips map[int]strip, width int) []string {
	var list []strip
	heads, used := 0, 0
	for k, j := range part {
		s := strips[j]
		if room := width - used; t.Columns[j].Fold && width > 0 && k == len(part)-1 && s.width > room {
			s = s.fold(max(room, leastFold))
		}
		used += s.width + 2
		heads = max(heads, len(s.head))
		list = append(list, s)
	}
	var lines []string
	join := func(cells []string) {
		var line strings.Builder
		for k, s := range list {
			format := "  %*s"
			if s.left {
				format = "  %-*s"
			}
			if k == 0 {
				format = format[2:]
			}
			fmt.Fprintf(&line, format, s.width, cells[k])
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	cells := make([]string, len(list))
	// block prints lines of the columns side by side; the shorter ones are filled up.
	block := func(of func(strip) []string, height int, bottom bool) {
		for i := range height {
			for k, s := range list {
				at := i
				if bottom {
					at -= height - len(of(s))
				}
				cells[k] = ""
				if at >= 0 && at < len(of(s)) {
					cells[k] = of(s)[at]
				}
			}
			join(cells)
		}
	}
	block(func(s strip) []string { return s.head }, heads, true)
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" }) // the line above the headings of other columns
	ruled := len(lines)
	for i := range t.Rows {
		if !t.List && t.begins(i) {
			lines = append(lines, "")
		}
		if r := t.Rows[i]; r.Wide {
			lines = append(lines, wide(r.Cells[0].text(), width)...)
			continue
		}
		height := 1
		for _, s := range list {
			height = max(height, len(s.rows[i]))
		}
		block(func(s strip) []string { return s.rows[i] }, height, false)
	}
	if t.List || heads == 0 {
		return lines
	}
	rule := strings.Repeat("-", longest(lines))
	for i, line := range lines[ruled:] { // an empty line stands for a rule
		if line == "" {
			lines[ruled+i] = rule
		}
	}
	return slices.Insert(lines, ruled, rule)
}

// wide returns the lines of a text across all columns, each with the indent of the first.
func wide(text string, width int) []string {
	text = ascii(text)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	if width == 0 {
		return []string{text}
	}
	var b strings.Builder
	english.Wrap(&b, indent, text, width)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// fold breaks the lines of a column at a width.
func (s strip) fold(width int) strip {
	s.rows = slices.Clone(s.rows)
	for i, lines := range s.rows {
		var text strings.Builder
		for _, line := range lines {
			english.Wrap(&text, "", line, width)
		}
		s.rows[i] = strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	}
	s.width = width
	return s
}

// strip returns column j.
func (t *Table) strip(j int) strip {
	c := t.Columns[j]
	s := strip{left: c.Align == Left}
	headed := slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Head != "" })
	if headed {
		s.head = strings.Split(c.Head, "\n")
		for i := range s.head {
			s.head[i] = ascii(s.head[i])
		}
		s.head[len(s.head)-1] += ascii(c.Signs) + noteMarks(c.Notes)
	}
	if t.Over != nil {
		s.head = slices.Insert(slices.Concat(make([]string, t.headLines()-len(s.head)), s.head), 0, ascii(t.Over[j].text()))
	}
	if c.Align == Numbers {
		t.numbers(j, &s)
	} else {
		for i, r := range t.Rows {
			if r.Wide {
				s.rows = append(s.rows, nil)
				continue
			}
			text := ascii(r.Cells[j].text()) + ascii(r.Cells[j].Signs) + noteMarks(r.Cells[j].Notes)
			if j == 0 && t.repeats(i) {
				text = ""
			}
			lines := []string{text}
			if below := r.Cells[j].Below; below != "" {
				lines = append(lines, ascii(below))
			}
			s.rows = append(s.rows, lines)
		}
	}
	s.width = longest(s.head)
	for _, lines := range s.rows {
		s.width = max(s.width, longest(lines))
	}
	return s
}

// headLines is the number of lines of the longest heading.
func (t *Table) headLines() int {
	n := 1
	for _, j := range t.shown() {
		n = max(n, strings.Count(t.Columns[j].Head, "\n")+1)
	}
	return n
}

// numbers prints column j of numbers: marks around each of them, and on their right signs,
// gaps and notes, aligned to the left.
func (t *Table) numbers(j int, s *strip) {
	for i := range s.head {
		s.head[i] += " "
	}
	width, room := longest(s.head), 0
	var numbers, tails []string
	for _, r := range t.Rows {
		if r.Wide {
			numbers, tails = append(numbers, ""), append(tails, "")
			continue
		}
		c := r.Cells[j]
		number, tail := " "+c.text()+" ", ascii(c.Signs)
		switch c.Mark {
		case Best:
			number = "*" + c.text() + "*"
		case Second:
			number = "_" + c.text() + "_"
		}
		if c.Spread != "" {
			tail = "+-" + c.Spread + tail
		}
		if c.Gap != "" {
			tail += " " + c.Gap
		}
		if len(c.Notes) > 0 {
			tail += " " + noteMarks(c.Notes)
		}
		numbers, tails = append(numbers, number), append(tails, tail)
		width, room = max(width, utf8.RuneCountInString(number), utf8.RuneCountInString(c.Below)+1), max(room, len(tail))
	}
	if len(s.head) > 0 {
		for i := range s.head {
			s.head[i] = fmt.Sprintf("%*s%*s", width, s.head[i], room, "")
		}
	}
	for i, r := range t.Rows {
		if r.Wide {
			s.rows = append(s.rows, nil)
			continue
		}
		lines := []string{fmt.Sprintf("%*s%-*s", width, numbers[i], room, tails[i])}
		if below := r.Cells[j].Below; below != "" {
			lines = append(lines, fmt.Sprintf("%*s%*s", width, ascii(below)+" ", room, ""))
		}
		s.rows = append(s.rows, lines)
	}
}

// text is what a terminal and a page show: of a yes or no the word.
func (c Cell) text() string {
	if v, ok := c.Value.(bool); ok && c.Text == "" {
		return yes(v)
	}
	return c.Text
}

// footnotes returns the numbers of footnotes as printed, which begin at 1.
func footnotes(notes []int) string {
	var list []string
	for _, n := range notes {
		list = append(list, strconv.Itoa(n+1))
	}
	return strings.Join(list, ",")
}

// noteMarks prints the numbers of footnotes in brackets.
func noteMarks(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	return "[" + footnotes(notes) + "]"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// longest returns the number of characters of the longest text.
func longest(list []string) int {
	width := 0
	for _, s := range list {
		width = max(width, utf8.RuneCountInString(s))
	}
	return width
}
