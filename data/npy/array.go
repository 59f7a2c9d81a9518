package npy

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/qats-bench/qats/data/problem"
)

// Array is an open array: of a .npy file, of another form of files (package formats), or in memory (NewArray). It is read as a table: the last axis gives the
// columns; the other axes together, in C order, give the rows. An array of one axis
// has one column. So row v*n + i of a v x n x k array is row i of view v.
//
// Rows are decoded into the caller's memory in pieces of at most 256 KiB. Only a
// member of an .npz is held in memory as a whole. An Array is used by one
// goroutine.
type Array struct {
	head   Header
	name   string // as errors print it
	column string // what a column is, for errors: a class or a feature
	from   File
	kept   *Kept  // the rows of the file that are rows of the array; nil for all
	buf    []byte // of the exported methods

	masks []float64 // see CountAsMasked
}

// CountAsMasked makes MaskedFloats and EachOf read some finite numbers as they read -Inf. Call it before other
// goroutines read the array.
func (a *Array) CountAsMasked(values []float64) { a.masks = values }

// chunkBytes is the size of one read of the file: small enough that a piece is
// still in the processor's cache when it is decoded.
const chunkBytes = 256 << 10

// NewArray returns the array of a shape whose elements of type t are b, in C order or,
// with fortran, with the first axis changing fastest. It is an error if b has another
// length than shape and type need. Errors call the array by its shape.
func NewArray(t DType, bigEndian, fortran bool, shape []int, b []byte) (*Array, error) {
	h := Header{dtype: t, bigEndian: bigEndian, fortran: fortran, shape: slices.Clone(shape)}
	want, err := t.Bytes(shape)
	if err != nil {
		return nil, err
	}
	if want != int64(len(b)) {
		return nil, fmt.Errorf("%d bytes for an array of shape %s of %s, which has %d", len(b), Tuple(shape), t, want)
	}
	h.fortran = fortran && h.axes() > 1
	memory := File{Body: bytes.NewReader(b), Size: want}
	return &Array{head: h, name: "array of shape " + Tuple(shape), column: "class", from: memory}, nil
}

// Name returns the name of the array as errors print it.
func (a *Array) Name() string { return a.name }

// Shape returns the lengths of the axes.
func (a *Array) Shape() []int { return slices.Clone(a.head.shape) }

// DType returns the type of the elements.
func (a *Array) DType() DType { return a.head.dtype }

// Rows returns the number of rows: the product of all axes but the last, the length
// of an array of one axis, or 1 for a scalar. Rows that are left out are not counted (see
// Keep).
func (a *Array) Rows() int {
	n := a.FileRows()
	if a.kept != nil {
		n = n / a.kept.all * a.kept.n
	}
	return n
}

// Cols returns the number of columns: the last axis, or 1 where the array has fewer
// than two axes.
func (a *Array) Cols() int {
	if len(a.head.shape) < 2 {
		return 1
	}
	return a.head.shape[len(a.head.shape)-1]
}

// ByColumns reports whether the elements of a column stand together in the file, so that rows
// are best read many at a time.
func (a *Array) ByColumns() bool { return a.head.fortran }

// InMemory returns the bytes that an unpacked member or a part of a stream takes while the
// array is open; 0 for a file, which is read in place.
func (a *Array) InMemory() int64 {
	if a.from.Handle != nil {
		return 0
	}
	held, _ := a.head.dtype.Bytes(a.head.shape) // checked when it was opened
	return held
}

// Info describes the file as it was when it was opened; nil for what never was one.
func (a *Array) Info() fs.FileInfo { return a.from.Info }

// NameColumns says what a column is called in errors, in place of "class".
func (a *Array) NameColumns(column string) { a.column = column }

// AsColumn makes an array of one axis n x 1.
func (a *Array) AsColumn() { a.head.shape = []int{a.head.shape[0], 1} }

