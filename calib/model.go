package calib

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib/internal/fit"
)

// Model is a fitted calibrator as it is saved: model.json, one JSON object
//
//	{"qats": 1, "method": "ts", "version": 1, "options": {}, "classes": 10,
//	 "params": {"T": 2.498}, "report": {"nll": ...}, "source": {"shares": [...]}}
//
// where params is the Map and report the Report; source may be absent. Numbers are written with enough
// digits to read the same float64 back, and an ecdf as its bytes in base64 (see
// fit.ECDF.Write), so a loaded model gives the same bits.
type Model struct {
	Method  string         // name in the registry
	Version int            // of the method
	Options map[string]any // the options of the method, for the record; the map does not need them
	Classes int            // k of the calibration set; 0, for any k, if the method needs no such set
	Source  *Source        // of the calibration rows; nil where it is not known
	Older   bool           // its bounds and warnings were saved as text, and all are warnings of Report
	Fitted
}

// modelFormat is the value of "qats". It is raised when the format changes.
const modelFormat = 1

// savedModel is the format of model.json.
type savedModel struct {
	Format  int             `json:"qats"`
	Method  string          `json:"method"`
	Version int             `json:"version"`
	Options map[string]any  `json:"options"`
	Classes int             `json:"classes"`
	Params  json.RawMessage `json:"params"`
	Report  *Report         `json:"report"`
	Source  *Source         `json:"source"`
}

// Save writes m as JSON, one line for each key. Numbers that are not finite, or outside the
// ranges that LoadModel accepts, are an error.
func (m *Model) Save(w io.Writer) error {
	if err := m.Map.Check(); err != nil {
		return fmt.Errorf("the fit of %s cannot be saved: %w", m.Method, err)
	}
	bare, ranks := m.Map, fit.ECDF(nil)
	if r, ok := m.Map.(rankedMap); ok {
		bare, ranks = r.WithoutECDF()
	}
	params, err := json.Marshal(bare)
	if err != nil {
		return fmt.Errorf("parameters of %s: %w", m.Method, err)
	}
	options := m.Options
	if options == nil {
		options = map[string]any{}
	}
	var text bytes.Buffer
	for _, line := range []struct {
		key   string
		value any
	}{
		{"qats", modelFormat}, {"method", m.Method}, {"version", m.Version}, {"options", options},
		{"classes", m.Classes}, {"params", json.RawMessage(params)}, {"report", m.Report}, {"source", m.Source},
	} {
		if line.key == "source" && m.Source == nil {
			continue
		}
		fmt.Fprintf(&text, ",\n  %q: ", line.key)
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false) // "a >= 0" is for people
		if err := enc.Encode(line.value); err != nil {
			return fmt.Errorf("%s of %s: %w", line.key, m.Method, err)
		}
		text.Truncate(text.Len() - 1) // the newline
	}
	text.WriteString("\n}\n")
	text.Bytes()[0] = '{' // in place of the first comma
	if ranks == nil {
		_, err = w.Write(text.Bytes())
		return err
	}
	at := bytes.Index(text.Bytes(), []byte(noECDF)) + len(noECDF)
	head, tail := text.Bytes()[:at-len("null")], text.Bytes()[at:]
	if _, err := w.Write(head); err != nil {
		return err
	}
	if err := ranks.Write(w); err != nil {
		return fmt.Errorf("parameters of %s: %w", m.Method, err)
	}
	_, err = w.Write(tail)
	return err
}

// rankedMap is a map with an ecdf. The ecdf has a number for each calibration row, too
// many to convert to text at once or to compare as text.
type rankedMap interface {
	// WithoutECDF returns the map without its ecdf, which is noECDF in JSON, and
	// the ecdf.
	WithoutECDF() (Map, fit.ECDF)
}

func isRanked(m Map) bool {
	_, ranked := m.(rankedMap)
	return ranked
}

const noECDF = `"ecdf":null`

