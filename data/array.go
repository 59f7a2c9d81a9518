package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Array is an open .npy file, or a member of an .npz. It is read as a table:
// the last axis gives the columns, the axes before it together, in C order,
// the rows; an array of one axis has one column. So row v*n + i of an
// v x n x k array is row i of view v.
//
// The body is never held whole: rows are decoded into the caller's memory in
// pieces of at most 256 KiB. (A member of an .npz is the exception, it is
// unpacked into memory.) An Array is used by one goroutine.
type Array struct {
	header
	name   string // as errors print it
	column string // what a column is: "class" or "feature"
	reading
	contents
	buf []byte // of the goroutine that the array belongs to
}

// chunkBytes is the size of one read of the file, and of the buffer: small
// enough that a piece is still in the processor's cache when it is decoded.
const chunkBytes = 256 << 10

// OpenArray opens name in fsys: a .npy file, or a member of an archive as
// "file.npz#member" (with or without .npy). It reads and checks the header;
// errors begin with the name.
func OpenArray(fsys fs.FS, name string) (*Array, error) {
	return locate(fsys, name).openArray()
}

// OpenArrayFile is OpenArray for a path of the operating system.
func OpenArrayFile(path string) (*Array, error) {
	return locate(nil, path).openArray()
}

// Name returns the name of the array as errors print it.
func (a *Array) Name() string { return a.name }

// Shape returns the lengths of the axes.
func (a *Array) Shape() []int { return slices.Clone(a.shape) }

// DType returns the type of the elements.
func (a *Array) DType() DType { return a.dtype }

// Rows returns the number of rows: the product of all axes but the last; the
// length of an array of one axis; 1 for a scalar.
func (a *Array) Rows() int {
	n := 1
	for i, d := range a.shape {
		if i == 0 || i < len(a.shape)-1 {
			n *= d
		}
	}
	return n
}

// Cols returns the number of columns: the last axis, or 1 where there are
// fewer than two.
func (a *Array) Cols() int {
	if len(a.shape) < 2 {
		return 1
	}
	return a.shape[len(a.shape)-1]
}

// Close releases the file.
func (a *Array) Close() error { return a.close() }

// ReadFloat32 reads rows lo..hi-1 into dst, row-major, rounding float64 to
// nearest; the logits of a set in the way of its Form. NaN, an infinity, a finite value beyond float32 and a whole number
// beyond 2^24 are errors that name file, row and class. It panics unless
// len(dst) is (hi-lo) x Cols and 0 <= lo <= hi <= Rows.
func (a *Array) ReadFloat32(dst []float32, lo, hi int) error {
	return a.readFloats(dst, &a.buf, lo, hi)
}

// ReadFloat64 is ReadFloat32 without rounding; whole numbers are exact up to
// 2^53.
func (a *Array) ReadFloat64(dst []float64, lo, hi int) error {
	return readTable(a, dst, &a.buf, lo, hi, Float64, decodeFloats[float64])
}

// ReadInt32 reads rows lo..hi-1 of whole numbers or booleans into dst. A float
// array and a number beyond int32 are errors. It panics as ReadFloat32 does.
func (a *Array) ReadInt32(dst []int32, lo, hi int) error { return a.readInt32(dst, &a.buf, lo, hi) }

func (a *Array) readInt32(dst []int32, buf *[]byte, lo, hi int) error {
	if err := a.checkWhole(); err != nil {
		return err
	}
	return readTable(a, dst, buf, lo, hi, Int32, decodeInts)
}

func (a *Array) checkWhole() error {
	if !a.dtype.whole() {
		return fmt.Errorf("%s: dtype %s; labels are whole numbers: store them as int32", a.name, a.dtype)
	}
	return nil
}

