package npy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/qats-bench/qats/data/problem"
)

// File is the bytes of a file or of an unpacked member: an open file, or memory.
type File struct {
	Body   io.ReaderAt
	Size   int64
	Handle fs.File     // nil for what is in memory: an unpacked member, a stream
	Info   fs.FileInfo // of the file as it was opened
}

// Close closes the file.
func (f File) Close() error {
	if f.Handle == nil {
		return nil
	}
	return f.Handle.Close()
}

// Unchanged returns an error if the file has another size or modification time than when it was opened: what was read may
// be a mixture of two versions. Its ctime does not matter. It changes when another file takes the name of this one, whose
// content stays readable. Errors call the file name.
func (f File) Unchanged(name string) error {
	if f.Handle == nil {
		return nil
	}
	now, err := f.Handle.Stat()
	if err != nil {
		return problem.At(name, err)
	}
	if now.Size() != f.Info.Size() || !now.ModTime().Equal(f.Info.ModTime()) {
		return problem.Changed(name)
	}
	return nil
}

// Fill reads len(p) bytes from offset at.
func (f File) Fill(p []byte, at int64) error { return readFull(f.Body, p, at) }

// readFull fills p from offset at. The size of the file was checked when it was
// opened, so a short read means that the file was truncated since.
func readFull(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		fewer := ""
		if n == 0 { // the file may end before at
			fewer = " or fewer"
		}
		return fmt.Errorf("truncated to %d bytes%s while being read", at+int64(n), fewer)
	}
	return err
}
