package compare

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qats-bench/qats/results/table"
)

// width is that of the text, in columns.
const width = 100

// Text prints the comparison for a terminal, the result in one sentence first. The
// table of methods is printed in two parts, effects and tests, which fit width.
func (v View) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	table.Wrap(b, "", v.Sentence(), width)
	b.WriteString("\n" + v.title() + "\n")
	table.Wrap(b, "", v.origin(), width)
	b.WriteByte('\n')
	effects, tests := v.parts()
	writeTable(b, effects)
	b.WriteByte('\n')
	if tests != nil {
		writeTable(b, tests)
		b.WriteByte('\n')
	}
	table.Wrap(b, "", strings.Join(v.legend(), " "), width)
	b.WriteByte('\n')
	for _, s := range v.contrary() {
		table.Wrap(b, "", s, width)
	}
	for _, s := range v.RankingNotes() {
		table.Wrap(b, "", s, width)
	}
	if headings, rows := v.StrengthTable(); rows != nil {
		b.WriteString("\n" + v.strengthTitle() + "\n\n")
		writeTable(b, align(slices.Insert(rows, 0, headings), 1))
		b.WriteByte('\n')
		table.Wrap(b, "", v.StrengthLegend(), width)
	}
	for i, s := range v.warnings() {
		if i == 0 {
			b.WriteString("\nWarnings of fits:\n")
		}
		table.Wrap(b, "", s, width)
	}
	if len(v.Splits) > 0 {
		b.WriteString("\nRedrawn splits: " + v.title() + "\n")
		table.Wrap(b, "", v.origin(), width)
		b.WriteByte('\n')
		headings, rows := v.splitTable()
		writeTable(b, align(slices.Insert(rows, 0, headings), 2))
		b.WriteByte('\n')
		table.Wrap(b, "", v.splitLegend(), width)
	}
	return b.Flush()
}

// parts returns the lines of the table of methods in two parts: means and differences,
// then tests. The places of methods alike come last and are broken at width. Without
// verdicts there are no tests.
func (v View) parts() (effects, tests []string) {
	var left, right [][]string
	var alike []string
	headings, rows, _ := v.MethodTable()
	if !v.Judged() {
		return align(slices.Insert(rows, 0, headings), 1), nil
	}
	for _, row := range slices.Insert(rows, 0, headings) {
		left = append(left, slices.Concat(row[:alikeColumn], row[alikeColumn+1:winColumn]))
		right = append(right, slices.Concat(row[:1], row[winColumn:]))
		alike = append(alike, row[alikeColumn])
	}
	lines := align(right, 1)
	margin := table.Longest(lines) + 2
	for i, l := range lines {
		var places strings.Builder
		table.Wrap(&places, "", alike[i], width-margin)
		for part := range strings.Lines(places.String()) {
			tests = append(tests, fmt.Sprintf("%-*s%s", margin, l, strings.TrimSuffix(part, "\n")))
			l = ""
		}
	}
	return align(left, 1), tests
}

// writeTable writes lines with a rule under the first.
func writeTable(b *bufio.Writer, lines []string) {
	for i, l := range lines {
		b.WriteString(l + "\n")
		if i == 0 {
			b.WriteString(strings.Repeat("-", table.Longest(lines)) + "\n")
		}
	}
}

// align aligns the columns of a grid: the first left ones to the left, the others to
// the right.
func align(grid [][]string, left int) []string {
	lines := make([]string, len(grid))
	for j := range grid[0] {
		width := 0
		for _, row := range grid {
			width = max(width, utf8.RuneCountInString(row[j]))
		}
		for i, row := range grid {
			switch {
			case j == 0:
				lines[i] = fmt.Sprintf("%-*s", width, row[j])
			case j < left:
				lines[i] += fmt.Sprintf("  %-*s", width, row[j])
			default:
				lines[i] += fmt.Sprintf("  %*s", width, row[j])
			}
		}
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}
