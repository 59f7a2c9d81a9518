package formats

import (
	"bytes"
	"io"

	"github.com/qats-bench/qats/data/npy"
)

// ArrayEnding is how the name of a .npy file ends.
const ArrayEnding = ".npy"

// NPY is the form of a .npy file, which numpy.save writes.
type NPY struct{}

func (NPY) Endings() []string        { return []string{ArrayEnding} }
func (NPY) Content() Content         { return One }
func (NPY) Begins(start []byte) bool { return bytes.HasPrefix(start, []byte(npy.Magic)) }

// Members returns the array. Reading its header gives the errors of the file.
func (NPY) Members(f npy.File) ([]Member, error) { return []Member{whole{f}}, nil }

// Open opens the array in place.
func (NPY) Open(f npy.File, m Member, _ int64) (npy.Header, npy.File, error) {
	h, err := m.Header()
	return h, f, err
}

// whole is the array of a .npy file.
type whole struct{ npy.File }

func (whole) Name() string { return "" }

// Write copies the file. Its buffer is larger than that of io.Copy, so that many small arrays need fewer reads.
func (m whole) Write(w io.Writer) error {
	_, err := io.CopyBuffer(w, io.NewSectionReader(m.Body, 0, m.Size), make([]byte, 128<<10))
	return err
}
