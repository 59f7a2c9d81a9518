package main

import (
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