// readTable reads rows lo..hi-1 into dst, whose elements are of type target.
// Several goroutines may do so at once, each with a buffer of its own.
func readTable[T float32 | float64 | int32](a *Array, dst []T, buf *[]byte, lo, hi int, target DType, decode func([]T, []byte, DType) int) error {
	cols := a.Cols()
	if lo < 0 || lo > hi || hi > a.Rows() || len(dst) != (hi-lo)*cols {
		panic(fmt.Sprintf("data: rows %d..%d of %s into %d elements", lo, hi, tuple(a.shape), len(dst)))
	}
	if len(dst) == 0 {
		return nil
	}
	if a.fortran {
		return readFortran(a, dst, buf, lo, hi, target, decode)
	}
	size := a.dtype.size()
	inPlace := a.dtype == target && !a.bigEndian && !nativeBig // the bytes of the file are the values
	for done := 0; done < len(dst); {
		n := min(chunkBytes/size, len(dst)-done)
		part := dst[done : done+n]
		at := a.offset + (int64(lo)*int64(cols)+int64(done))*int64(size)
		var src []byte
		var err error
		if inPlace {
			src = bytesOf(part)
			err = a.readFull(src, at)
		} else {
			src, err = a.read(buf, n, at)
		}
		if err != nil {
			return err
		}
		bad := decode(part, src, a.dtype) // in place it only checks
		if bad >= 0 {
			return a.reject(lo, done+bad, fault(src, bad, a.dtype, target))
		}
		done += n
	}
	return nil
}

// reject is the error of element e of the rows from lo on.
func (a *Array) reject(lo, e int, why string) error {
	cols := a.Cols()
	return fmt.Errorf("%s: %s: %s", a.name, a.place(lo+e/cols, e%cols), why)
}

// readFortran is readTable for column-major files: the elements of one column
// of the table are together in the file, in Fortran order of the axes before
// the last, so each column is read as one strip and strewn over the rows. Of an
// array of three axes the whole strip is read, and a bad value in it is an
// error whichever row it belongs to.
func readFortran[T float32 | float64 | int32](a *Array, dst []T, buf *[]byte, lo, hi int, target DType, decode func([]T, []byte, DType) int) error {
	rows, cols, size := a.Rows(), a.Cols(), a.dtype.size()
	first, last := 0, rows // the part of the strip that may hold rows lo..hi-1
	if len(a.shape) == 2 {
		first, last = lo, hi
	}
	piece := make([]T, min(chunkBytes/size, last-first))
	for j := range cols {
		for p := first; p < last; {
			n := min(len(piece), last-p)
			at := a.offset + (int64(j)*int64(rows)+int64(p))*int64(size)
			src, err := a.read(buf, n, at)
			if err != nil {
				return err
			}
			bad := decode(piece[:n], src, a.dtype)
			if bad >= 0 {
				return fmt.Errorf("%s: %s: %s", a.name, a.place(a.rowOf(p+bad), j), fault(src, bad, a.dtype, target))
			}
			for i, v := range piece[:n] {
				if row := a.rowOf(p + i); lo <= row && row < hi {
					dst[(row-lo)*cols+j] = v
				}
			}
			p += n
		}
	}
	return nil
}

// rowOf returns the row of the table that stands at place p of a strip of a
// column-major file.
func (a *Array) rowOf(p int) int {
	lead := a.shape[:len(a.shape)-1]
	if len(lead) == 1 {
		return p
	}
	row, stride := 0, a.Rows()
	for _, d := range lead {
		stride /= d
		row += p % d * stride
		p /= d
	}
	return row
}

// read returns n elements from offset at, little-endian, in the buffer.
func (a *Array) read(buf *[]byte, n int, at int64) ([]byte, error) {
	size := a.dtype.size()
	if len(*buf) < n*size {
		*buf = make([]byte, n*size)
	}
	src := (*buf)[:n*size]
	if err := a.readFull(src, at); err != nil {
		return nil, err
	}
	if a.bigEndian {
		swapBytes(src, size)
	}
	return src, nil
}

func (a *Array) readFull(dst []byte, at int64) error {
	if err := readFull(a.body, dst, at); err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	return nil
}