// OneHot makes labels of an array of two axes if each of two or more rows has exactly one 1 and else 0: the column of the 1, n
// in int32. It reports whether it did; an array that cannot be read stays as it is.
func (a *Array) OneHot() bool {
	if len(a.head.shape) != 2 || a.head.shape[0] < 2 || a.head.shape[1] < 2 {
		return false
	}
	labels := make([]int32, 0, a.head.shape[0])
	one := true
	err := a.Each(func(_ int, row []float64) bool {
		at := slices.Index(row, 1)
		one = at >= 0 && !slices.ContainsFunc(row[at+1:], func(v float64) bool { return v != 0 }) && !slices.ContainsFunc(row[:at], func(v float64) bool { return v != 0 })
		labels = append(labels, int32(at))
		return one
	})
	if err != nil || !one {
		return false
	}
	a.head = Header{dtype: Int32, shape: []int{len(labels)}}
	a.from.Body = bytes.NewReader(Little(labels))
	return true
}

// Keep makes the array leave out the rows that are not in k. Its views, if it has three axes,
// have one row each for each row of k's files.
func (a *Array) Keep(k *Kept) { a.kept = k }

// Close releases the file.
func (a *Array) Close() error { return a.from.Close() }

// ReadFloat32 reads rows lo..hi-1 into dst, row-major, rounding float64 to
// nearest. NaN, an infinity, a finite value beyond float32 and an integer beyond 2^24
// are errors that name file, row and class. It panics unless len(dst) is (hi-lo) x Cols
// and 0 <= lo <= hi <= Rows.
func (a *Array) ReadFloat32(dst []float32, lo, hi int) error {
	return Floats(a, dst, &a.buf, lo, hi)
}

// ReadFloat64 reads rows lo..hi-1 as ReadFloat32 does, without rounding and
// without conversion. Integers are read up to 2^53.
func (a *Array) ReadFloat64(dst []float64, lo, hi int) error {
	return Floats(a, dst, &a.buf, lo, hi)
}

// ReadInt32 reads rows lo..hi-1 of integers or booleans into dst. A float array
// and a number beyond int32 are errors. It panics as ReadFloat32 does.
func (a *Array) ReadInt32(dst []int32, lo, hi int) error { return a.Integers(dst, &a.buf, lo, hi) }

// Integers is ReadInt32 with a buffer of the caller. Several goroutines may call it at once,
// each with its own.
func (a *Array) Integers(dst []int32, buf *[]byte, lo, hi int) error {
	if !a.head.dtype.Integer() {
		return &problem.Problem{Place: a.name, Cause: "dtype " + string(a.head.dtype), Fix: "labels must be integers: store them as int32"}
	}
	return readTable(a, dst, buf, lo, hi, Int32, decodeInts)
}

// WideIntegers is Integers for numbers of 64 bits that are only compared: a uint64 beyond int64 becomes a negative number,
// which no smaller type has beside it.
func (a *Array) WideIntegers(dst []int64, buf *[]byte, lo, hi int) error {
	if !a.head.dtype.Integer() {
		return &problem.Problem{Place: a.name, Cause: "dtype " + string(a.head.dtype), Fix: "store integers"}
	}
	return readTable(a, dst, buf, lo, hi, Int64, func(dst []int64, src []byte, t DType) int {
		for i := range dst {
			dst[i], _ = integerAt(src, i, t)
		}
		return -1
	})
}

// Floats is ReadFloat32 or ReadFloat64 with a buffer of the caller. Several goroutines may
// call it at once, each with its own.
func Floats[T float32 | float64](a *Array, dst []T, buf *[]byte, lo, hi int) error {
	return readTable(a, dst, buf, lo, hi, floatType[T](), decodeFloats[T])
}

// MaskedFloats is Floats for numbers of which some are -Inf, which become mask and set found.
// Every other number that Floats rejects is an error.
func MaskedFloats[T float32 | float64](a *Array, dst []T, buf *[]byte, lo, hi int, mask T, found *bool) error {
	return readTable(a, dst, buf, lo, hi, floatType[T](), func(dst []T, src []byte, t DType) int { return decodeMasked(dst, src, t, mask, a.masks, found) })
}

