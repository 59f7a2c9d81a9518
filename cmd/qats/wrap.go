package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/qats-bench/qats/results/table"
)

// lineWidth is the number of columns that lists and tables of the command line keep
// to.
const lineWidth = 100

// printColumns prints rows in columns of the width of their longest text. The last
// column is wrapped at lineWidth. The head may be nil.
func printColumns(w io.Writer, head []string, rows [][]string) error {
	all := rows
	if head != nil {
		all = append([][]string{head}, rows...)
	}
	var widths []int
	for _, row := range all {
		for i, text := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	for _, row := range all {
		before := ""
		for i, text := range row[:len(row)-1] {
			before += fmt.Sprintf("%-*s", widths[i]+2, text)
		}
		last := row[len(row)-1]
		if last == "" {
			before = strings.TrimRight(before, " ")
		}
		table.Wrap(&b, before, last, lineWidth)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
