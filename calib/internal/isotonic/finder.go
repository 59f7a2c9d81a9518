package isotonic

import (
	"math"
	"math/bits"
	"sort"
)

// Finder counts the elements of an increasing list in [0, 1] that are at or
// below some x. A table on the leading bits of x narrows the search. The longer the
// list, the narrower are its buckets, relative to x, down to 2^-32. Nearly all of the
// n k probabilities of a set are small and lie where the list has few elements. The
// table takes at most 8 bytes an element.
type Finder struct {
	list  []float64
	start []uint32 // start[b]: elements in the buckets before b; nil for a short list
	shift int      // number of low bits of x that buckets ignore
}

// NewFinder returns a finder in an increasing list in [0, 1].
func NewFinder(list []float64) Finder {
	const octaves = 32
	f := Finder{list: list}
	if len(list) < 2*octaves {
		return f
	}
	f.shift = 52 - bits.Len(uint(len(list)/(2*octaves))) // 2^(52-shift) buckets an octave
	f.start = make([]uint32, f.bucket(1)+2)
	for _, x := range list {
		f.start[f.bucket(x)+1]++
	}
	for b := range f.bucket(1) + 1 {
		f.start[b+1] += f.start[b]
	}
	return f
}

// bucket returns the bucket of x in [0, 1], nondecreasing in x.
func (f *Finder) bucket(x float64) int {
	const lowest = (1023 - 32) << 52 // bits of 2^-32
	return int(max(int64(math.Float64bits(x))-lowest, 0) >> f.shift)
}

// UpTo returns the number of elements at or below x, in [0, 1].
func (f *Finder) UpTo(x float64) int {
	if f.start == nil {
		return UpTo(f.list, x)
	}
	b := f.bucket(x)
	lo, hi := f.start[b], f.start[b+1]
	return int(lo) + UpTo(f.list[lo:hi], x)
}

// UpTo returns the number of elements of the increasing list at or below x.
func UpTo(list []float64, x float64) int {
	return sort.Search(len(list), func(i int) bool { return list[i] > x })
}