// floatType is the type of the elements of a slice.
func floatType[T float32 | float64]() DType {
	if _, narrow := any(T(0)).(float32); narrow {
		return Float32
	}
	return Float64
}

// Each calls do with all rows as float64, in order, until it returns false.
func (a *Array) Each(do func(i int, row []float64) bool) error {
	return a.EachOf(&a.buf, 0, a.Rows(), nil, do)
}

// EachOf is Each for rows lo..hi-1, with a buffer of the caller. Where masked is not nil,
// numbers may be -Inf, which sets it.
func (a *Array) EachOf(buf *[]byte, lo, hi int, masked *bool, do func(i int, row []float64) bool) error {
	k := a.Cols()
	if k == 0 {
		return nil
	}
	step := 64 // many questions are answered by the first rows
	var block []float64
	for lo < hi {
		end := min(lo+step, hi)
		if n := (end - lo) * k; cap(block) < n {
			block = make([]float64, n)
		} else {
			block = block[:n]
		}
		var err error
		if masked == nil {
			err = Floats(a, block, buf, lo, end)
		} else {
			err = MaskedFloats(a, block, buf, lo, end, math.Inf(-1), masked)
		}
		if err != nil {
			return err
		}
		for row := range slices.Chunk(block, k) {
			if !do(lo, row) {
				return nil
			}
			lo++
		}
		step = max(1, (1<<17)/k)
	}
	return nil
}

// readTable reads rows lo..hi-1 into dst, whose elements are of type target.
func readTable[T float32 | float64 | int32 | int64](a *Array, dst []T, buf *[]byte, lo, hi int, target DType, decode func([]T, []byte, DType) int) error {
	cols := a.Cols()
	if lo < 0 || lo > hi || hi > a.Rows() || len(dst) != (hi-lo)*cols {
		panic(fmt.Sprintf("npy: rows %d..%d of %s into %d elements", lo, hi, Tuple(a.head.shape), len(dst)))
	}
	if len(dst) == 0 {
		return nil
	}
	if a.head.fortran {
		return readFortran(a, dst, buf, lo, hi, target, decode)
	}
	size := a.head.dtype.Size()
	inPlace := a.kept == nil && a.head.dtype == target && !a.head.bigEndian && !nativeBig // the bytes of the file are the values
	end := a.head.offset + int64(a.FileRow(hi-1)+1)*int64(cols)*int64(size)
	var window []byte // of the file, from byte start on
	var start int64
	done := 0
	for first, rows := range a.kept.between(lo, hi) {
		at := a.head.offset + int64(first)*int64(cols)*int64(size)
		for left := rows * cols; left > 0; {
			n := min(chunkBytes/size, left)
			part, length := dst[done:done+n], int64(n*size)
			var src []byte
			var err error
			switch {
			case inPlace:
				src = bytesOf(part)
				err = a.readFull(src, at)
			case at < start || at+length > start+int64(len(window)): // rows that are left out between others are read with them
				start = at
				window, err = a.read(buf, int(min(chunkBytes, end-at))/size, at)
				src = window[:min(length, int64(len(window)))] // none after an error
			default:
				src = window[at-start:][:length]
			}
			if err != nil {
				return err
			}
			bad := decode(part, src, a.head.dtype) // in place it only checks
			if bad >= 0 {
				return a.badValue(src, bad, lo+(done+bad)/cols, (done+bad)%cols, target)
			}
			done += n
			left -= n
			at += length
		}
	}
	return nil
}

