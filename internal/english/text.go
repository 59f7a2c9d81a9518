package english

import (
	"fmt"
	"strings"
)

// Term is a word that a page can explain, in the singular: "block".
type Term string

// Text is a text of which some parts stand for terms.
type Text []Part

// Part is a part of a text. Term is empty for a part that needs no explanation.
type Part struct {
	Words string
	Term  Term
}

// Of joins texts and other values, which are printed as fmt.Sprint prints them.
func Of(parts ...any) (t Text) {
	for _, p := range parts {
		if text, ok := p.(Text); ok {
			t = append(t, text...)
		} else if words := fmt.Sprint(p); words != "" {
			t = append(t, Part{Words: words})
		}
	}
	return t
}

// CountOf is Count of a noun that stands for a term; the number is no part of the term.
func CountOf(n int, noun string, term Term) Text {
	number, words, _ := strings.Cut(Count(n, noun), " ")
	return Text{{Words: number + " "}, {words, term}}
}

// String returns the words alone.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.Words)
	}
	return b.String()
}
