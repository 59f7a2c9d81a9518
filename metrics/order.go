package metrics

import (
	"cmp"
	"math"
	"slices"
)

// tie is the distance up to which two confidences are one: rounding, of a
// float32 file or of another processor's exp, must not decide on which side
// of an equal-mass boundary a row falls.
const tie = 1e-9

// order is a view of facts by increasing confidence.
type order struct {
	conf []float64
	row  []int32 // place in the facts; increasing among equal confidences
	hit  []bool
}

// sortFacts sorts by confidence, rows of equal confidence by their number. A
// radix sort in three passes on 32 bits of the distance to 1, whose leading
// bits tell saturated confidences apart where those of the confidence itself
// are all alike; a pass in which all rows agree is left out. The few that 32
// bits do not tell apart are put in order afterwards.
func sortFacts(f *Facts) *order {
	n := f.N()
	a, b := make([]uint64, n), make([]uint64, n)
	var count [3][1 << digitBits]int32
	for i, c := range f.Conf {
		item := uint64(sortKey(c))<<32 | uint64(i)<<1
		if f.Pred[i] == f.Label[i] {
			item |= 1
		}
		a[i] = item
		count[0][digit(item, 0)]++
		count[1][digit(item, 1)]++
		count[2][digit(item, 2)]++
	}
	for d := range count {
		if n == 0 || int(count[d][digit(a[0], d)]) == n {
			continue
		}
		place := &count[d]
		start := int32(0)
		for v, c := range place {
			place[v] = start
			start += c
		}
		for _, item := range a {
			p := &place[digit(item, d)]
			b[*p] = item
			*p++
		}
		a, b = b, a
	}
	finishSort(f, a)
	o := &order{conf: make([]float64, n), row: make([]int32, n), hit: make([]bool, n)}
	for j, item := range a {
		row := itemRow(item)
		o.conf[j], o.row[j], o.hit[j] = f.Conf[row], int32(row), item&1 == 1
	}
	return o
}

const digitBits = 11

// itemRow returns the row of an item: 32 bits of key, 31 of row, 1 of hit.
func itemRow(item uint64) uint32 { return uint32(item) >> 1 }

// digit returns digit d of the key of an item, 0 the least.
func digit(item uint64, d int) uint64 { return item >> (32 + digitBits*d) & (1<<digitBits - 1) }

// sortKey returns a number that does not fall as conf, in [0, 1], grows: the
// bits of 1 - conf, from 2^-53, the least above 0, to 26 bits after the first.
func sortKey(conf float64) uint32 {
	const shift, least = 26, 969 << 26
	return ^uint32(max(int64(math.Float64bits(1-conf)>>shift)-least, 0))
}

// finishSort puts the items of equal keys in order.
func finishSort(f *Facts, items []uint64) {
	for lo := 0; lo < len(items); {
		hi, sorted := lo+1, true
		for ; hi < len(items) && items[hi]>>32 == items[lo]>>32; hi++ {
			sorted = sorted && f.Conf[itemRow(items[hi-1])] <= f.Conf[itemRow(items[hi])]
		}
		if !sorted {
			slices.SortFunc(items[lo:hi], func(x, y uint64) int {
				i, j := itemRow(x), itemRow(y)
				return cmp.Or(cmp.Compare(f.Conf[i], f.Conf[j]), cmp.Compare(i, j))
			})
		}
		lo = hi
	}
}

// blockAcross returns the ends of the tied block, in which each confidence is
// within tie of the one before it, that has rows on both sides of position p;
// or p, p where there is none.
func (o *order) blockAcross(p int) (start, end int) {
	start, end = p, p
	for start > 0 && start < len(o.conf) && o.conf[start]-o.conf[start-1] <= tie {
		start--
	}
	if start == p {
		return p, p
	}
	for end < len(o.conf) && o.conf[end]-o.conf[end-1] <= tie {
		end++
	}
	return start, end
}
