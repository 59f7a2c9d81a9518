package csvfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Row returns the fields of one line from left to right and keeps the first fault.
type Row struct {
	columns, fields []string
	texts           map[string]string // that recur in the rows of a file, which are kept once
	values          map[string]any    // of Value, by their texts
	next            int
	err             error
}

// fault is an error in one column of a row.
type fault struct {
	column string
	reason string
}

func (f *fault) Error() string { return "column " + f.column + ": " + f.reason }

// Fault returns the error of a column; a reader places it at the line of that
// column.
func Fault(column, reason string, args ...any) error {
	return &fault{column, fmt.Sprintf(reason, args...)}
}

// Fail keeps the error of a column, unless the row has one already.
func (r *Row) Fail(column, reason string, args ...any) {
	if r.err == nil {
		r.err = Fault(column, reason, args...)
	}
}

// Text returns the next field, which many rows may have.
func (r *Row) Text() string {
	_, s := r.field()
	text, ok := r.texts[s]
	if !ok {
		text = strings.Clone(s) // a field shares the memory of its line
		r.texts[text] = text
	}
	return text
}

// Value returns what parse makes of the next field, which many rows may have. It calls parse
// once for each text of a file, so a file has one such column.
func Value[T any](r *Row, parse func(string) (T, error)) (value T) {
	column, s := r.field()
	if known, ok := r.values[s]; ok {
		return known.(T)
	}
	text := strings.Clone(s)
	value, err := parse(text)
	if err != nil {
		r.Fail(column, "%v", err)
		return value
	}
	r.values[text] = value
	return value
}

// OwnText returns the next field, which no other row has.
func (r *Row) OwnText() string {
	_, s := r.field()
	return strings.Clone(s)
}

// field returns the name of the next column and its field.
func (r *Row) field() (column, s string) {
	column, s = r.columns[r.next], r.fields[r.next]
	r.next++
	return column, s
}

// Count reads a whole number of at least 0.
func (r *Row) Count() int {
	column, s := r.field()
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		r.Fail(column, "%q is not a whole number of at least 0", s)
	}
	return n
}

// CountOrNone reads a number of at least 1, or an empty field, which is 0.
func (r *Row) CountOrNone() int {
	column, s := r.field()
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		r.Fail(column, "%q is not a whole number of at least 1; leave it empty where there is none", s)
	}
	return n
}

// Number reads a finite number and rounds it as it would be written. It rejects
// hexadecimal numbers, since in such a file they are a mistake.
func (r *Row) Number() float64 {
	column, s := r.field()
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || strings.ContainsAny(s, "xX"):
		r.Fail(column, "%q is not a number", s)
	case math.IsNaN(x) || math.IsInf(x, 0):
		r.Fail(column, "%q is not finite", s)
	case x != 0 && significant(s) <= digits:
		return x // it is rounded
	}
	return Round(x)
}

// significant returns the number of significant digits of a decimal number, or more.
func significant(s string) int {
	s = strings.TrimLeft(s, "+-0.")
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s = s[:i]
	}
	return len(s) - strings.Count(s, ".")
}

// NumberOrNone reads a number; ok is false for an empty field.
func (r *Row) NumberOrNone() (x float64, ok bool) {
	if r.fields[r.next] == "" {
		r.next++
		return 0, false
	}
	return r.Number(), true
}

// CheckID rejects an identifier that would be invisible or ambiguous in a
// column: empty, with spaces around it, or with characters that are not shown.
func CheckID(column, s string) error {
	switch {
	case s == "":
		return Fault(column, "empty")
	case strings.TrimSpace(s) != s:
		return Fault(column, "%q has spaces around it", s)
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || r == unicode.ReplacementChar }):
		return Fault(column, "%q has a character that is not text", s)
	}
	return nil
}

// CheckIDOrNone is CheckID for an identifier that may be empty.
func CheckIDOrNone(column, s string) error {
	if s == "" {
		return nil
	}
	return CheckID(column, s)
}

// CheckRange rejects a number that is not finite or outside [lo, hi]. It checks the
// number as it is written, so that a 1 with rounding errors above it passes.
func CheckRange(column string, x, lo, hi float64) error {
	if lo <= x && x <= hi && !math.IsInf(x, 0) { // then so is the rounded number
		return nil
	}
	x = Round(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return Fault(column, "%v is not finite", x)
	case x < lo || x > hi:
		return Fault(column, "%s is outside [%s, %s]", FormatNumber(x), FormatNumber(lo), FormatNumber(hi))
	}
	return nil
}

// CheckFinite rejects a number that is not finite.
func CheckFinite(column string, x float64) error {
	return CheckRange(column, x, math.Inf(-1), math.Inf(1))
}

// PlainText makes a text that a CSV file keeps unchanged: encoding/csv reads CRLF
// inside quotes as LF, and an error text may have any bytes. One that begins as
// a formula of a spreadsheet does gets an apostrophe before it, so that opening the
// file there computes nothing.
func PlainText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	s = strings.ToValidUTF8(s, "?")
	if s != "" && strings.ContainsRune("=+-@\t", rune(s[0])) {
		s = "'" + s
	}
	return s
}