// readFortran is readTable for column-major files. There the elements of one column of the
// table are together, as one strip, in Fortran order of the axes before the last. Each
// strip is read, and the elements of the wanted rows are decoded and copied to their places.
func readFortran[T float32 | float64 | int32 | int64](a *Array, dst []T, buf *[]byte, lo, hi int, target DType, decode func([]T, []byte, DType) int) error {
	cols, size, stored := a.Cols(), a.head.dtype.Size(), a.FileRows()
	start, end := a.FileRow(lo), a.FileRow(hi-1)+1
	to := make([]int, end-start) // the row of dst of each row of the file, -1 for none
	for i := range to {
		to[i] = -1
	}
	row := 0
	var again []int // rows of dst that are the row before once more
	for first, n := range a.kept.between(lo, hi) {
		for i := range n {
			if to[first-start+i] >= 0 {
				again = append(again, row)
			} else {
				to[first-start+i] = row
			}
			row++
		}
	}
	from, last := 0, stored // the part of the strip that may hold the wanted rows
	if len(a.head.shape) == 2 {
		from, last = start, end
	}
	at := make([]int, 0, min(chunkBytes/size, last-from)) // the row of dst of each wanted element of a piece
	piece := make([]T, cap(at))
	for j := range cols {
		for p := from; p < last; {
			n := min(cap(at), last-p)
			src, err := a.read(buf, n, a.head.offset+(int64(j)*int64(stored)+int64(p))*int64(size))
			if err != nil {
				return err
			}
			at = at[:0]
			for i := range n {
				row := a.rowOf(p + i)
				if row < start || row >= end || to[row-start] < 0 {
					continue
				}
				if len(at) < i {
					copy(src[len(at)*size:(len(at)+1)*size], src[i*size:])
				}
				at = append(at, to[row-start])
			}
			if bad := decode(piece[:len(at)], src[:len(at)*size], a.head.dtype); bad >= 0 {
				return a.badValue(src, bad, lo+at[bad], j, target)
			}
			for i, row := range at {
				dst[row*cols+j] = piece[i]
			}
			p += n
		}
	}
	for _, row := range again {
		copy(dst[row*cols:][:cols], dst[(row-1)*cols:])
	}
	return nil
}

// badValue is the error of an element of src, in a row and column of the array.
func (a *Array) badValue(src []byte, element, row, col int, target DType) error {
	return &problem.Problem{Place: a.name + ": " + a.Place(row, col), Cause: reason(src, element, a.head.dtype, target)}
}

// rowOf returns the row of the table that element p of a strip belongs to.
func (a *Array) rowOf(p int) int {
	lead := a.head.shape[:len(a.head.shape)-1]
	if len(lead) == 1 {
		return p
	}
	row, stride := 0, a.FileRows()
	for _, d := range lead {
		stride /= d
		row += p % d * stride
		p /= d
	}
	return row
}

// read reads n elements from offset at into the buffer, as little-endian.
func (a *Array) read(buf *[]byte, n int, at int64) ([]byte, error) {
	size := a.head.dtype.Size()
	if len(*buf) < n*size {
		*buf = make([]byte, n*size)
	}
	src := (*buf)[:n*size]
	if err := a.readFull(src, at); err != nil {
		return nil, err
	}
	if a.head.bigEndian {
		swapBytes(src, size)
	}
	return src, nil
}

func (a *Array) readFull(dst []byte, at int64) error {
	if err := readFull(a.from.Body, dst, at); err != nil {
		return problem.At(a.name, err)
	}
	return nil
}

// Place names an element: "row 5", "row 812, class 7", "view 2, row 5, class 7". The number is
// that of the row in the file.
func (a *Array) Place(row, col int) string {
	row = a.FileRow(row)
	switch len(a.head.shape) {
	case 0, 1:
		return fmt.Sprintf("row %d", row)
	case 2:
		if a.head.shape[1] == 1 {
			return fmt.Sprintf("row %d", row)
		}
		return fmt.Sprintf("row %d, %s %d", row, a.column, col)
	}
	n := a.head.shape[len(a.head.shape)-2]
	return fmt.Sprintf("view %d, row %d, %s %d", row/n, row%n, a.column, col)
}

// Unchanged returns an error if the file has been written to since it was opened:
// the values read may be a mixture of two versions.
func (a *Array) Unchanged() error {
	return a.from.Unchanged(a.name)
}
