package npy

import (
	"iter"
	"sort"
)

// Kept says which rows of some files belong to a set, in their order: those whose labels are
// not ignored, each as often as its weight says. A nil Kept has all rows once. The rows stand in runs, since rows that are left out
// mostly stand together, such as the void pixels at the edges of a segmentation.
type Kept struct {
	all  int // rows of the files
	n    int // rows of the set
	runs []keptRun
}

// keptRun is the beginning of rows that stand together in the files.
type keptRun struct {
	file int // the first row, in the files
	row  int // the same row, in the set
}

// NewKept returns no row of files with n rows. Add adds some.
func NewKept(n int) *Kept { return &Kept{all: n} }

// Add appends row i of the files, which is the one that was added last or a later one.
func (k *Kept) Add(i int) {
	last := len(k.runs) - 1
	if last < 0 || i != k.runs[last].file+k.n-k.runs[last].row {
		k.runs = append(k.runs, keptRun{i, k.n})
	}
	k.n++
}

// Rows returns the number of rows that were added.
func (k *Kept) Rows() int { return k.n }

// FileRows returns the rows of the files of a set of n rows: n where none is left out.
func (k *Kept) FileRows(n int) int {
	if k == nil {
		return n
	}
	return k.all
}

// FileRow returns the row of the files that is row i of the set: another one where rows
// before it are left out. The views of a set follow each other, in the files too.
func (k *Kept) FileRow(i int) int {
	if k == nil {
		return i
	}
	run := k.runs[k.find(i%k.n)]
	return i/k.n*k.all + run.file + i%k.n - run.row
}

// find returns the run that has row i of the set.
func (k *Kept) find(i int) int {
	return sort.Search(len(k.runs), func(j int) bool { return k.runs[j].row > i }) - 1
}

// between yields rows lo..hi-1 of the set as rows of the files that stand together: the
// first of them and their number.
func (k *Kept) between(lo, hi int) iter.Seq2[int, int] {
	return func(yield func(first, n int) bool) {
		if k == nil {
			if lo < hi {
				yield(lo, hi-lo)
			}
			return
		}
		for lo < hi {
			j := k.find(lo % k.n)
			end := k.n
			if j+1 < len(k.runs) {
				end = k.runs[j+1].row
			}
			n := min(end-lo%k.n, hi-lo)
			if !yield(k.FileRow(lo), n) {
				return
			}
			lo += n
		}
	}
}

// FileRows is Rows with the rows that are left out.
func (a *Array) FileRows() int {
	n := 1
	for i, d := range a.head.shape {
		if i == 0 || i < len(a.head.shape)-1 {
			n *= d
		}
	}
	return n
}

// FileRow returns the row of the file that is row i of the array: another one where rows before
// it are left out.
func (a *Array) FileRow(i int) int { return a.kept.FileRow(i) }
