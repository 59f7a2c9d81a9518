package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/qats-bench/qats/internal/inputfile"
)

// StreamName is the path of a stream where a file of arrays can be named: -#NAME is its
// array NAME.
const StreamName = "-"

// InputFS is the file system of the operating system and, under StreamName, a stream of one
// .safetensors, such as standard input. It reads the stream to its end when an array of it is
// first opened, and holds it in memory. A table of text (IsTable) is such a file of arrays, too: see
// Told.
type InputFS struct {
	inputfile.System
	stream func() (held, error)
	limit  int64

	mu     sync.Mutex
	tables map[string]func() (*heldTable, error)
}

// heldTable is a table that was read.
type heldTable struct {
	held
	told []string
}

// NewInput returns the file system with the stream r, of which at most limit bytes are held. An
// error of the stream is a Problem that is placed in name.
func NewInput(r io.Reader, name string, limit int64) *InputFS {
	return &InputFS{limit: limit, tables: map[string]func() (*heldTable, error){}, stream: sync.OnceValues(func() (held, error) {
		b, err := readTensorStream(r, limit)
		if err != nil {
			return nil, placed(name, err)
		}
		return b, nil
	})}
}

// Open opens a file, or the stream.
func (in *InputFS) Open(path string) (fs.File, error) {
	var b held
	var err error
	switch {
	case path == StreamName:
		b, err = in.stream()
	case IsTable(path):
		var t *heldTable
		if t, err = in.table(path); err == nil {
			b = t.held
		}
	default:
		return in.System.Open(path)
	}
	if err != nil {
		return nil, err
	}
	return &heldFile{bytes.NewReader(b), b}, nil
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
			b, told, err := readTextTable(path, f, in.limit/4) // its texts are in memory beside its numbers
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
	if !IsTable(path) {
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
	case path == StreamName:
		return in.stream()
	case IsTable(path):
		t, err := in.table(path)
		if err != nil {
			return nil, err
		}
		return t.held, nil
	}
	return in.System.Stat(path)
}

// held are the bytes of a stream, and describe it as a file.
type held []byte

func (held) Name() string       { return StreamName }
func (h held) Size() int64      { return int64(len(h)) }
func (held) Mode() fs.FileMode  { return 0o444 }
func (held) ModTime() time.Time { return time.Time{} }
func (held) IsDir() bool        { return false }
func (held) Sys() any           { return nil }

// heldFile is an open stream.
type heldFile struct {
	*bytes.Reader
	info held
}

func (f *heldFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (*heldFile) Close() error                 { return nil }

// readTensorStream reads a .safetensors of at most limit bytes to its end, and checks it as
// readTensors does. It takes memory for the size that the header declares, after that was found
// to be within the limit.
func readTensorStream(r io.Reader, limit int64) ([]byte, error) {
	var start [8]byte
	n, err := io.ReadFull(r, start[:])
	if err == nil {
		if bytes.HasPrefix(start[:], []byte(npyMagic)) {
			return nil, errors.New("a .npy array; a .safetensors is read, in which arrays have names")
		}
		var length int64
		if length, err = tensorHeaderLength(start); err != nil {
			return nil, err
		}
		return readTensorBody(r, start, length, limit)
	}
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil, errors.New("empty: write the arrays to it as one .safetensors")
	case errors.Is(err, io.ErrUnexpectedEOF):
		_, err = readTensors(bytes.NewReader(start[:n]), int64(n))
	}
	return nil, err
}

// readTensorBody reads the stream after its first 8 bytes, which give the length of the header.
func readTensorBody(r io.Reader, start [8]byte, length, limit int64) ([]byte, error) {
	tooLarge := func(size int64) error {
		return fmt.Errorf("declares %d bytes, more than the limit of %d: raise --max-memory, or write it to a file, which is read in blocks", size, limit)
	}
	if 8+length > limit {
		return nil, tooLarge(8 + length)
	}
	b := make([]byte, 8+length)
	copy(b, start[:])
	n, err := io.ReadFull(r, b[8:])
	if err == nil {
		var size int64
		if size, err = tensorsEnd(b[8:]); err != nil {
			return nil, err
		}
		if size > limit-8-length {
			return nil, tooLarge(size) // the sum may overflow
		}
		head := b
		b = make([]byte, int64(len(head))+size+1) // one more, to see that the stream ends there
		copy(b, head)
		n, err = io.ReadFull(r, b[len(head):])
		n += len(head) - 8
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	b = b[:8+n]
	if _, err := readTensors(bytes.NewReader(b), int64(len(b))); err != nil {
		return nil, err
	}
	return b, nil
}

// tensorsEnd returns the number of bytes after the header that its tensors declare.
func tensorsEnd(header []byte) (int64, error) {
	all, err := parseTensors(header)
	if err != nil {
		return 0, notTensors(err)
	}
	end := int64(0)
	for _, t := range all {
		end = max(end, t.end)
	}
	return end, nil
}

// tensorHeaderLength returns the length of the header from the bytes before it.
func tensorHeaderLength(start [8]byte) (int64, error) {
	length := binary.LittleEndian.Uint64(start[:])
	if length > maxTensorHeader {
		return 0, notTensors(fmt.Errorf("its header would have %d bytes; at most %d are read", length, maxTensorHeader))
	}
	return int64(length), nil
}

func notTensors(err error) error { return fmt.Errorf("not a .safetensors file: %w", err) }