// place names an element: "row 5", "row 812, class 7", "view 2, row 5, class 7".
func (a *Array) place(row, col int) string {
	switch len(a.shape) {
	case 0, 1:
		return fmt.Sprintf("row %d", row)
	case 2:
		if a.shape[1] == 1 {
			return fmt.Sprintf("row %d", row)
		}
		return fmt.Sprintf("row %d, %s %d", row, a.column, col)
	}
	n := a.shape[len(a.shape)-2]
	return fmt.Sprintf("view %d, row %d, %s %d", row/n, row%n, a.column, col)
}

// location says where an array is.
type location struct {
	fsys   fs.FS  // nil: the operating system
	path   string // of the file in fsys
	member string // of an .npz, else empty
	name   string // as errors print it
}

// locate takes a name apart: "dir/file.npz#member" or "dir/file.npy".
func locate(fsys fs.FS, name string) location {
	l := location{fsys: fsys, path: name, name: name}
	if i := strings.LastIndexByte(name, '#'); i > 0 && isArchive(name[:i]) {
		l.path, l.member = name[:i], strings.TrimSuffix(name[i+1:], ".npy")
	}
	return l
}

func isArchive(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npz") }

// open opens the file and returns it with what it is; a folder is an error.
func (l location) open() (fs.File, fs.FileInfo, error) {
	var f fs.File
	var err error
	if l.fsys == nil {
		f, err = os.Open(l.path)
	} else {
		f, err = l.fsys.Open(l.path)
	}
	if err != nil {
		return nil, nil, l.wrap(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
		if info.IsDir() {
			err = errors.New("a folder, not an array file")
		}
	}
	if err != nil {
		f.Close()
		return nil, nil, l.wrap(err)
	}
	return f, info, nil
}

// wrap puts the name in front of err and takes the operating system's own
// mention of it away.
func (l location) wrap(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", l.name, err)
}

// openArray opens the array at l.
func (l location) openArray() (*Array, error) {
	c, err := l.openContents()
	if err != nil {
		return nil, err
	}
	h, err := readHeader(c.body, c.size)
	if err != nil {
		c.close()
		return nil, l.wrap(err)
	}
	return &Array{header: h, name: l.name, column: "class", contents: c}, nil
}

// contents are the bytes of a .npy: an open file, or memory.
type contents struct {
	body io.ReaderAt
	size int64
	file fs.File     // nil for memory
	info fs.FileInfo // of the file as it was opened
}

// openContents returns the bytes of the .npy at l. A file that cannot be read at
// an offset, and a member of an archive, are held in memory.
func (l location) openContents() (contents, error) {
	f, info, err := l.open()
	if err != nil {
		return contents{}, err
	}
	r, size, err := readerAt(f, info)
	if err != nil {
		f.Close()
		return contents{}, l.wrap(err)
	}
	if !isArchive(l.path) {
		return contents{r, size, f, info}, nil
	}
	defer f.Close()
	b, err := readMember(r, size, l.member)
	if err != nil {
		return contents{}, l.wrap(err)
	}
	return contents{body: bytes.NewReader(b), size: int64(len(b))}, nil
}

// unchanged returns an error if the file has been written to since it was opened,
// since its numbers may be of two versions.
func (a *Array) unchanged() error {
	if a.file == nil {
		return nil
	}
	now, err := a.file.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	if now.Size() != a.info.Size() || !now.ModTime().Equal(a.info.ModTime()) {
		return fmt.Errorf("%s: changed while being read", a.name)
	}
	return nil
}

func (c contents) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// readerAt returns f as an io.ReaderAt, reading it whole, up to its stated
// size, where it is none.
func readerAt(f fs.File, info fs.FileInfo) (io.ReaderAt, int64, error) {
	if r, ok := f.(io.ReaderAt); ok {
		return r, info.Size(), nil
	}
	b, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err != nil {
		return nil, 0, err
	}
	return bytes.NewReader(b), int64(len(b)), nil
}
