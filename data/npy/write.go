package npy

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/internal/kernel/half"
)

// Writer writes a C-order, little-endian .npy piece by piece; its bytes depend on
// the numbers alone. It writes a temporary file in the same folder, which Close
// syncs and renames if it is complete: a killed program leaves the old file or the
// new one. NaN and infinities are written, though reading rejects them. A Writer
// is used by one goroutine.
type Writer struct {
	dtype DType
	shape []int
	path  string
	f     *atomicfile.File
	left  int // elements still to come
	buf   []byte
}

// CreateArray begins the file at path, of a shape and elements of type t: Float16,
// Float32, Float64 or Int32. The folder must exist. Defer Abort after it, and call
// Close at the end.
func CreateArray(path string, t DType, shape ...int) (*Writer, error) {
	n := 1
	for _, d := range shape {
		if d < 0 || n > 0 && d > math.MaxInt/16/n {
			panic("npy: shape " + Tuple(shape))
		}
		n *= d
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, problem.At(path, inputfile.Cause(err))
	}
	w := &Writer{dtype: t, shape: shape, path: path, f: f, left: n}
	if _, err := f.Write(HeaderBytes(t, shape)); err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// Float32 appends v to a Float32 array or, rounded to nearest, ties to even, to a
// Float16 array; a finite value beyond float16 is an error. It panics if the array
// has another type or the shape has fewer elements.
func (w *Writer) Float32(v []float32) error {
	if w.dtype == Float32 {
		return write(w, Float32, v, appendLittle)
	}
	for i, x := range v {
		if h := half.FromFloat32(x); h&0x7fff == 0x7c00 && !math.IsInf(float64(x), 0) {
			return fmt.Errorf("%s: element %d: %g overflows float16", w.path, i, x)
		}
	}
	return write(w, Float16, v, appendFloat16)
}

// Float64 appends v to a Float64 array.
func (w *Writer) Float64(v []float64) error { return write(w, Float64, v, appendLittle) }

// Int32 appends v to an Int32 array.
func (w *Writer) Int32(v []int32) error { return write(w, Int32, v, appendLittle) }

func write[T any](w *Writer, t DType, v []T, encode func([]byte, []T) []byte) error {
	if w.dtype != t || len(v) > w.left {
		panic(fmt.Sprintf("npy: %d %s elements for %s, which lacks %d %s", len(v), t, w.path, w.left, w.dtype))
	}
	for len(v) > 0 {
		n := min(len(v), chunkBytes/8)
		w.buf = encode(w.buf[:0], v[:n])
		if _, err := w.f.Write(w.buf); err != nil {
			return err
		}
		v = v[n:]
		w.left -= n
	}
	return nil
}

// Close completes the file under its name. If elements are missing, that is an
// error, and the file is removed.
func (w *Writer) Close() error {
	if w.left > 0 {
		w.Abort()
		return fmt.Errorf("%s: %d elements of %s were not written", w.path, w.left, Tuple(w.shape))
	}
	return w.f.Commit(true)
}

// Abort removes an unfinished file. After Close it does nothing.
func (w *Writer) Abort() { w.f.Abort() }

// WriteFloat32 writes v to path as a '<f4' array of the given shape; see Writer. It
// panics unless the shape has len(v) elements.
func WriteFloat32(path string, v []float32, shape ...int) error {
	return WritePieces(path, Float32, shape, (*Writer).Float32, v)
}

// WriteFloat16 writes v, rounded, to path as a '<f2' array; see Writer.Float32.
func WriteFloat16(path string, v []float32, shape ...int) error {
	return WritePieces(path, Float16, shape, (*Writer).Float32, v)
}

// WriteFloat64 writes v to path as a '<f8' array; see WriteFloat32.
func WriteFloat64(path string, v []float64, shape ...int) error {
	return WritePieces(path, Float64, shape, (*Writer).Float64, v)
}

// WriteInt32 writes v to path as a '<i4' array; see WriteFloat32.
func WriteInt32(path string, v []int32, shape ...int) error {
	return WritePieces(path, Int32, shape, (*Writer).Int32, v)
}

// WritePieces writes an array in pieces, of which there are several where one piece would
// be a copy of numbers that stand apart.
func WritePieces[T any](path string, t DType, shape []int, put func(*Writer, []T) error, pieces ...[]T) error {
	w, err := CreateArray(path, t, shape...)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, piece := range pieces {
		if err := put(w, piece); err != nil {
			return err
		}
	}
	return w.Close()
}

func appendFloat16(b []byte, v []float32) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint16(b, half.FromFloat32(x))
	}
	return b
}

// Little returns the little-endian bytes of v, which share its memory where they can.
func Little[T float32 | float64 | int32](v []T) []byte {
	if !nativeBig {
		return bytesOf(v)
	}
	b, _ := binary.Append(nil, binary.LittleEndian, v) // fails for other types only
	return b
}

// appendLittle appends the little-endian bytes of v.
func appendLittle[T float32 | float64 | int32](b []byte, v []T) []byte {
	return append(b, Little(v)...)
}
