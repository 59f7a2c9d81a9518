package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/problem"
)

// isJSON reports whether a text is of JSON: it begins with { or [.
func isJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// records returns the table of a text of JSON records: one object a line, or an array of objects. The columns are the keys in
// the order in which they are first met. A list becomes a column for each element, KEY_0, KEY_1 and so on, and an object a
// column for each of its keys, KEY_INNER. null and a key that a record lacks are empty fields. A record stands on the line
// where it ends.
func (t *textTable) records(text string) error {
	t.comma = ','
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	line := func() int { return 1 + strings.Count(text[:min(int(d.InputOffset()), len(text))], "\n") }
	fail := func(cause, fix string) error {
		return &problem.Problem{Place: fmt.Sprintf("%s:%d", t.name, line()), Cause: cause, Fix: fix}
	}
	inArray := strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "[")
	if inArray {
		if _, err := d.Token(); err != nil {
			return fail(err.Error(), "")
		}
	}
	at := map[string]int{}
	counted, lines := 0, 1
	for !inArray || d.More() {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fail("no JSON: "+err.Error(), "give one object a line, or an array of objects")
		}
		if !bytes.HasPrefix(raw, []byte("{")) {
			return fail("a record is no object", "give one object a line, or an array of objects, such as {\"label\": 1, \"probs\": [0.3, 0.7]}")
		}
		row := make([]string, len(t.header))
		set := func(key, value string) {
			j, ok := at[key]
			if !ok {
				j = len(t.header)
				at[key], t.header = j, append(t.header, key)
			}
			for len(row) <= j {
				row = append(row, "")
			}
			row[j] = value
		}
		if err := flatten("", raw, 0, set); err != nil {
			return fail("no JSON: "+err.Error(), "")
		}
		if len(t.header) > mostKeys {
			return fail(fmt.Sprintf("more than %d keys", mostKeys), "give all records the same keys")
		}
		end := min(int(d.InputOffset()), len(text))
		lines += strings.Count(text[counted:end], "\n")
		counted = end
		t.rows, t.lines = append(t.rows, row), append(t.lines, lines)
	}
	if len(t.rows) == 0 {
		return t.fail("no record", "")
	}
	for i, row := range t.rows {
		t.rows[i] = append(row, make([]string, len(t.header)-len(row))...)
	}
	return nil
}

// mostKeys is the largest number of columns of records.
const mostKeys = 1 << 17

// deepest is how deep objects in records are read; what is deeper is a text.
const deepest = 3

// flatten calls set with the values of an element.
func flatten(key string, raw json.RawMessage, depth int, set func(key, value string)) error {
	join := func(rest string) string { return strings.TrimPrefix(key+"_"+rest, "_") }
	if depth < deepest && bytes.HasPrefix(raw, []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(raw))
		if _, err := d.Token(); err != nil {
			return err
		}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return err
			}
			var inner json.RawMessage
			if err := d.Decode(&inner); err != nil {
				return err
			}
			if err := flatten(join(fmt.Sprint(name)), inner, depth+1, set); err != nil {
				return err
			}
		}
		return nil
	}
	var list []json.RawMessage
	if depth < deepest && bytes.HasPrefix(raw, []byte("[")) {
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		for i, inner := range list {
			if err := flatten(join(strconv.Itoa(i)), inner, depth+1, set); err != nil {
				return err
			}
		}
		return nil
	}
	switch text := string(raw); {
	case text == "null":
		set(key, "")
	case strings.HasPrefix(text, `"`):
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		set(key, strings.TrimSpace(s))
	default:
		set(key, text)
	}
	return nil
}
