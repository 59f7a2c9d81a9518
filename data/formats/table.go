package formats

import (
	"errors"

	"github.com/qats-bench/qats/data/npy"
)

// Table is a form of files with rows of fields, such as .csv. A file system that reads tables, as data.InputFS is, makes
// the arrays of a .safetensors of one and serves these in its place. Other file systems cannot open it.
type Table struct {
	Names []string // how names end, the usual ending first
}

// RecordNames are how names of records of JSON end, the usual ending first.
var RecordNames = []string{".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz"}

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

// IsRecords reports whether the name of a file is that of records of JSON.
func IsRecords(path string) bool { return match(Table{Names: RecordNames}, path) != "" }
