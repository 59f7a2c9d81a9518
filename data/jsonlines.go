package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/problem"
)

// isJSON reports whether a text is of JSON: it begins with { or [.
func isJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// member is a key of an object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// membersOf returns the members of an object in their order.
func membersOf(raw json.RawMessage) (list []member, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: fmt.Sprint(name)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// records returns the table of a text of JSON records: one object a line, an array of objects, or one object of which a
// member is such an array or of which all members are columns, as lists or as objects of the same keys. The columns are the keys in
// the order in which they are first met. A list becomes a column for each element, KEY_0, KEY_1 and so on, and an object a
// column for each of its keys, KEY_INNER, see innerNames. null and a key that a record lacks are empty fields. A record
// stands on the line where it ends.
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
	r := &recordTable{textTable: t, at: map[string]int{}, inner: map[string]string{}}
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
		end := min(int(d.InputOffset()), len(text))
		lines += strings.Count(text[counted:end], "\n")
		counted = end
		list := []json.RawMessage{raw}
		if !inArray && len(t.rows) == 0 && !d.More() {
			if list, err = wholeOf(raw); err != nil {
				return fail(err.Error(), "give one object a line, or an array of objects")
			}
		}
		for _, raw := range list {
			if err := r.add(raw, lines); err != nil {
				return fail(err.Error(), "give all records the same keys")
			}
		}
	}
	if len(t.rows) == 0 {
		return t.fail("no record", "")
	}
	for i, row := range t.rows {
		t.rows[i] = append(row, make([]string, len(t.header)-len(row))...)
	}
	r.innerNames()
	return nil
}

// recordTable is a table that grows by records.
type recordTable struct {
	*textTable
	at    map[string]int    // columns by title
	inner map[string]string // the innermost key of a title, with the numbers of lists behind it
}

// add adds a record, which ends on a line.
func (r *recordTable) add(raw json.RawMessage, line int) error {
	row := make([]string, len(r.header))
	err := flatten("", "", raw, 0, func(key, inner, value string) {
		j, ok := r.at[key]
		if !ok {
			j = len(r.header)
			r.at[key], r.header, r.inner[key] = j, append(r.header, key), inner
		}
		for len(row) <= j {
			row = append(row, "")
		}
		row[j] = value
	})
	if err == nil && len(r.header) > mostKeys {
		err = fmt.Errorf("more than %d keys", mostKeys)
	}
	r.rows, r.lines = append(r.rows, row), append(r.lines, line)
	return err
}

// innerNames gives columns the innermost of their keys as the title where it is a name of labels, of scores or of
// predictions, and the title itself is none: meta_y_true becomes y_true. A title that would then stand twice stays.
func (r *recordTable) innerNames() {
	count := map[string]int{}
	known := func(title string) bool {
		role, _ := listed(strings.Trim(titleName(title), "_"))
		return IsLabels(role) || rankOf(role) >= 0 || isPredicted(role) || slices.Contains(correctNames, role)
	}
	names := make([]string, len(r.header))
	for j, title := range r.header {
		if names[j] = title; !known(title) && known(r.inner[title]) {
			names[j] = r.inner[title]
		}
		count[names[j]]++
	}
	for j, name := range names {
		if count[name] == 1 {
			r.header[j] = name
		}
	}
}

// listed returns a title without the number of an element of a list, and whether it has one.
func listed(title string) (string, bool) {
	if i := strings.LastIndexByte(title, '_'); i > 0 {
		if _, err := strconv.Atoi(title[i+1:]); err == nil {
			return title[:i], true
		}
	}
	return title, false
}

// wholeOf returns the records of the only object of a text: those of a list of objects that is its only one, or the rows
// of columns, or the object itself.
func wholeOf(raw json.RawMessage) ([]json.RawMessage, error) {
	members, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	var lists [][]json.RawMessage // of objects
	columns := len(members) > 0
	values := make([][]member, len(members))
	for i, m := range members {
		var list []json.RawMessage
		switch {
		case json.Unmarshal(m.value, &list) == nil && list != nil:
			for _, v := range list {
				values[i] = append(values[i], member{value: v})
			}
			if len(list) > 0 && !slices.ContainsFunc(list, func(v json.RawMessage) bool { return v[0] != '{' }) {
				lists = append(lists, list)
			}
		case bytes.HasPrefix(m.value, []byte("{")):
			if values[i], err = membersOf(m.value); err != nil {
				return nil, err
			}
		}
		columns = columns && len(values[i]) > 1 && len(values[i]) == len(values[0])
		for k := range values[i] {
			columns = columns && values[i][k].key == values[0][k].key
		}
	}
	switch {
	case len(lists) == 1:
		return lists[0], nil
	case !columns || len(members) < 2:
		return []json.RawMessage{raw}, nil
	}
	rows := make([]json.RawMessage, len(values[0]))
	for r := range rows {
		b := []byte{'{'}
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			name, err := json.Marshal(m.key)
			if err != nil {
				return nil, err
			}
			b = slices.Concat(b, name, []byte{':'}, values[i][r].value)
		}
		rows[r] = append(b, '}')
	}
	return rows, nil
}

// mostKeys is the largest number of columns of records.
const mostKeys = 1 << 17

// deepest is how deep objects in records are read; what is deeper is a text.
const deepest = 3

// flatten calls set with the values of an element, by their title and the part of it from the innermost key on. A list of
// objects that each have one text and one number, as {"label": "cat", "score": 0.9} of a pipeline, is the object
// {"cat": 0.9, ...}: its order is that of the scores.
func flatten(key, inner string, raw json.RawMessage, depth int, set func(key, inner, value string)) error {
	join := func(before, rest string) string { return strings.TrimPrefix(before+"_"+rest, "_") }
	if depth < deepest && bytes.HasPrefix(raw, []byte("{")) {
		members, err := membersOf(raw)
		if err != nil {
			return err
		}
		for _, m := range members {
			if err := flatten(join(key, m.key), m.key, m.value, depth+1, set); err != nil {
				return err
			}
		}
		return nil
	}
	if depth < deepest && bytes.HasPrefix(raw, []byte("[")) {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		pairs := scored(list)
		for i, element := range list {
			name, rest := strconv.Itoa(i), join(inner, strconv.Itoa(i))
			if pairs != nil {
				name, rest, element = pairs[i].key, pairs[i].key, pairs[i].value
			}
			if err := flatten(join(key, name), rest, element, depth+1, set); err != nil {
				return err
			}
		}
		return nil
	}
	switch text := string(raw); {
	case text == "null":
		set(key, inner, "")
	case strings.HasPrefix(text, `"`):
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		set(key, inner, strings.TrimSpace(s))
	default:
		set(key, inner, text)
	}
	return nil
}

// scored returns a list of objects that each have one text and one number as members, the text as the key; nil for
// another list.
func scored(list []json.RawMessage) (pairs []member) {
	for _, raw := range list {
		members, err := membersOf(raw)
		if err != nil || len(members) != 2 {
			return nil
		}
		text, number := members[0].value, members[1].value
		if number[0] == '"' {
			text, number = number, text
		}
		var p member
		if json.Unmarshal(text, &p.key) != nil || p.key == "" || number[0] != '-' && (number[0] < '0' || number[0] > '9') {
			return nil
		}
		p.value = number
		pairs = append(pairs, p)
	}
	return pairs
}
