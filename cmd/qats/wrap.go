package main

import (
	"io"
	"strings"
	"unicode/utf8"
)

// lineWidth is the number of columns that lists and tables of the command line keep
// to.
const lineWidth = 100

// wrap breaks a text at spaces into lines of at most width columns. Lines after the
// first are indented. A longer word has a line of its own.
func wrap(text string, indent, width int) string {
	var b strings.Builder
	at := indent // the first line stands behind as many columns
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

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
		indent := 0
		for i, text := range row[:len(row)-1] {
			b.WriteString(text + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)+2))
			indent += widths[i] + 2
		}
		b.WriteString(wrap(row[len(row)-1], indent, lineWidth))
		line := strings.TrimRight(b.String(), " ")
		b.Reset()
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}
