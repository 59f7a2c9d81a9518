// Package terminal makes text safe to print: file names, titles of specs, notes of
// manifests, fields of CSV files, answers of servers. Such text may hold sequences that
// move the cursor or rename the window, turn the direction of a line around, pass for
// lines of another program, or have no end.
//
// Characters that are not graphic are shown as in a string of JSON: \n for a line break,
// \u001b for ESC, \u202e for the character that reverses a line; so JSON that is printed
// stays the same JSON. A byte that is not UTF-8 is shown as \xff. Graphic are letters,
// marks, digits, punctuation, symbols and spaces of every language (strconv.IsGraphic).
//
// Everything that the program prints goes through a Writer, which knows no names and
// lets line breaks and tabs pass. Text of others that stands in a line of ours goes
// through Line, or Fprintf, which also keep it in that line and shorten it.
package terminal

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxLine is the number of bytes from which Line leaves out the middle of a text.
const MaxLine = 4096

// tail is how much of its end a shortened text keeps: the remedy of an error.
const tail = 1024

// Line returns text as a part of one line. Characters that are not graphic are escaped,
// also line breaks and tabs. Of a text of more than MaxLine bytes the middle is left out.
func Line(text string) string {
	if len(text) > MaxLine {
		head, end := MaxLine-tail, len(text)-tail
		for head > 0 && !utf8.RuneStart(text[head]) && MaxLine-tail-head < utf8.UTFMax {
			head--
		}
		for !utf8.RuneStart(text[end]) && end-(len(text)-tail) < utf8.UTFMax {
			end++
		}
		text = text[:head] + fmt.Sprintf(" ... (%d bytes left out) ... ", end-head) + text[end:]
	}
	return escape(text, "")
}

// Fprintf is fmt.Fprintf, with Line of each argument that is a text: a string, an error
// or a fmt.Stringer.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	clean := make([]any, len(args))
	for i, arg := range args {
		switch x := arg.(type) {
		case string:
			clean[i] = Line(x)
		case error:
			clean[i] = Line(x.Error())
		case fmt.Stringer:
			clean[i] = Line(x.String())
		default:
			clean[i] = arg
		}
	}
	return fmt.Fprintf(w, format, clean...)
}

// named are the escapes of JSON with a letter of their own.
var named = map[rune]string{'\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// escape escapes the characters of text that are neither graphic nor in keep.
func escape(text, keep string) string {
	if isPlain(text, keep) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case strconv.IsGraphic(r) || strings.ContainsRune(keep, r):
			b.WriteString(text[:n])
		case named[r] != "":
			b.WriteString(named[r])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		text = text[n:]
	}
	return b.String()
}

// isPlain reports whether all of text is printable ASCII, or in keep.
func isPlain(text, keep string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && strings.IndexByte(keep, c) < 0 {
			return false
		}
	}
	return true
}

// Writer writes text to another writer with the characters escaped that are neither
// graphic nor line breaks nor tabs. Several goroutines may use it.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the beginning of a character whose end has not come yet
}

// NewWriter returns a Writer to w. Flush ends it.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes b. It returns len(b) or an error of the writer below.
func (t *Writer) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(append(t.rest, b...))
	whole := len(text)
	for i := max(0, whole-utf8.UTFMax+1); i < whole; i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRuneInString(text[i:]) {
			whole = i
			break
		}
	}
	t.rest = append(t.rest[:0], text[whole:]...)
	if _, err := io.WriteString(t.w, escape(text[:whole], "\n\t")); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what Write holds back: the beginning of a character, as its bytes.
func (t *Writer) Flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := io.WriteString(t.w, escape(string(t.rest), ""))
	t.rest = nil
	return err
}

// Unwrap returns the writer below, for what is not text, such as a progress bar.
func (t *Writer) Unwrap() io.Writer { return t.w }
