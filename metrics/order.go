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

// Memory is what one Input leaves to the next one: scratch for sorting and the
// sorted rows. The zero Memory is ready for use, by one goroutine.
type Memory struct {
	items, spare []uint64
	sorted       order
}

// Bytes is its size.
func (m *Memory) Bytes() int64 {
	return int64(8*(cap(m.items)+cap(m.spare)+cap(m.sorted.conf)) + 4*cap(m.sorted.row) + cap(m.sorted.hit))
}

// sortFacts sorts by confidence, rows of equal confidence by their number.
func sortFacts(f *Facts) *order { return new(Memory).sort(f) }

// sort is sortFacts; what it returns lasts until the next call. A radix sort on
// 32 bits of the distance to 1, whose leading bits tell saturated confidences
// apart where those of the confidence itself are all alike, in three passes or,
// of few rows, in two on the upper 21 bits; a pass in which all rows agree is
// left out. The few that are not told apart are inserted where they belong; where
// they are not few, they are sorted.
func (m *Memory) sort(f *Facts) *order {
	n, last := f.N(), 0
	if n < fewRows {
		last = 1
	}
	m.items, m.spare = slices.Grow(m.items[:0], n)[:n], slices.Grow(m.spare[:0], n)[:n]
	a, b := m.items, m.spare
	var count [3][1 << digitBits]int32
	pred, label := f.Pred[:n], f.Label[:n]
	for i, c := range f.Conf {
		item := uint64(sortKey(c))<<32 | uint64(i)<<1
		if pred[i] == label[i] {
			item |= 1
		}
		a[i] = item
		count[1][digit(item, 1)]++
		count[2][digit(item, 2)]++
	}
	if last == 0 {
		for _, item := range a {
			count[0][digit(item, 0)]++
		}
	}
	for d := last; d < len(count); d++ {
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
	o := &m.sorted
	o.conf, o.row, o.hit = slices.Grow(o.conf[:0], n)[:n], slices.Grow(o.row[:0], n)[:n], slices.Grow(o.hit[:0], n)[:n]
	o.place(f, a, 0)
	moves := 0
	for j := 1; j < n; j++ {
		if o.conf[j] >= o.conf[j-1] {
			continue
		}
		if moves += o.insert(j); moves > 4*n { // too many rows with the same bits
			j = o.finish(f, a, j, 32+digitBits*last)
		}
	}
	return o
}

const (
	digitBits = 11
	fewRows   = 1 << 18
)

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

// place writes the rows of items to o from lo on.
func (o *order) place(f *Facts, items []uint64, lo int) {
	conf, row, hit := o.conf[lo:][:len(items)], o.row[lo:][:len(items)], o.hit[lo:][:len(items)]
	for j, item := range items {
		i := itemRow(item)
		conf[j], row[j], hit[j] = f.Conf[i], int32(i), item&1 == 1
	}
}

// insert moves place j down to where it belongs among those before it, and
// returns by how many places.
func (o *order) insert(j int) int {
	conf, row, hit := o.conf[j], o.row[j], o.hit[j]
	i := j
	for ; i > 0 && o.conf[i-1] > conf; i-- {
		o.conf[i], o.row[i], o.hit[i] = o.conf[i-1], o.row[i-1], o.hit[i-1]
	}
	o.conf[i], o.row[i], o.hit[i] = conf, row, hit
	return j - i
}

// finish puts the items in order that agree with item j above bit shift, and
// returns the last of them.
func (o *order) finish(f *Facts, items []uint64, j, shift int) int {
	lo, hi := j, j+1
	for lo > 0 && items[lo-1]>>shift == items[j]>>shift {
		lo--
	}
	for hi < len(items) && items[hi]>>shift == items[j]>>shift {
		hi++
	}
	slices.SortFunc(items[lo:hi], func(x, y uint64) int {
		i, j := itemRow(x), itemRow(y)
		return cmp.Or(cmp.Compare(f.Conf[i], f.Conf[j]), cmp.Compare(i, j))
	})
	o.place(f, items[lo:hi], lo)
	return hi - 1
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
