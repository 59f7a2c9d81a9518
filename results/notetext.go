package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// The text form of notes, in the columns note and in the store, is a JSON list on
// one line: [{"kind":"missing","arrays":"features+head","set":"test"}]. No notes
// is an empty field. Keys that are 0 or empty are left out.

// noteText is a note as its text form has it. The keys are in the order of the alphabet.
type noteText struct {
	Arrays    string  `json:"arrays,omitempty"`
	Before    float64 `json:"before,omitempty"`
	Bin       int     `json:"bin,omitempty"`
	Bound     float64 `json:"bound,omitempty"`
	Count     int     `json:"count,omitempty"`
	Kind      string  `json:"kind"`
	Minus     int     `json:"minus,omitempty"`
	Network   string  `json:"network,omitempty"`
	Of        int     `json:"of,omitempty"`
	Parameter string  `json:"parameter,omitempty"`
	Set       string  `json:"set,omitempty"`
	Side      string  `json:"side,omitempty"`
	Steps     int     `json:"steps,omitempty"`
	Text      string  `json:"text,omitempty"`
	Value     float64 `json:"value,omitempty"`
}

// kinds are the kinds of the text form: those of notes, and those of warnings.
var kinds = func() map[string]Note {
	m := map[string]Note{}
	for _, k := range []NoteKind{From, Paper, StandIn, Samples, RowIDs, Arrays, Program, Warned, Missing, NoSource, NoVector, NoTime, Words} {
		m[string(k)] = Note{Kind: k}
	}
	for _, k := range report.Kinds() {
		m[string(k)] = Warn(report.Warning{Kind: k})
	}
	return m
}()

// MarshalJSON returns the text form of a note.
func (f Note) MarshalJSON() ([]byte, error) {
	w := f.Warning
	t := noteText{Kind: string(f.Kind), Text: f.Text, Arrays: f.Lack.Arrays, Set: f.Lack.Set, Network: f.Lack.Network,
		Before: w.Before, Bin: w.Bin, Bound: w.Limit, Count: w.Count, Minus: w.Minus, Of: w.Of, Parameter: w.Parameter, Side: string(w.Side), Steps: w.Steps, Value: w.Value}
	if f.Kind == Warned {
		t.Text = w.Text
		if w.Kind != report.Other {
			t.Kind = string(w.Kind)
		}
	}
	return oneLine(t)
}

// UnmarshalJSON reads the text form of a note. An unknown key is an error, and so is a kind
// that this version does not have.
func (f *Note) UnmarshalJSON(text []byte) error {
	var t noteText
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&t); err != nil {
		return err
	}
	known, ok := kinds[t.Kind]
	if !ok {
		return fmt.Errorf("%.40q is no kind of note", t.Kind)
	}
	*f = known
	f.Lack = Lack{Arrays: t.Arrays, Set: t.Set, Network: t.Network}
	f.Warning = report.Warning{Kind: known.Warning.Kind, Before: t.Before, Count: t.Count, Of: t.Of, Steps: t.Steps, Value: t.Value,
		Bound: report.Bound{Parameter: t.Parameter, Bin: t.Bin, Minus: t.Minus, Side: report.Side(t.Side), Limit: t.Bound}}
	if f.Kind == Warned {
		f.Warning.Text = t.Text
	} else {
		f.Text = t.Text
	}
	return nil
}

// oneLine returns the JSON of v without a line end, and with <, > and & as they are.
func oneLine(v any) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	err := out.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// text returns the text form of a note that passes its check.
func (n Notes) text() string {
	if len(n) == 0 {
		return ""
	}
	b, _ := oneLine(n)
	return string(b)
}

// ParseNote reads the text form of notes. They need not be complete; writers and
// readers of files check them with their rows.
func ParseNote(text string) (Notes, error) {
	if text == "" {
		return nil, nil
	}
	var n Notes
	in := json.NewDecoder(strings.NewReader(text))
	err := in.Decode(&n)
	if err == nil {
		if _, err = in.Token(); errors.Is(err, io.EOF) {
			return n, nil
		}
		err = errors.New("something follows the list")
	}
	return nil, fmt.Errorf(`%.40q is no list of notes such as [{"kind":"reason","text":"..."}]: %w; if an earlier version of qats wrote this file, `+called.Command()+` run SPEC --out OUT writes it again, from the store without a fit`, text, err)
}

// required returns the name and the value of the key that a note of its kind must have.
func (f *Note) required() (key, value string) {
	switch f.Kind {
	case From, StandIn, Samples, RowIDs, Arrays, Words:
		return "text", f.Text
	case Missing, NoSource:
		return "arrays", f.Lack.Arrays
	case Warned:
		switch f.Warning.Kind {
		case report.AtBound, report.Worse, report.Certain:
			return "parameter", f.Warning.Parameter
		case report.NotConverged, report.FewDecide:
		default:
			return "text", f.Warning.Text
		}
	}
	return "kind", string(f.Kind)
}

// check returns an error for a note without what it is about, with a negative count, or with
// a number that is not finite.
func (n Notes) check() error {
	for i := range n {
		f, w := &n[i], &n[i].Warning
		if key, value := f.required(); value == "" {
			return csvfile.Fault("note", "a note of kind %s has no %s", f.Kind, key)
		}
		for _, x := range []struct {
			key   string
			value int
		}{{"bin", w.Bin}, {"count", w.Count}, {"of", w.Of}, {"minus", w.Minus}, {"steps", w.Steps}} {
			if x.value < 0 {
				return csvfile.Fault("note", "the %s of a note is %d", x.key, x.value)
			}
		}
		for _, x := range []float64{w.Before, w.Limit, w.Value} {
			if err := csvfile.CheckFinite("note", x); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseNote reads the next field of a row. Rows with the same text share the note.
func parseNote(row *csvfile.Row) Notes {
	return csvfile.Value(row, ParseNote)
}
