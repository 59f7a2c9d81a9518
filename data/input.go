package data

import (
	"io"
	"io/fs"
	"sync"

	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/inputfile"
)

// InputFS is the file system of the operating system and, under StreamName, a stream of one
// .safetensors, such as standard input. It reads the stream to its end when an array of it is
// first opened, and holds it in memory. A table of text is such a file of arrays, too: see
// Told.
type InputFS struct {
	inputfile.System
	stream func() (npy.Held, error)
	limit  int64

	reading Reading // of tables

	mu     sync.Mutex
	tables map[string]func() (*heldTable, error)
}

// heldTable is a table that was read.
type heldTable struct {
	npy.Held
	told []string
}

// NewInput returns the file system with the stream r, of which at most limit bytes are held. An
// error of the stream is a Problem that is placed in name.
func NewInput(r io.Reader, name string, limit int64) *InputFS {
	return &InputFS{limit: limit, tables: map[string]func() (*heldTable, error){}, stream: sync.OnceValues(func() (npy.Held, error) {
		b, err := formats.ReadTensors(r, limit)
		if err != nil {
			return nil, problem.At(name, err)
		}
		return b, nil
	})}
}

// StateReading says what the columns of tables are, before one is read.
func (in *InputFS) StateReading(r Reading) { in.reading = r }

// Open opens a file, or the stream.
func (in *InputFS) Open(path string) (fs.File, error) {
	var b npy.Held
	var err error
	switch {
	case path == npy.StreamName:
		b, err = in.stream()
	case Forms().Is(path, formats.Rows):
		var t *heldTable
		if t, err = in.table(path); err == nil {
			b = t.Held
		}
	default:
		return in.System.Open(path)
	}
	if err != nil {
		return nil, err
	}
	return npy.OpenHeld(b), nil
}

// table reads a table, once.
func (in *InputFS) table(path string) (*heldTable, error) {
	in.mu.Lock()
	read := in.tables[path]
	if read == nil {
		read = sync.OnceValues(func() (*heldTable, error) {
			f, _, err := inputfile.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			b, told, err := readTextTable(path, f, in.limit/4, in.reading) // its texts are in memory beside its numbers
			return &heldTable{b, told}, err
		})
		in.tables[path] = read
	}
	in.mu.Unlock()
	return read()
}

// Told returns what was taken from a table: which columns, and what they hold. It has no lines for
// another file.
func (in *InputFS) Told(path string) []string {
	if !Forms().Is(path, formats.Rows) {
		return nil
	}
	t, err := in.table(path)
	if err != nil {
		return nil // reading it gives the same error
	}
	return t.told
}

// Stat describes a file, or the stream.
func (in *InputFS) Stat(path string) (fs.FileInfo, error) {
	switch {
	case path == npy.StreamName:
		return in.stream()
	case Forms().Is(path, formats.Rows):
		t, err := in.table(path)
		if err != nil {
			return nil, err
		}
		return t.Held, nil
	}
	return in.System.Stat(path)
}
