package metrics

import (
	"math"
	"math/bits"
	"slices"

	"github.com/qats-bench/qats/internal/kernel/draws"
)

// weighing computes the ECE-15 and AECE-15 of one method on resamples given as the
// number of times that each row was drawn. The order by confidence and the bins of
// equal width do not change with the resample, so they are computed once. A
// weighing belongs to one goroutine.
//
// Residuals conf - 1[correct] are kept as integers in units of 2^-shift, which is
// 2^-40 unless there are over four million rows. So sums are exact and independent
// of order, and values are within 5e-13 of those of ECE and AECE.
//
// Rows are read tile by tile, since the order by confidence leads to random places among
// the draws, and the draws of a large test set do not fit into the cache of a core. In a
// tile, rows have the order by confidence.
type weighing struct {
	row       []int32 // in sorted order
	weight    []int64 // in sorted order: the residual in units, + countUnit
	low, high []int32 // in sorted order: the first and the last row within the tie distance
	unit      float64
	bounds    []bound // the distinct equal-mass boundaries above 0, the last one n

	chunks []chunk   // of sorted rows, none in two equal-width bins
	width  []int     // the number of chunks up to the end of each non-empty equal-width bin
	before []tallies // scratch: the drawn rows before each chunk, and all of them

	tiles [][]int32 // of each tile: the ends of its rows of each chunk, in the order by tile
	place []uint16  // in the order by tile: the place of a row in its tile
	tiled []int64   // and its weight
}

// A chunk has chunkRows or fewer. Or it is rows of a block of ties in every resample: rows within the
// tie distance of each other and of no other row. Isotonic regression has few values, and so few of
// these.
type chunk struct {
	run
	block run // the chunks of the block of ties; none if it depends on the resample
}

// A bound is a number of drawn rows, and the chunk that has the row of that number in the
// whole sample. In a resample it is in a chunk nearby.
type bound struct{ rows, chunk int }

// lanes is the number of resamples that are weighed at a time.
const lanes = draws.Lanes

// times is how often a row is drawn in each lane. A row is drawn more than 255 times in
// a resample of n draws with probability below n/256!, about 1e-500.
type times = draws.Times

const (
	mostRows = 512     // the most rows of a chunk, of which far fewer than 2047 are drawn
	fewTied  = 8       // the fewest rows of a block of ties with chunks of its own
	tileRows = 1 << 16 // all that a place can name; their draws take 512 KiB
)

// chunkRows returns the most rows of a chunk without ties. With more rows a chunk, there are fewer sums to
// unpack, of each tile and chunk, and a longer walk to a boundary within a chunk. With one tile both take
// equal time at about sqrt(n/2) rows.
func chunkRows(n, tiles int) int { return min(8+int(math.Sqrt(float64(n*tiles)/2)), mostRows) }

// countUnit is added to each residual, so that one product counts the rows of a
// chunk and adds their residuals: |residual| <= 2^40, so the residuals of up to
// 2047 rows stay below countUnit/2.
const (
	countShift = 52
	countUnit  = 1 << countShift
)

// residualBits is the number of binary digits after the point of a residual: 40, or
// fewer where a sum of n residuals would overflow.
func residualBits(n int) int { return min(40, 62-bits.Len(uint(n))) }

