package pivot

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results/table"
)

// Text prints the table aligned for a terminal or a log: *best*, _second_, "s"
// after a simulated number, "o" after one of a stand-in, the gap as a signed number,
// footnotes in brackets, "#" at a method that changes predictions and "^" at a method
// that sees the target domain. No line ends in a space. The table is as wide as it needs to be.
func (t *Pivot) Text(w io.Writer) error {
	lines := t.textLines()
	width := max(72, table.Longest(lines))
	b := bufio.NewWriter(w)
	if t.Spec.Caption != "" {
		table.Wrap(b, "", terminal.Line(t.Spec.Caption), width)
	}
	table.Wrap(b, "", t.Origin(), width)
	b.WriteByte('\n')
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	b.WriteByte('\n')
	table.Wrap(b, "", strings.Join(t.legend(glyphs{"Best *starred*", "second _underlined_", "#", "^", func(s string) string { return s }}), " "), width)
	for i, n := range t.Notes {
		table.Wrap(b, fmt.Sprintf("[%d] ", i+1), terminal.Line(n.String()), width)
	}
	return b.Flush()
}

// textLines returns heading, rule and rows.
func (t *Pivot) textLines() []string {
	heads := t.headLines()
	grid := make([][]string, heads) // the columns of row labels
	for i := range grid {
		grid[i] = make([]string, t.labelColumns())
	}
	for j, c := range t.Spec.Rows {
		grid[heads-1][j] = capital(c)
	}
	if t.showsTarget() && t.Spec.methodsAreRows() {
		grid[heads-1][len(t.Spec.Rows)] = "OOD-free?"
	} else if t.showsTarget() {
		grid[0][len(t.Spec.Rows)-1] = "OOD-free?"
	}
	for i := range t.Rows {
		grid = append(grid, t.textLabels(i))
	}
	lines := make([]string, len(grid))
	for j := range t.labelColumns() {
		width := 0
		for i := range grid {
			width = max(width, utf8.RuneCountInString(grid[i][j]))
		}
		for i := range grid {
			lines[i] += fmt.Sprintf("%-*s  ", width, grid[i][j])
		}
	}
	bands := make([]string, len(grid))
	for i := range bands {
		bands[i] = strings.Repeat(" ", utf8.RuneCountInString(lines[0]))
	}
	for j := range t.Columns {
		t.textColumn(j, lines, bands)
	}
	for i := range lines {
		lines[i], bands[i] = strings.TrimRight(lines[i], " "), strings.TrimRight(bands[i], " ")
	}
	rule := strings.Repeat("-", table.Longest(lines))
	list := append(slices.Clone(lines[:heads]), rule)
	for i, r := range t.Rows {
		if i > 0 && (r.Mean || len(r.Labels) > 1 && r.Labels[0] != t.Rows[i-1].Labels[0]) {
			list = append(list, rule)
		}
		list = append(list, lines[heads+i])
		if bands[heads+i] != "" {
			list = append(list, bands[heads+i])
		}
	}
	return list
}

// headLines is the number of lines of the heading.
func (t *Pivot) headLines() int {
	n := 1
	for _, c := range t.Columns {
		n = max(n, len(t.heading(c)))
	}
	if t.showsTarget() && !t.Spec.methodsAreRows() {
		n++
	}
	return n
}

// labelColumns is the number of columns before the columns of numbers.
func (t *Pivot) labelColumns() int {
	if t.showsTarget() && t.Spec.methodsAreRows() {
		return len(t.Spec.Rows) + 1
	}
	return len(t.Spec.Rows)
}

// textLabels returns the labels before the numbers of row i.
func (t *Pivot) textLabels(i int) []string {
	r := t.Rows[i]
	labels := t.labels(r)
	if i > 0 && len(labels) > 1 && labels[0] == t.labels(t.Rows[i-1])[0] {
		labels[0] = ""
	}
	if j := slices.Index(t.Spec.Rows, "method"); j >= 0 {
		labels[j] += t.textSigns(r.Rival)
	}
	if t.showsTarget() && t.Spec.methodsAreRows() {
		labels = append(labels, yes(!r.Rival.Target))
	}
	return labels
}

// textSigns are the signs after a rival's label.
func (t *Pivot) textSigns(r *Rival) string {
	if r == nil {
		return ""
	}
	return strings.Join(t.signs(r, "#", "^"), "") + noteMarks(r.Notes)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// textColumn appends column j to the lines, heading first, and what stands under its
// numbers to the lines below. Numbers with their marks are right-aligned; the signs
// after them are left-aligned.
func (t *Pivot) textColumn(j int, lines, bands []string) {
	c := t.Columns[j]
	heads := t.headLines()
	numbers := make([]string, heads)
	for i, line := range t.heading(c) {
		numbers[heads-len(t.heading(c))+i] = line + " "
	}
	numbers[heads-1] = strings.TrimSuffix(numbers[heads-1], " ") + t.textSigns(c.Rival) + " "
	if t.showsTarget() && !t.Spec.methodsAreRows() {
		numbers[0] = yes(!c.Rival.Target) + " "
	}
	tails := make([]string, heads)
	for _, r := range t.Rows {
		number, tail := t.textCell(r.Cells[j])
		numbers, tails = append(numbers, number), append(tails, tail)
	}
	width, tail := table.Longest(numbers), table.Longest(tails)
	for _, r := range t.Rows {
		width = max(width, len(r.Cells[j].below())+1)
	}
	for i := range lines {
		lines[i] += fmt.Sprintf("%*s%-*s  ", width, numbers[i], tail, tails[i])
		band := ""
		if i >= heads {
			band = t.Rows[i-heads].Cells[j].below()
		}
		bands[i] += fmt.Sprintf("%*s%*s  ", width, band+" ", tail, "")
	}
}

func (t *Pivot) textCell(c Cell) (number, tail string) {
	number = " " + c.Text + " "
	switch {
	case !c.OK:
		number = " -- "
	case c.Mark == Best:
		number = "*" + c.Text + "*"
	case c.Mark == Second:
		number = "_" + c.Text + "_"
	}
	tail = strings.Join(t.marks(c, "#"), "")
	if c.Gap != "" {
		tail += " " + c.Gap
	}
	if len(c.Notes) > 0 {
		tail += " " + noteMarks(c.Notes)
	}
	return number, tail
}

// noteMarks prints the numbers of footnotes in brackets.
func noteMarks(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	return "[" + strings.Join(noteNumbers(notes), ",") + "]"
}
