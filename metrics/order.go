package metrics

import "math"

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

// sortFacts sorts by confidence: a radix sort, a byte at a time from the
// least, on the bits of the doubles, which order as integers because
// confidences are positive. Bytes that all rows share cost nothing.
func sortFacts(f *Facts) *order {
	n := f.N()
	type item struct {
		key uint64
		row int32
	}
	a, b := make([]item, n), make([]item, n)
	var count [8][256]int32
	for i, c := range f.Conf {
		key := math.Float64bits(c)
		a[i] = item{key, int32(i)}
		for d := range count {
			count[d][byte(key>>(8*d))]++
		}
	}
	for d := range count {
		if n == 0 || int(count[d][byte(a[0].key>>(8*d))]) == n {
			continue
		}
		start := int32(0)
		for v, c := range count[d] {
			count[d][v] = start
			start += c
		}
		for _, it := range a {
			v := byte(it.key >> (8 * d))
			b[count[d][v]] = it
			count[d][v]++
		}
		a, b = b, a
	}
	o := &order{conf: make([]float64, n), row: make([]int32, n), hit: make([]bool, n)}
	for j, it := range a {
		o.conf[j] = math.Float64frombits(it.key)
		o.row[j] = it.row
		o.hit[j] = f.Hit(int(it.row))
	}
	return o
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
