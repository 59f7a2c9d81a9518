package data

import (
	"fmt"
	"math/bits"
	"sort"
)

// keptRows are the rows of the files of a set that belong to it, in their order: one bit a
// row, and a count for each 512 rows.
type keptRows struct {
	n, all int      // kept rows, and rows of the files
	words  []uint64 // bit i%64 of word i/64: row i is kept
	before []int    // kept rows before word 8j
}

// wordsOfCount is the number of words between two counts.
const wordsOfCount = 8

// keepAll returns n rows that are all kept.
func keepAll(n int) *keptRows { return &keptRows{n: n, all: n} }

// drop leaves out row i, which is called once for a row.
func (k *keptRows) drop(i int) {
	if k.words == nil {
		k.words = make([]uint64, (k.all+63)/64)
		for j := range k.words {
			k.words[j] = ^uint64(0)
		}
	}
	k.words[i/64] &^= 1 << (i % 64)
	k.n--
}

// count is called after the last drop.
func (k *keptRows) count() {
	sum := 0
	for j, w := range k.words {
		if j%wordsOfCount == 0 {
			k.before = append(k.before, sum)
		}
		sum += bits.OnesCount64(w)
	}
}

// has reports whether row i of the files is kept.
func (k *keptRows) has(i int) bool { return k.words[i/64]>>(i%64)&1 != 0 }

// row returns the row of the files that is kept row i.
func (k *keptRows) row(i int) int {
	block := sort.SearchInts(k.before, i+1) - 1 // the last one with at most i rows before it
	word := block * wordsOfCount
	i -= k.before[block]
	for {
		w := k.words[word]
		if n := bits.OnesCount64(w); i >= n {
			i -= n
			word++
			continue
		}
		for ; i > 0; i-- {
			w &= w - 1
		}
		return word*64 + bits.TrailingZeros64(w)
	}
}

// Follow makes a, which has one row for each row of the files that r reads, leave out the
// rows that r leaves out: labels that are ignored. It is an error if a has another number of
// rows, also where r reads no files.
func (a *Array) Follow(r Reader) error {
	if n, rows := a.storedRows(), FileRows(r); n != rows {
		return &Problem{Place: a.name, Cause: fmt.Sprintf("%d rows; the set has %d", n, rows)}
	}
	if files := filesOf(r); files != nil {
		a.kept = files.kept
	}
	return nil
}

// FileRows returns the number of rows of the files that r reads, with those that are left out.
// Where none is, it is Rows.
func FileRows(r Reader) int {
	if files := filesOf(r); files != nil && files.kept != nil {
		return files.kept.all
	}
	return r.Rows()
}

// storedRows is Rows of the file, with the rows that are left out.
func (a *Array) storedRows() int {
	n := 1
	for i, d := range a.shape {
		if i == 0 || i < len(a.shape)-1 {
			n *= d
		}
	}
	return n
}

// FileRow returns the row of the file that is row i of the array: another one where rows before
// it are left out.
func (a *Array) FileRow(i int) int {
	if a.kept == nil {
		return i
	}
	return i/a.kept.n*a.kept.all + a.kept.row(i%a.kept.n)
}

// isKept reports whether a row of the file is a row of the array.
func (a *Array) isKept(stored int) bool { return a.kept.has(stored % a.kept.all) }

// readKept is readTable for an array some of whose rows are left out. The bytes of these rows
// are read with the others and not decoded, so their values are not checked.
func readKept[T float32 | float64 | int32](a *Array, dst []T, buf *[]byte, lo, hi int, target DType, decode func([]T, []byte, DType) int) error {
	cols, size := a.Cols(), a.dtype.Size()
	width := cols * size
	step := max(1, chunkBytes/width)
	next, last := a.FileRow(lo), a.FileRow(hi-1)
	for done := 0; done < len(dst); {
		for !a.isKept(next) {
			next++
		}
		rows := min(step, last+1-next)
		src, err := a.read(buf, rows*cols, a.offset+int64(next)*int64(width))
		if err != nil {
			return err
		}
		kept := 0
		for i := range rows {
			if a.isKept(next + i) {
				if kept != i {
					copy(src[kept*width:(kept+1)*width], src[i*width:])
				}
				kept++
			}
		}
		src = src[:kept*width]
		if bad := decode(dst[done:done+kept*cols], src, a.dtype); bad >= 0 {
			return a.badValue(src, bad, lo+(done+bad)/cols, (done+bad)%cols, target)
		}
		done += kept * cols
		next += rows
	}
	return nil
}

// readFortranKept is readFortran for an array some of whose rows are left out.
func readFortranKept[T float32 | float64 | int32](a *Array, dst []T, buf *[]byte, lo, hi int, target DType, decode func([]T, []byte, DType) int) error {
	cols, size := a.Cols(), a.dtype.Size()
	stored := a.storedRows()
	start, end := a.FileRow(lo), a.FileRow(hi-1)+1
	first, last := 0, stored
	if len(a.shape) == 2 {
		first, last = start, end
	}
	at := make([]int, 0, min(chunkBytes/size, last-first)) // the row of dst of each element of the piece
	piece := make([]T, cap(at))
	ranks := make([]int, end-start) // the row of dst of each stored row
	for i, rank := start, 0; i < end; i++ {
		if ranks[i-start] = -1; a.isKept(i) {
			ranks[i-start] = rank
			rank++
		}
	}
	for j := range cols {
		for p := first; p < last; {
			n := min(cap(at), last-p)
			src, err := a.read(buf, n, a.offset+(int64(j)*int64(stored)+int64(p))*int64(size))
			if err != nil {
				return err
			}
			at = at[:0]
			for i := range n {
				row := a.rowOf(p + i)
				if row < start || row >= end || ranks[row-start] < 0 {
					continue
				}
				copy(src[len(at)*size:(len(at)+1)*size], src[i*size:])
				at = append(at, ranks[row-start])
			}
			if bad := decode(piece[:len(at)], src[:len(at)*size], a.dtype); bad >= 0 {
				return a.badValue(src, bad, lo+at[bad], j, target)
			}
			for i, row := range at {
				dst[row*cols+j] = piece[i]
			}
			p += n
		}
	}
	return nil
}

// badValue is the error of an element of src, in a row and column of the array.
func (a *Array) badValue(src []byte, element, row, col int, target DType) error {
	return &Problem{Place: a.name + ": " + a.place(row, col), Cause: reason(src, element, a.dtype, target)}
}
