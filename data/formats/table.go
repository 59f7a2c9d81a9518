package formats

import (
	"errors"
	"io"
	"strings"

	"github.com/qats-bench/qats/data/npy"
)

// Table is a form of files with rows of fields, such as .csv. A file system that reads tables, as data.InputFS is, makes
// the arrays of a .safetensors of one and serves these in its place. Other file systems cannot open it.
type Table struct {
	Names []string // how names end, the usual ending first

	// Read makes the arrays of a table of at most limit bytes. It also returns what was taken from it, in lines. Errors
	// call the table name.
	Read func(name string, r io.Reader, limit int64) (npy.Held, []string, error)
}

func (t Table) Endings() []string { return t.Names }
func (Table) Content() Content    { return Rows }

// Begins is false: a text begins with any character. So the first bytes are compared with those of all other forms.
func (Table) Begins([]byte) bool { return false }

// errTable is the error of a table that was not made into arrays.
var errTable = errors.New("a table of text, not an array")

// Members returns errTable.
func (Table) Members(npy.File) ([]Member, error) { return nil, errTable }

// Open returns errTable.
func (Table) Open(npy.File, Member, int64) (npy.Header, npy.File, error) {
	return npy.Header{}, npy.File{}, errTable
}

// IsRecords reports whether the name of a file is that of JSON lines: .jsonl or .ndjson, or one of these packed by gzip.
func IsRecords(path string) bool {
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson")
}
