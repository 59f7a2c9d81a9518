// Package csvfile reads and writes the project's CSV files: one header line
// with fixed columns, then one value of a Go type in each row.
//
// Readers and writers are strict, since a shifted column is a wrong number in a
// paper: the header must match, each row must pass the check of its type, and
// no two rows may have the same identity. Writing applies the same check as
// reading. Two changes that spreadsheets make are accepted: a byte order mark
// and CRLF line ends.
//
// Errors of a reader begin with file:line, and name the column if one is at fault.
package csvfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Format describes one kind of file whose rows are values of type T.
type Format[T any] struct {
	Columns  []string
	Comma    rune             // between the fields of a row; 0 for a comma
	Added    []string         // columns that earlier versions of qats did not write
	Fields   func(T) []string // the row of a value, one field a column
	Parse    func(*Row) T     // the value of a row; faults are kept in the Row
	Check    func(T) error    // whether a value may be in a file, on reading and on writing
	Identity func(T) []string // the fields that no two rows may share
}

// A Writer writes a header and then one row for each value, in their order.
type Writer[T any] struct {
	format Format[T]
	out    *csv.Writer
	ids    identities
	n      int
}

// NewWriter begins a file with its header.
func (f Format[T]) NewWriter(w io.Writer) (*Writer[T], error) {
	out := csv.NewWriter(w)
	if f.Comma != 0 {
		out.Comma = f.Comma
	}
	return &Writer[T]{format: f, out: out, ids: newIdentities()}, out.Write(f.Columns)
}

// Write appends rows.
func (w *Writer[T]) Write(list []T) error {
	f := w.format
	for _, t := range list {
		w.n++
		id := f.Identity(t)
		if err := f.Check(t); err != nil {
			return fmt.Errorf("record %d (%s): %w", w.n, strings.Join(id, ", "), err)
		}
		if first, twice := w.ids.add(id, w.n); twice {
			return fmt.Errorf("records %d and %d have the same identifiers (%s)", first, w.n, strings.Join(id, ", "))
		}
		if err := w.out.Write(f.Fields(t)); err != nil {
			return err
		}
	}
	return nil
}

// Rows returns the number of rows written.
func (w *Writer[T]) Rows() int { return w.n }

// Flush ends the file.
func (w *Writer[T]) Flush() error {
	w.out.Flush()
	return w.out.Error()
}

// identities are the identities of the rows of a file. A file may have millions, so it keeps
// 128 bits of each.
type identities struct {
	seeds [2]maphash.Seed
	place map[[2]uint64]int32 // of the row
}