func newWeighing(s *Samples) *weighing {
	const m = 15
	n := s.Len()
	shift := residualBits(n)
	w := &weighing{
		row: make([]int32, n), weight: make([]int64, n), low: make([]int32, n), high: make([]int32, n),
		unit: math.Ldexp(1, -shift),
	}
	low := 0
	for j, x := range s.sorted {
		c := x.conf
		if x.correct {
			c--
		}
		w.row[j], w.weight[j] = x.row, int64(math.Round(math.Ldexp(c, shift)))+countUnit
		for x.conf-s.sorted[low].conf > tie {
			low++
		}
		w.low[j] = int32(low)
	}
	for j, high := n-1, n-1; j >= 0; j-- {
		for int(w.low[high]) > j {
			high--
		}
		w.high[j] = int32(high)
	}
	tiles := (n + tileRows - 1) / tileRows
	for _, bin := range widthLayout(s.sorted, m).runs {
		w.divide(bin, chunkRows(n, tiles))
		w.width = append(w.width, len(w.chunks))
	}
	w.before = make([]tallies, len(w.chunks)+1)
	w.tile(tiles)
	for b, c, last := 1, 0, 0; b <= m; b++ {
		rows := massBoundary(b, n, m)
		if rows == last {
			continue
		}
		for w.chunks[c].hi < rows {
			c++
		}
		w.bounds, last = append(w.bounds, bound{rows, c}), rows
	}
	return w
}

// divide adds the chunks of a bin of equal width. Those without ties have at most so many rows.
func (w *weighing) divide(bin run, most int) {
	next := bin.lo // the first row without a chunk
	chunks := func(end, most int) {
		for ; next < end; next = min(next+most, end) {
			w.chunks = append(w.chunks, chunk{run: run{next, min(next+most, end)}})
		}
	}
	for lo := bin.lo; lo < bin.hi; {
		hi := int(w.high[lo]) + 1
		if hi-lo >= fewTied && hi <= bin.hi && int(w.low[lo]) == lo && int(w.high[hi-1]) == hi-1 {
			chunks(lo, most)
			first := len(w.chunks)
			chunks(hi, mostRows)
			for c := first; c < len(w.chunks); c++ {
				w.chunks[c].block = run{first, len(w.chunks)}
			}
		}
		lo = hi
	}
	chunks(bin.hi, most)
}

// tile orders the rows by tile, and within a tile by confidence.
func (w *weighing) tile(tiles int) {
	n := len(w.row)
	w.tiles, w.place, w.tiled = make([][]int32, tiles), make([]uint16, n), w.weight
	if tiles > 1 {
		w.tiled = make([]int64, n)
	}
	next := make([]int, tiles)
	for t := range next {
		next[t] = t * tileRows // the rows of the tiles before
		w.tiles[t] = make([]int32, len(w.chunks))
	}
	for c, chunk := range w.chunks {
		for j := chunk.lo; j < chunk.hi; j++ {
			t := int(w.row[j]) / tileRows
			w.place[next[t]], w.tiled[next[t]] = uint16(int(w.row[j])-t*tileRows), w.weight[j]
			next[t]++
		}
		for t := range next {
			w.tiles[t][c] = int32(next[t])
		}
	}
}

// tally is a place in a resample: the drawn rows up to it and their residuals.
type tally struct {
	rows int
	sum  int64
}

// plus returns the tally after more rows, of which the sum of weights is given.
func (t tally) plus(weights int64) tally {
	rows := (weights + countUnit/2) >> countShift
	return tally{t.rows + int(rows), t.sum + weights - rows<<countShift}
}

// tallies are one place in the resample of each lane.
type tallies [lanes]tally

// weigh reads the resamples in which row i is drawn drawn[i] times in each lane, n
// rows in all. It adds up the chunks; ece and aece do the rest.
func (w *weighing) weigh(drawn []times) {
	drawn = drawn[:len(w.row)] // draws.Sums reads any of these without a look
	for t, ends := range w.tiles {
		lo := t * tileRows
		tile := drawn[lo:]
		var total, none tallies // of the tile
		for c, end := range ends {
			sums := draws.Sums(tile, w.place[lo:end], w.tiled[lo:end])
			lo = int(end)
			next := &w.before[c+1]
			others := next // of the tiles before
			if t == 0 {
				others = &none
			}
			for lane, sum := range sums {
				total[lane] = total[lane].plus(sum)
				next[lane] = tally{others[lane].rows + total[lane].rows, others[lane].sum + total[lane].sum}
			}
		}
	}
}

