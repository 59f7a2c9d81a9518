package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile texts, and what is shown of them.
var hostile = map[string]string{
	"":                               "",
	"plain, \"quoted\" and a \\":     "plain, \"quoted\" and a \\",
	"Müller, 日本, a\u0301, 10\u00a0%": "Müller, 日本, a\u0301, 10\u00a0%",
	"\x1b]0;title\x07\x1b[2J":        `\u001b]0;title\u0007\u001b[2J`,
	"a\nqats: b\r\n\tc":              `a\nqats: b\r\n\tc`,
	"gpj.\u202egnp":                  `gpj.\u202egnp`,
	"\u2066\u2069\u200f\u061c":       `\u2066\u2069\u200f\u061c`,
	"line\u2028line\u2029":           `line\u2028line\u2029`,
	"\u0085\u009b31m\x7f\x00":        `\u0085\u009b31m\u007f\u0000`,
	"\xff\xc3(\xed\xa0\x80":          `\xff\xc3(\xed\xa0\x80`,
	"\ufeff\u00ad\U000e0041":         `\ufeff\u00ad\udb40\udc41`,
}

// Line shows what is graphic as it is, and all else as escapes.
func TestLineIsGraphic(t *testing.T) {
	for text, want := range hostile {
		if got := Line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for _, shown := range Line("a" + string(r) + "b") {
			if !unicode.IsGraphic(shown) {
				t.Fatalf("%U is shown as %U", r, shown)
			}
		}
	}
}

// A long text keeps its beginning and its end, in whole characters.
func TestLineHasALimit(t *testing.T) {
	if text := strings.Repeat("x", MaxLine); Line(text) != text {
		t.Error("a text of the limit is shortened")
	}
	for _, of := range []string{"x", "é", "日", "\U0001f600", "a日"} {
		text := "begin" + strings.Repeat(of, 3<<20) + "end"
		got := Line(text)
		if len(got) > MaxLine+64 || !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") || !utf8.ValidString(got) ||
			!strings.Contains(got, " bytes left out) ... ") || strings.Contains(got, `\x`) {
			t.Errorf("%s: %d bytes: %.40s ... %s", of, len(got), got, got[len(got)-40:])
		}
	}
	if got := Line(strings.Repeat("\x80", 1<<20)); len(got) > 4*MaxLine+64 {
		t.Errorf("bytes that are no UTF-8: %d bytes", len(got))
	}
}

// A Writer shows the same, whatever the pieces in which a text comes, but keeps line
// breaks and tabs.
func TestWriterTakesTextInPieces(t *testing.T) {
	for text, want := range hostile {
		want = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(want)
		for size := 1; size <= len(text)+1; size++ {
			var b bytes.Buffer
			w := NewWriter(&b)
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				if k, err := w.Write([]byte(rest[:n])); k != n || err != nil {
					t.Fatal(k, err)
				}
				rest = rest[n:]
			}
			if err := w.Flush(); err != nil || b.String() != want {
				t.Errorf("%q in pieces of %d: %q, want %q (%v)", text, size, b.String(), want, err)
			}
		}
	}
}

// JSON that goes through a Writer is the same JSON.
func TestWriterKeepsJSON(t *testing.T) {
	for text := range hostile {
		want := strings.ToValidUTF8(text, "\ufffd") // as encoding/json has it
		var b bytes.Buffer
		w := NewWriter(&b)
		if err := json.NewEncoder(w).Encode(want); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != want {
			t.Errorf("%q became %q (%v)", want, got, err)
		}
	}
}

// A character whose end never comes is shown as its bytes.
func TestWriterEndsInAnUnfinishedCharacter(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Write([]byte("a\xe2\x82"))
	if b.String() != "a" {
		t.Errorf("%q", b.String())
	}
	if err := w.Flush(); err != nil || b.String() != `a\xe2\x82` {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriterReturnsErrors(t *testing.T) {
	w := NewWriter(full{})
	if n, err := w.Write([]byte("a")); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
}

// Fprintf cleans its arguments, and not its format.
func TestFprintfCleansItsArguments(t *testing.T) {
	var b bytes.Buffer
	Fprintf(&b, "%-4s|%v|%d|%5.1f\n", "a\nb", errors.New("c\x1b"), 3, 2.5)
	if got, want := b.String(), "a\\nb|c\\u001b|3|  2.5\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
