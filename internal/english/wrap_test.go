package english

import (
	"strings"
	"testing"
)

// TestWrapKeepsWords: it breaks only at spaces, and counts characters.
func TestWrapKeepsWords(t *testing.T) {
	for _, c := range []struct {
		head, text string
		width      int
		want       string
	}{
		{"", "", 10, "\n"},
		{"", "one two three", 7, "one two\nthree\n"},
		{"[1] ", "one two three", 11, "[1] one two\n    three\n"},
		{"", "  one \n two ", 80, "one two\n"},
		{"- ", "incomprehensible word", 8, "- incomprehensible\n  word\n"},
		{"", "äöü äöü", 7, "äöü äöü\n"},
		{"ä ", "one two", 6, "ä one\n  two\n"},
	} {
		var b strings.Builder
		if Wrap(&b, c.head, c.text, c.width); b.String() != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, b.String(), c.want)
		}
	}
}