func newIdentities() identities {
	return identities{[2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, map[[2]uint64]int32{}}
}

// add adds the identity of a row at a place. It returns the place of the row before that has
// the same identity, if there is one.
func (d *identities) add(id []string, place int) (first int, twice bool) {
	var key [2]uint64
	for i, seed := range d.seeds {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, s := range id {
			h.WriteString(s)
			h.WriteByte(0)
		}
		key[i] = h.Sum64()
	}
	if first, twice := d.place[key]; twice {
		return int(first), true
	}
	d.place[key] = int32(place)
	return 0, false
}

// WriteFile replaces the file at path. On an error the old file stays.
func (f Format[T]) WriteFile(path string, list []T) error {
	err := atomicfile.Write(path, func(w io.Writer) error { return f.Write(w, list) })
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Write writes a whole file.
func (f Format[T]) Write(w io.Writer, list []T) error {
	out, err := f.NewWriter(w)
	if err != nil {
		return err
	}
	if err := out.Write(list); err != nil {
		return err
	}
	return out.Flush()
}

// ReadFile reads the file at path.
func (f Format[T]) ReadFile(path string) ([]T, error) {
	file, info, err := inputfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return f.list(file, path, info.Size())
}

// Read reads a stream; name stands for it in errors. The list is never nil.
func (f Format[T]) Read(r io.Reader, name string) ([]T, error) { return f.list(r, name, 0) }

// list reads a stream of some bytes, 0 if their number is not known.
func (f Format[T]) list(r io.Reader, name string, size int64) ([]T, error) {
	in := f.reader(r)
	if err := f.readHeader(in, name); err != nil {
		return nil, err
	}
	const few = 1000 // rows, from whose bytes the number of all is estimated
	list, ids, row := []T{}, newIdentities(), &Row{columns: f.Columns, texts: map[string]string{}, values: map[string]any{}}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, syntax(name, err)
		}
		line, _ := in.FieldPos(0)
		t, err := f.parse(fields, row)
		if err != nil {
			var at *fault
			if errors.As(err, &at) {
				line, _ = in.FieldPos(slices.Index(f.Columns, at.column))
			}
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		id := f.Identity(t)
		if first, twice := ids.add(id, line); twice {
			return nil, fmt.Errorf("%s:%d: the same identifiers as line %d (%s)", name, line, first, strings.Join(id, ", "))
		}
		if len(list) == few {
			list = slices.Grow(list, int(size*few/in.InputOffset())*33/32)
		}
		list = append(list, t)
	}
}

// CountInFile returns the number of rows of the file at path. It checks the header alone.
func (f Format[T]) CountInFile(path string) (n int, err error) {
	file, _, err := inputfile.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	in := f.reader(file)
	if err := f.readHeader(in, path); err != nil {
		return 0, err
	}
	for ; ; n++ {
		if _, err := in.Read(); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, syntax(path, err)
		}
	}
}

// reader returns a reader of lines.
func (f Format[T]) reader(r io.Reader) *csv.Reader {
	in := csv.NewReader(skipBOM(r))
	if f.Comma != 0 {
		in.Comma = f.Comma
	}
	in.FieldsPerRecord = -1 // counted in parse, with a better message
	in.ReuseRecord = true
	return in
}

func (f Format[T]) readHeader(in *csv.Reader, name string) error {
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s:1: empty file; want the header %s", name, strings.Join(f.Columns, ","))
	}
	if err != nil {
		return syntax(name, err)
	}
	if err := checkHeader(header, f.Columns); err != nil {
		lacking := func(column string) bool { return slices.Contains(f.Added, column) && !slices.Contains(header, column) }
		if slices.Equal(header, slices.DeleteFunc(slices.Clone(f.Columns), lacking)) {
			missing := f.Columns[slices.IndexFunc(f.Columns, lacking)]
			err = fmt.Errorf("column %s is missing: an earlier version of qats wrote this file; "+called.Command()+" run SPEC --out OUT writes it again", missing)
		}
		line, _ := in.FieldPos(0)
		return fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return nil
}

// parse returns the value of a row that passes the check. row knows the texts of earlier rows.
func (f Format[T]) parse(fields []string, row *Row) (T, error) {
	if len(fields) != len(f.Columns) {
		var none T
		return none, fmt.Errorf("%d fields, want %d (%s)", len(fields), len(f.Columns), excess(fields, f.Columns))
	}
	row.fields, row.next, row.err = fields, 0, nil
	t := f.Parse(row)
	if row.err != nil {
		return t, row.err
	}
	return t, f.Check(t)
}

// syntax adds the position to an error of encoding/csv.
func syntax(name string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d:%d: %w", name, p.Line, p.Column, p.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// skipBOM skips the byte order mark that spreadsheets put before UTF-8.
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
	for i, c := range want { // the same names, so only the order can differ
		if got[i] != c {
			return fmt.Errorf("column %d is %s, want %s; the order is %s", i+1, got[i], c, strings.Join(want, ","))
		}
	}
	return nil
}

// excess names the columns that a row lacks, or its first field after the last
// column.
func excess(fields, columns []string) string {
	if len(fields) < len(columns) {
		return "column " + columns[len(fields)] + " and the columns after it are missing"
	}
	return fmt.Sprintf("%q is after the last column, %s", fields[len(columns)], columns[len(columns)-1])
}