// ece returns the ECE of the resample in each lane.
func (w *weighing) ece([]times) (values [lanes]float64) {
	var absolute [lanes]int64
	last := &w.before[0]
	for _, end := range w.width {
		for lane, at := range w.before[end] {
			gap := at.sum - last[lane].sum
			absolute[lane] += max(gap, -gap)
		}
		last = &w.before[end]
	}
	for lane, sum := range absolute {
		values[lane] = float64(sum) * w.unit / float64(len(w.row))
	}
	return values
}

// aece returns the AECE of the resample in each lane. Sums of residuals are read off where
// the number of drawn rows reaches the boundaries of equal mass. All lanes look for a
// boundary in nearly the same rows.
func (w *weighing) aece(drawn []times) (values [lanes]float64) {
	var bins [lanes]struct {
		start tally   // start of the current bin
		share float64 // fraction of the sum at start, where it cuts a block
		cut   ties    // the block of ties at the boundary before
	}
	for _, b := range w.bounds {
		for lane := range bins {
			bin := &bins[lane]
			if b.rows >= bin.cut.after.rows {
				bin.cut = w.ties(drawn, lane, b)
			}
			before, after := bin.cut.before, bin.cut.after
			inside := int64(b.rows-after.rows) >> 63 // -1 where the boundary cuts the block, else 0
			end := after.sum + (before.sum-after.sum)&inside
			share := float64(float64((after.sum-before.sum)&inside) * (float64(b.rows-before.rows) / float64(after.rows-before.rows)))
			values[lane] += math.Abs(float64(end-bin.start.sum)+(share-bin.share)) / float64(b.rows-bin.start.rows)
			bin.start, bin.share = tally{b.rows, end}, share
		}
	}
	for lane := range values {
		values[lane] = values[lane] * w.unit / float64(len(w.bounds))
	}
	return values
}

// ties is a block of ties in a resample: the drawn rows before it, and those up to its end.
type ties struct{ before, after tally }

// ties returns the block, among the rows drawn in a lane, that holds the drawn row of a bound.
func (w *weighing) ties(drawn []times, lane int, b bound) ties {
	c := b.chunk
	for c > 0 && w.before[c][lane].rows >= b.rows {
		c--
	}
	for w.before[c+1][lane].rows < b.rows {
		c++
	}
	if of := w.chunks[c].block; of.hi > 0 {
		return ties{w.before[of.lo][lane], w.before[of.hi][lane]}
	}
	at, rows, weight := w.before[c][lane], w.row[w.chunks[c].lo:w.chunks[c].hi], w.weight[w.chunks[c].lo:]
	least := int64(b.rows-at.rows)<<countShift - countUnit/2 // of the sum of weights up to that row
	j, sum, term := w.chunks[c].lo-1, int64(0), int64(0)
	for i := 0; sum < least; i++ {
		term = int64(drawn[rows[i]][lane]) * weight[i]
		sum += term
		j++
	}
	first, last := j, j
	for end := int(w.low[first]); end < first; end = int(w.low[first]) {
		for ; drawn[w.row[end]][lane] == 0; end++ {
		}
		if end == first {
			break
		}
		first = end
	}
	for end := int(w.high[last]); end > last; end = int(w.high[last]) {
		for ; drawn[w.row[end]][lane] == 0; end-- {
		}
		if end == last {
			break
		}
		last = end
	}
	if first == last {
		return ties{at.plus(sum - term), at.plus(sum)}
	}
	return ties{w.upTo(drawn, lane, first), w.upTo(drawn, lane, last+1)}
}

// upTo returns the tally of the drawn rows before row j in the order by confidence.
func (w *weighing) upTo(drawn []times, lane, j int) tally {
	c, end := slices.BinarySearchFunc(w.chunks, j, func(c chunk, j int) int { return c.hi - j })
	if end {
		return w.before[c+1][lane]
	}
	sum, lo := int64(0), w.chunks[c].lo
	for i, row := range w.row[lo:j] {
		sum += int64(drawn[row][lane]) * w.weight[lo+i]
	}
	return w.before[c][lane].plus(sum)
}
