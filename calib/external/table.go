package external

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Table is a file of n x k probabilities, or of logits, which it turns into
// probabilities by the softmax. It is used by one goroutine.
type Table struct {
	array  *npy.Array
	path   string
	name   string // in place of the path, in errors
	logits bool
	buf    []float32
	after  func()
}

// headerBytes is more than the size of the header of an array of two axes.
const headerBytes = 64 << 10

// OpenTable opens the probabilities of a set at path; errors name the file name. The file
// has a row for each row of the set's files; those that the set leaves out are left out too. A
// file of more rows is an error, unless first is set; then its first rows are used.
func OpenTable(path, name string, set data.Reader, first bool) (*Table, error) {
	t := &Table{path: path, name: name, after: func() {}}
	n := data.FileRows(set)
	err := t.open(n, set.Classes(), first)
	if err == nil && n != set.Rows() {
		if err = t.named(data.Follow(t.array, set)); err != nil {
			t.array.Close()
		}
	}
	return t, err
}

func (t *Table) open(n, k int, first bool) error {
	array, err := data.OpenArray(nil, t.path)
	if err != nil {
		return t.named(err)
	}
	shape := array.Shape()
	if len(shape) != 2 || shape[1] != k || shape[0] != n && !(first && shape[0] > n) {
		array.Close()
		return fmt.Errorf("%s: shape %v; the test set has %d rows and %d classes", t.name, shape, n, k)
	}
	t.array = array
	return nil
}

// named returns err with the name of the table instead of its path.
func (t *Table) named(err error) error {
	if err == nil || t.path == t.name || !strings.Contains(err.Error(), t.path) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), t.path, t.name))
}

// table opens the file that apply wrote. It checks the size first. It does not open
// anything but a regular file, since a read from a pipe, for example, might never end.
func (w *workplace) table(n, k int) (*Table, error) {
	var found string
	for _, name := range []string{"probs.npy", "logits.npy"} {
		info, err := os.Lstat(filepath.Join(w.dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case found != "":
			return nil, errors.New("apply wrote both probs.npy and logits.npy: want one of them")
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a regular file", name)
		}
		if most := int64(n)*int64(k)*8 + headerBytes; info.Size() > most {
			return nil, fmt.Errorf("%s has %d bytes; %d rows of %d classes take at most %d", name, info.Size(), n, k, most)
		}
		found = name
	}
	if found == "" {
		return nil, errors.New("apply wrote neither probs.npy nor logits.npy")
	}
	t := &Table{path: filepath.Join(w.dir, found), name: found, logits: found == "logits.npy", after: w.remove}
	return t, t.open(n, k, false)
}

// Name returns the name of the file in errors.
func (t *Table) Name() string { return t.name }

// FileRow returns the row of the file that is row i.
func (t *Table) FileRow(i int) int { return t.array.FileRow(i) }

// Rows fills dst with the rows from lo on. A probability of exactly 0 counts as
// data.ZeroProb, and one above 1 by rounding as 1, as in every file of probabilities. A value
// that is not finite is an error.
// Scoring checks that rows are probabilities.
func (t *Table) Rows(dst data.Probs, lo int) error {
	if !t.logits {
		err := t.array.ReadFloat64(dst.Data, lo, lo+dst.Rows)
		data.RaiseZeros(dst.Data)
		data.CutOnes(dst.Data)
		return t.named(err)
	}
	if need := dst.Rows * dst.Cols; cap(t.buf) < need {
		t.buf = make([]float32, need)
	}
	m := data.Matrix{Rows: dst.Rows, Cols: dst.Cols, Data: t.buf[:dst.Rows*dst.Cols]}
	if err := data.ReadLogits(t.array, m.Data, lo, lo+dst.Rows); err != nil {
		return t.named(err)
	}
	for i := range dst.Rows {
		softmax.Probs(dst.Row(i), m.Row(i), 1)
	}
	return nil
}

// Close closes the file and deletes the folder of the call, if it is in one.
func (t *Table) Close() {
	t.array.Close()
	t.after()
}