// LoadModel reads a model that Save wrote, of a method of the registry. Everything
// that could make a wrong number is an error of one line: another format, an unknown
// method, a version of it that the entry does not read (Entry.Reads), keys that are unknown, missing or null, values of
// the wrong type or outside their range, text after the object. The Map of a loaded
// model does not panic on logits of Classes classes.
func LoadModel(r io.Reader, registry []Entry) (*Model, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var s savedModel
	older := false
	if err := decodeStrict(text, &s); err != nil {
		if s, older = decodeOlder(text); !older {
			return nil, fmt.Errorf("not a model: %w", err)
		}
	}
	if s.Format != modelFormat {
		return nil, fmt.Errorf("not a model: \"qats\" is %d, want format %d", s.Format, modelFormat)
	}
	i := slices.IndexFunc(registry, func(e Entry) bool { return e.Name == s.Method })
	switch {
	case i < 0:
		names := make([]string, len(registry))
		for j, e := range registry {
			names[j] = e.Name
		}
		return nil, fmt.Errorf("unknown method %q (known: %s)", s.Method, strings.Join(names, ", "))
	case !registry[i].Reads(s.Version):
		return nil, fmt.Errorf("fitted by version %d of %s, but this is version %d: fit it again", s.Version, s.Method, registry[i].Version)
	case s.Classes < 0:
		return nil, fmt.Errorf("classes is %d, want 1 or more, or 0 for any", s.Classes)
	case s.Params == nil:
		return nil, errors.New("no params")
	case s.Report == nil:
		return nil, errors.New("no report")
	}
	m, err := registry[i].types.restore(s.Params)
	if err != nil {
		return nil, fmt.Errorf("params of %s: %w", s.Method, err)
	}
	if err := sameKeys(s.Params, m); err != nil {
		return nil, fmt.Errorf("params of %s: %w", s.Method, err)
	}
	if c, ok := inner(m).(FixedClasses); ok && c.NumClasses() != s.Classes {
		return nil, fmt.Errorf("classes is %d but params of %s are for %d", s.Classes, s.Method, c.NumClasses())
	}
	if s.Source != nil {
		if err := s.Source.check(s.Classes); err != nil {
			return nil, err
		}
	}
	return &Model{s.Method, s.Version, s.Options, s.Classes, s.Source, older, Fitted{m, *s.Report}}, nil
}

// decodeOlder decodes a model whose bounds and warnings are lines of text, and reports
// whether text is one. A map does not depend on them, so it can still be applied.
func decodeOlder(text []byte) (savedModel, bool) {
	var s struct {
		savedModel
		Report *struct {
			Report
			AtBound  []string `json:"at_bound"`
			Warnings []string `json:"warnings"`
		} `json:"report"`
	}
	if err := decodeStrict(text, &s); err != nil || s.Report == nil {
		return savedModel{}, false
	}
	r := s.Report.Report
	for _, bound := range s.Report.AtBound {
		r.Warn(Warning{Text: "at a bound: " + bound})
	}
	for _, warning := range s.Report.Warnings {
		r.Warn(Warning{Text: warning})
	}
	s.savedModel.Report = &r
	return s.savedModel, true
}

// decodeStrict fills v from the one JSON value in text, without unknown keys.
func decodeStrict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, err := d.Token(); err != io.EOF {
			return errors.New("text after the end of the object")
		}
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file ends within the object")
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %v", 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n")), err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s is a JSON %s, which is the wrong type", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("a JSON %s, want an object", kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// sameKeys returns an error if text, from which m was restored, has other keys or
// values than m when it is saved again. It finds keys that the decoder accepts
// silently: missing, null, or in another case.
func sameKeys(text []byte, m Map) error {
	if r, ok := m.(rankedMap); ok {
		m, _ = r.WithoutECDF()
		keys := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &keys); err != nil {
			return err
		}
		for key := range keys {
			if key != "ecdf" && strings.EqualFold(key, "ecdf") {
				return fmt.Errorf("%s is misspelt: want ecdf", key)
			}
		}
		keys["ecdf"] = nil // it was restored, so it was in the text
		var err error
		if text, err = json.Marshal(keys); err != nil {
			return err
		}
	}
	again, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var got, want any
	if err := json.Unmarshal(text, &got); err != nil {
		return err
	}
	if err := json.Unmarshal(again, &want); err != nil {
		return err
	}
	if at := difference("", got, want); at != "" {
		return fmt.Errorf("%s is missing, null or misspelt", at)
	}
	return nil
}

// difference returns the path of the first difference of two decoded JSON
// values, or "" if they are equal.
func difference(path string, got, want any) string {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if at := difference(strings.TrimPrefix(path+"."+key, "."), got[key], want[key]); at != "" {
				return at
			}
		}
		return ""
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			break
		}
		for i := range want {
			if at := difference(fmt.Sprintf("%s[%d]", path, i), got[i], want[i]); at != "" {
				return at
			}
		}
		return ""
	default:
		if got == want {
			return ""
		}
	}
	if path == "" {
		return "the object"
	}
	return path
}
