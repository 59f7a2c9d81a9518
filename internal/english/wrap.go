package english

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Wrap writes text in lines of at most width characters where the words allow it.
// The first line begins with head; the others are indented by the length of head.
func Wrap(w io.Writer, head, text string, width int) {
	line := head
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			io.WriteString(w, line+"\n")
			line, empty = strings.Repeat(" ", utf8.RuneCountInString(head)), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	io.WriteString(w, line+"\n")
}
