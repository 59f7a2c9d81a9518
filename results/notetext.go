package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// The text form of a note, in the columns note and in the store, is one line of facts:
//
//	note  = fact *("; " fact)
//	fact  = kind *(" " key "=" value)
//	value = word / JSON string
//
// A word has letters and digits of ASCII and _ + - . / : alone. Other texts are JSON strings.

// field is a key of a fact with the place of its value: a *string, *int or *float64.
type field struct {
	key   string
	value any
}

// fields returns the keys that a fact of its kind may have, in the order of the text form.
// The first must not be empty.
func (f *Fact) fields() []field {
	w := &f.Warning
	text, bin := field{"text", &w.Text}, field{"bin", &w.Bin}
	numbers := []field{bin, {"count", &w.Count}, {"of", &w.Of}, {"steps", &w.Steps}, {"value", &w.Value}}
	switch f.Kind {
	case From, StandIn, Samples, RowIDs, Arrays, Reason:
		return []field{{"text", &f.Text}}
	case Missing:
		return []field{{"arrays", &f.Lack.Arrays}, {"set", &f.Lack.Set}, {"network", &f.Lack.Network}}
	case NoSource:
		return []field{{"arrays", &f.Lack.Arrays}}
	case Warned:
		switch w.Kind {
		case report.AtBound:
			return []field{{"parameter", &w.Parameter}, bin, {"minus", &w.Minus}, {"side", (*string)(&w.Side)}, {"bound", &w.Limit}}
		case report.NotConverged:
			return numbers
		case report.Worse:
			return []field{{"parameter", &w.Parameter}, {"before", &w.Before}, {"value", &w.Value}}
		case report.FewDecide:
			return []field{{"count", &w.Count}, {"of", &w.Of}, {"value", &w.Value}}
		case report.Certain:
			return []field{{"parameter", &w.Parameter}, bin, {"side", (*string)(&w.Side)}, {"bound", &w.Limit}, {"count", &w.Count}, {"of", &w.Of}}
		}
		return append([]field{text}, numbers...)
	}
	return nil
}

// kinds are the words with which the text forms of facts begin.
var kinds = func() map[string]Fact {
	m := map[string]Fact{}
	for _, k := range []FactKind{From, Paper, StandIn, Samples, RowIDs, Arrays, Program, Warned, Missing, NoSource, NoVector, NoTime, Reason} {
		m[string(k)] = Fact{Kind: k}
	}
	for _, k := range report.Kinds() {
		m[string(k)] = Warn(report.Warning{Kind: k})
	}
	return m
}()

// MarshalText returns the text form. Bytes that are not UTF-8 become question marks.
func (n Note) MarshalText() ([]byte, error) {
	var b []byte
	for i := range n {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = n[i].append(b)
	}
	return b, nil
}

func (n Note) text() string {
	b, _ := n.MarshalText()
	return string(b)
}

// append appends the text form of a fact. It leaves out what is 0 or empty.
func (f Fact) append(b []byte) []byte {
	kind := string(f.Kind)
	if f.Kind == Warned && f.Warning.Kind != report.Remark {
		kind = string(f.Warning.Kind)
	}
	b = append(b, kind...)
	for _, at := range f.fields() {
		var value string
		switch v := at.value.(type) {
		case *string:
			value = word(*v)
		case *int:
			value = strconv.Itoa(*v)
		case *float64:
			value = strconv.FormatFloat(*v, 'g', -1, 64)
		}
		if value != "" && value != "0" {
			b = append(append(append(append(b, ' '), at.key...), '='), value...)
		}
	}
	return b
}

// word returns a text as it is if it is a word, and as a JSON string otherwise.
func word(s string) string {
	if !strings.ContainsFunc(s, notOfAWord) && s != "0" {
		return s
	}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.Encode(strings.ToValidUTF8(s, "?")) // of a string, into memory: no error
	return strings.TrimSuffix(b.String(), "\n")
}

// notOfAWord reports whether a word does not have the character.
func notOfAWord(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_+-./:", r))
}

// ParseNote reads the text form of a note. The facts need not be complete; writers and
// readers of files check them with their rows.
func ParseNote(text string) (Note, error) {
	var n Note
	for rest := text; text != ""; {
		f, after, err := parseFact(rest)
		if err != nil {
			return nil, err
		}
		n = append(n, f)
		if after == "" {
			break
		}
		var ok bool
		if rest, ok = strings.CutPrefix(after, "; "); !ok {
			return nil, fmt.Errorf("%.40q follows a value; facts are separated by a semicolon and a space", after)
		}
	}
	return n, nil
}

// UnmarshalText is [ParseNote].
func (n *Note) UnmarshalText(text []byte) (err error) {
	*n, err = ParseNote(string(text))
	return err
}

// parseFact reads a fact from the beginning of a text and returns what follows it.
func parseFact(text string) (f Fact, after string, err error) {
	end := strings.IndexAny(text, " ;")
	if end < 0 {
		end = len(text)
	}
	kind, after := text[:end], text[end:]
	f, ok := kinds[kind]
	if !ok {
		return f, "", fmt.Errorf("%.40q is no kind of fact, as reason text=\"...\" is; if an earlier version of qats wrote this file, qats run writes it again", kind)
	}
	fields := f.fields()
	for strings.HasPrefix(after, " ") {
		key, value, ok := strings.Cut(after[1:], "=")
		i := slices.IndexFunc(fields, func(at field) bool { return at.key == key })
		if !ok || i < 0 {
			return f, "", fmt.Errorf("%s: %.40q is no key of this fact, or is there twice", kind, key)
		}
		if after, err = fields[i].parse(value); err != nil {
			return f, "", fmt.Errorf("%s: %s: %w", kind, key, err)
		}
		fields = slices.Delete(fields, i, i+1)
	}
	return f, after, nil
}

// parse reads a value from the beginning of a text and returns what follows it.
func (at field) parse(text string) (after string, err error) {
	var value string
	if strings.HasPrefix(text, `"`) {
		in := json.NewDecoder(strings.NewReader(text))
		if err := in.Decode(&value); err != nil {
			return "", fmt.Errorf("%.40s is no JSON string", text)
		}
		after = text[in.InputOffset():]
	} else {
		end := strings.IndexFunc(text, notOfAWord)
		if end < 0 {
			end = len(text)
		}
		value, after = text[:end], text[end:]
	}
	switch v := at.value.(type) {
	case *string:
		if *v = value; value == "" {
			err = errors.New("it has no value")
		}
	case *int:
		if *v, err = strconv.Atoi(value); err != nil {
			err = fmt.Errorf("%.40q is not a whole number", value)
		}
	case *float64:
		if *v, err = strconv.ParseFloat(value, 64); err != nil || strings.ContainsAny(value, "xX_") {
			err = fmt.Errorf("%.40q is not a number", value)
		}
	}
	return after, err
}

// check returns an error for a fact without what it is about, with a negative count, or with
// a number that is not finite.
func (n Note) check() error {
	for i := range n {
		for j, at := range n[i].fields() {
			switch v := at.value.(type) {
			case *string:
				if j == 0 && *v == "" {
					return csvfile.Fault("note", "a fact of kind %s has no %s", n[i].Kind, at.key)
				}
			case *int:
				if *v < 0 {
					return csvfile.Fault("note", "the %s of a fact is %d", at.key, *v)
				}
			case *float64:
				if err := csvfile.CheckFinite("note", *v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// parseNote reads the next field of a row. Rows with the same text share the note.
func parseNote(row *csvfile.Row) Note {
	return csvfile.Value(row, ParseNote)
}
