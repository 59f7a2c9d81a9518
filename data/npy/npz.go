package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

func openZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	if size == 0 {
		return nil, errors.New("empty file")
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("not a complete .npz file: %w", err)
	}
	return z, nil
}

// Column is one named column of numbers of an .npz; exactly one of its slices is
// not nil.
type Column struct {
	Name    string
	Float64 []float64
	Int32   []int32
	Bool    []bool
}

// WriteNPZ writes columns as an .npz that numpy.load reads. The bytes depend on
// the columns alone: time stamps are fixed, and members are stored without
// compression, since the output of deflate may change with the version of Go. A
// nil column, two columns of one name and an empty name or one with a separator
// are errors.
func WriteNPZ(w io.Writer, members ...Column) error {
	z := zip.NewWriter(w)
	seen := map[string]bool{}
	for _, m := range members {
		if m.Name == "" || strings.ContainsAny(m.Name, "/\\#") || seen[m.Name] {
			return fmt.Errorf("member name %q is empty or taken or contains one of / \\ #", m.Name)
		}
		seen[m.Name] = true
		head, column, err := m.encode()
		if err != nil {
			return err
		}
		f, err := z.CreateHeader(&zip.FileHeader{
			Name:     m.Name + ".npy",
			Method:   zip.Store,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC),
		})
		if err != nil {
			return err
		}
		for _, b := range [][]byte{head, column} {
			if _, err := f.Write(b); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// encode returns the header and the column of a member as bytes.
func (m Column) encode() (head, column []byte, err error) {
	switch {
	case m.Float64 != nil:
		return HeaderBytes(Float64, []int{len(m.Float64)}), Little(m.Float64), nil
	case m.Int32 != nil:
		return HeaderBytes(Int32, []int{len(m.Int32)}), Little(m.Int32), nil
	case m.Bool != nil:
		return HeaderBytes(Bool, []int{len(m.Bool)}), bytesOf(m.Bool), nil // 0 and 1
	}
	return nil, nil, fmt.Errorf("member %q has no column", m.Name)
}

// ReadNPZ reads all members of an .npz that WriteNPZ wrote, and checks their CRC.
// Members of other types or of more than one axis are errors; so are NaN and
// infinities.
func ReadNPZ(b []byte) ([]Column, error) {
	z, err := openZip(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	var members []Column
	for _, f := range z.File {
		m, err := decodeMember(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		members = append(members, m)
	}
	return members, nil
}

func decodeMember(f *zip.File) (Column, error) {
	m := Column{Name: strings.TrimSuffix(f.Name, ".npy")}
	b, err := readArray(f, DefaultMemberLimit)
	if err != nil {
		return m, err
	}
	h, err := readHeader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return m, err
	}
	if len(h.shape) != 1 {
		return m, fmt.Errorf("shape %s; want one axis", Tuple(h.shape))
	}
	n := h.shape[0]
	a := &Array{head: h, name: "column", from: File{Body: bytes.NewReader(b), Size: int64(len(b))}}
	switch h.dtype {
	case Float64:
		m.Float64 = make([]float64, n)
		return m, a.ReadFloat64(m.Float64, 0, n)
	case Int32:
		m.Int32 = make([]int32, n)
		return m, a.ReadInt32(m.Int32, 0, n)
	case Bool:
		m.Bool = make([]bool, n)
		for i, x := range b[h.offset:] {
			m.Bool[i] = x != 0
		}
		return m, nil
	}
	return m, fmt.Errorf("dtype %s; want float64, int32 or bool", h.dtype)
}
