package isotonic

import (
	"math"
	"math/bits"

	"github.com/qats-bench/qats/calib/internal/fit"
)

// finder counts the elements of an increasing list of stretched probabilities that are at
// or below some x. A table on the leading bits of x narrows the search for x below 1. The
// longer the list, the narrower are its buckets, relative to x, down to 2^-32. Nearly all
// of the n k probabilities of a set are small and lie where the list has few elements; at
// most one of a row has x above 1/2. The table takes at most 8 bytes an element.
type finder struct {
	list  []float64
	start []uint32 // start[b]: elements in the buckets before b; nil for a short list
	shift int      // number of low bits of x that buckets ignore
}

// newFinder returns a finder in an increasing list of numbers >= 0.
func newFinder(list []float64) finder {
	const octaves = 32
	f := finder{list: list}
	if len(list) < 2*octaves {
		return f
	}
	f.shift = 52 - bits.Len(uint(len(list)/(2*octaves))) // 2^(52-shift) buckets an octave
	last := f.bucket(1)
	f.start = make([]uint32, last+2)
	for _, x := range list {
		f.start[f.bucket(x)+1]++
	}
	for b := range last + 1 {
		f.start[b+1] += f.start[b]
	}
	return f
}

// bucket returns the bucket of x >= 0, nondecreasing in x.
func (f *finder) bucket(x float64) int {
	const lowest, one = (1023 - 32) << 52, 1023 << 52 // bits of 2^-32 and 1
	return int((min(max(int64(math.Float64bits(x)), lowest), one) - lowest) >> f.shift)
}

// UpTo returns the number of elements at or below x >= 0.
func (f *finder) UpTo(x float64) int {
	if f.start == nil {
		return fit.UpTo(f.list, x)
	}
	b := f.bucket(x)
	lo, hi := f.start[b], f.start[b+1]
	return int(lo) + fit.UpTo(f.list[lo:hi], x)
}
