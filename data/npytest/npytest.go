package npytest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"
	"testing/fstest"
)

// File assembles a .npy by hand from the format's document, independently
// of the package's writer. The header is not padded.
func File(version byte, header string, body []byte) []byte {
	b := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), body...)
}

// Header is the text of a header as numpy words it.
func Header(descr string, fortran bool, shape string) string {
	order := "False"
	if fortran {
		order = "True"
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
}

// Zip packs members, in pairs of name and bytes.
func Zip(method uint16, members ...any) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i].(string), Method: method})
		if err != nil {
			panic(err)
		}
		if _, err := w.Write(members[i+1].([]byte)); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func FS(name string, b []byte) fs.FS { return fstest.MapFS{name: {Data: b}} }

// NoSeek serves files that can only be read from their beginning.
type NoSeek struct{ fs.FS }

func (f NoSeek) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	return struct{ fs.File }{file}, err
}

// Tensors is a .safetensors file with the given header and numbers.
func Tensors(header string, body ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), body...)
}

// F4 returns the bytes of float32 numbers.
func F4(v ...float32) []byte { return Bytes(v) }

// F8 returns the bytes of float64 numbers.
func F8(v ...float64) []byte { return Bytes(v) }

// Bytes returns the little-endian bytes of numbers.
func Bytes[T float32 | float64 | int32](v []T) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

// Swap reverses each element of size bytes in place.
func Swap(b []byte, size int) {
	for element := range slices.Chunk(b, size) {
		slices.Reverse(element)
	}
}
