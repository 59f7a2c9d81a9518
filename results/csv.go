package results

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/atomicfile"
)

// format is one kind of file: how a T becomes the fields of a row and back.
// check says whether a T may stand in a file at all, naming the column that is
// at fault; identity is what may occur only once.
type format[T any] struct {
	columns  []string
	fields   func(T) []string
	parse    func(*row) T
	check    func(T) error
	identity func(T) []string
}

// fault is what is wrong with one column of a row.
type fault struct {
	column string
	reason string
}

func (f *fault) Error() string { return "column " + f.column + ": " + f.reason }

func faultf(column, reason string, args ...any) error {
	return &fault{column, fmt.Sprintf(reason, args...)}
}

func (f format[T]) write(w io.Writer, list []T) error {
	seen := make(map[string]int, len(list))
	out := csv.NewWriter(w)
	if err := out.Write(f.columns); err != nil {
		return err
	}
	for i, t := range list {
		if err := f.check(t); err != nil {
			return fmt.Errorf("record %d (%s): %w", i+1, strings.Join(f.identity(t), ", "), err)
		}
		id := strings.Join(f.identity(t), "\x00")
		if first, twice := seen[id]; twice {
			return fmt.Errorf("records %d and %d are the same cell (%s)", first, i+1, strings.Join(f.identity(t), ", "))
		}
		seen[id] = i + 1
		if err := out.Write(f.fields(t)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (f format[T]) writeFile(path string, list []T) error {
	err := atomicfile.Write(path, func(w io.Writer) error { return f.write(w, list) })
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (f format[T]) readFile(path string) ([]T, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return f.read(file, path)
}

// read reads a file whose errors are to call it name. The list is never nil.
func (f format[T]) read(r io.Reader, name string) ([]T, error) {
	in := csv.NewReader(skipBOM(r))
	in.FieldsPerRecord = -1 // counted below, with a better message
	in.ReuseRecord = true
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: empty file; want the header %s", name, strings.Join(f.columns, ","))
	}
	if err != nil {
		return nil, syntax(name, err)
	}
	if err := checkHeader(header, f.columns); err != nil {
		line, _ := in.FieldPos(0)
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	seen := map[string]int{}
	list := []T{}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, syntax(name, err)
		}
		line, _ := in.FieldPos(0)
		if len(fields) != len(f.columns) {
			return nil, fmt.Errorf("%s:%d: %d fields, want %d (%s)", name, line, len(fields), len(f.columns), firstOdd(fields, f.columns))
		}
		row := &row{columns: f.columns, fields: fields}
		t := f.parse(row)
		err = row.err
		if err == nil {
			err = f.check(t)
		}
		if err != nil {
			var at *fault
			if errors.As(err, &at) {
				line, _ = in.FieldPos(slices.Index(f.columns, at.column))
			}
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		id := strings.Join(f.identity(t), "\x00")
		if first, twice := seen[id]; twice {
			return nil, fmt.Errorf("%s:%d: the same cell as line %d (%s)", name, line, first, strings.Join(f.identity(t), ", "))
		}
		seen[id] = line
		list = append(list, t)
	}
}

// syntax places an error of the csv package.
func syntax(name string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d:%d: %w", name, p.Line, p.Column, p.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// skipBOM drops the mark that spreadsheets put before UTF-8.
func skipBOM(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		b.Discard(3)
	}
	return b
}

func checkHeader(got, want []string) error {
	for _, c := range want {
		if !slices.Contains(got, c) {
			return fmt.Errorf("column %s is missing; want %s", c, strings.Join(want, ","))
		}
	}
	for i, c := range got {
		switch {
		case !slices.Contains(want, c):
			return fmt.Errorf("column %d: %q is no column of this file; want %s", i+1, c, strings.Join(want, ","))
		case slices.Index(got, c) != i:
			return fmt.Errorf("column %d: a second %s", i+1, c)
		}
	}
	for i, c := range want { // same names, so only the order can differ
		if got[i] != c {
			return fmt.Errorf("column %d is %s, want %s; the order is %s", i+1, got[i], c, strings.Join(want, ","))
		}
	}
	return nil
}

// firstOdd names where a row of the wrong length ends.
func firstOdd(fields, columns []string) string {
	if len(fields) < len(columns) {
		return "column " + columns[len(fields)] + " and those after it are missing"
	}
	return fmt.Sprintf("%q stands after the last column, %s", fields[len(columns)], columns[len(columns)-1])
}

// row hands out the fields of one line in order and keeps the first fault.
type row struct {
	columns, fields []string
	next            int
	err             error
}

func (r *row) text() string {
	s := r.fields[r.next]
	r.next++
	return s
}

// count reads a whole number of at least 0.
func (r *row) count() int {
	s := r.text()
	n, err := strconv.Atoi(s)
	if (err != nil || n < 0) && r.err == nil {
		r.err = faultf(r.columns[r.next-1], "%q is not a whole number of at least 0", s)
	}
	return n
}

// countOrNone reads a number of at least 1 or an empty field, which is 0.
func (r *row) countOrNone() int {
	s := r.text()
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if (err != nil || n < 1) && r.err == nil {
		r.err = faultf(r.columns[r.next-1], "%q is not a whole number of at least 1; leave it empty where there is none", s)
	}
	return n
}

func (r *row) number() float64 {
	s := r.text()
	x, err := strconv.ParseFloat(s, 64)
	if (err != nil || strings.ContainsAny(s, "xX")) && r.err == nil { // nobody means hexadecimals
		r.err = faultf(r.columns[r.next-1], "%q is not a number", s)
	}
	if (math.IsNaN(x) || math.IsInf(x, 0)) && r.err == nil {
		r.err = faultf(r.columns[r.next-1], "%q is not finite", s)
	}
	return round(x)
}

// Cells, the first six columns of each file.

var cellColumns = []string{"experiment", "dataset", "backbone", "loss", "corruption", "severity"}

func (c Cell) fields() []string {
	return []string{c.Experiment, c.Dataset, c.Backbone, c.Loss, c.Corruption, formatCount(c.Severity)}
}

func (r *row) cell() Cell {
	return Cell{
		Experiment: r.text(), Dataset: r.text(), Backbone: r.text(), Loss: r.text(),
		Corruption: r.text(), Severity: r.countOrNone(),
	}
}

func (c Cell) check() error {
	for i, s := range []string{c.Experiment, c.Dataset, c.Backbone, c.Loss} {
		if err := checkID(cellColumns[i], s); err != nil {
			return err
		}
	}
	if c.Corruption != "" {
		if err := checkID("corruption", c.Corruption); err != nil {
			return err
		}
	}
	if c.Severity < 0 {
		return faultf("severity", "%d is negative", c.Severity)
	}
	return nil
}

// checkID refuses what would be invisible or ambiguous in a column of
// identifiers.
func checkID(column, s string) error {
	switch {
	case s == "":
		return faultf(column, "empty")
	case strings.TrimSpace(s) != s:
		return faultf(column, "%q has spaces around it", s)
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }):
		return faultf(column, "%q holds a character that is not text", s)
	}
	return nil
}

func checkSource(s string) error {
	if s != "measured" && s != "simulated" {
		return faultf("source", "%q is neither measured nor simulated", s)
	}
	return nil
}

// checkRange judges x as it is printed: a sum of rounding errors above 1 is 1.
func checkRange(column string, x, lo, hi float64) error {
	if lo <= x && x <= hi && !math.IsInf(x, 0) { // so is what is printed
		return nil
	}
	x = round(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return faultf(column, "%v is not finite", x)
	case x < lo || x > hi:
		return faultf(column, "%s is outside [%s, %s]", formatNumber(x), formatNumber(lo), formatNumber(hi))
	}
	return nil
}

// formatCount prints 0 as nothing.
func formatCount(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// formatNumber prints a finite x as the package comment says. The form is
// unique: numbers that are equal to nine digits print the same bytes.
func formatNumber(x float64) string {
	a := math.Abs(x)
	if !(a >= 1e-9 && a < 1e14) {
		return formatOdd(round(x))
	}
	var room, text [32]byte
	b := strconv.AppendFloat(room[:0], a, 'e', numberDigits-1, 64) // d.dddddddde-dd
	exponent, _ := strconv.Atoi(string(b[numberDigits+2:]))
	digits := append(b[:1], bytes.TrimRight(b[2:numberDigits+1], "0")...)
	out := text[:0]
	if x < 0 {
		out = append(out, '-')
	}
	switch n := len(digits); {
	case exponent < 0:
		out = append(append(append(out, "0."...), zeros[:-exponent-1]...), digits...)
	case exponent < n-1:
		out = append(append(append(out, digits[:exponent+1]...), '.'), digits[exponent+1:]...)
	default:
		out = append(append(out, digits...), zeros[:exponent+1-n]...)
	}
	return string(out)
}

const (
	numberDigits = 9
	zeros        = "000000000000000"
)

// formatOdd prints a rounded number that is zero, tiny or huge.
func formatOdd(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-9 || a >= 1e15) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// round returns the float64 nearest to the nine-digit decimal nearest to x;
// the sign of zero is dropped. NaN and infinities stay.
func round(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 8, 64), 64)
	if err != nil { // only at the very end of the range of float64
		return x
	}
	if y == 0 {
		return 0
	}
	return y
}
