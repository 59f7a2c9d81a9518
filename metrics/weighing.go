package metrics

import (
	"math"
	"math/bits"

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
	conf     []float64 // sorted
	row      []int32
	residual []int64 // in sorted order, in units
	unit     float64
	bounds   []bound // the distinct equal-mass boundaries above 0, the last one n

	chunks []chunk   // of sorted rows, none in two equal-width bins
	width  []int     // the number of chunks up to the end of each non-empty equal-width bin
	before []tallies // scratch: the drawn rows before each chunk, and all of them

	pieces [][]piece // of each tile: its rows of each chunk, those of one chunk in one piece or more
	place  []uint16  // in the order of pieces: the place of a row in its tile
	weight []int64   // and its residual + countUnit
}

// A chunk has chunkRows in each tile on average, or fewer. Or it is a block of ties in every
// resample: rows within the tie distance of each other and of no other row. Isotonic regression has
// few values, and so few of these.
type chunk struct {
	run
	tied bool
}

// A bound is a number of drawn rows, and the chunk that has the row of that number in the
// whole sample. In a resample it is in a chunk nearby.
type bound struct{ rows, chunk int }

// A piece is rows of one tile and one chunk. The first of them follows the rows of the piece
// before.
type piece struct {
	chunk int32
	end   int32 // the number of rows up to its end, in the order of pieces
}

// lanes is the number of resamples that are weighed at a time.
const lanes = draws.Lanes

// times is how often a row is drawn in each lane. A row is drawn more than 255 times in
// a resample of n draws with probability below n/256!, about 1e-500.
type times = draws.Times

const (
	chunkRows = 32
	fewTied   = 8       // the fewest rows of a chunk of ties
	pieceRows = 512     // the most rows of a piece, in which far fewer than 2047 are drawn
	tileRows  = 1 << 15 // their draws take 256 KiB
)

// countUnit is added to each residual, so that one product counts the rows of a
// piece and adds their residuals: |residual| <= 2^40, so the residuals of up to
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
	w := &weighing{conf: make([]float64, n), row: make([]int32, n), residual: make([]int64, n), unit: math.Ldexp(1, -shift)}
	for j, x := range s.sorted {
		w.conf[j], w.row[j] = x.conf, x.row
		c := x.conf
		if x.correct {
			c--
		}
		w.residual[j] = int64(math.Round(math.Ldexp(c, shift)))
	}
	tiles := (n + tileRows - 1) / tileRows
	for _, bin := range widthLayout(s.sorted, m).runs {
		w.divide(bin, chunkRows*tiles)
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
	chunks := func(end int) {
		for ; next < end; next = min(next+most, end) {
			w.chunks = append(w.chunks, chunk{run: run{next, min(next+most, end)}})
		}
	}
	for lo := bin.lo; lo < bin.hi; {
		hi := lo + 1
		for ; hi < bin.hi && w.conf[hi]-w.conf[hi-1] <= tie; hi++ {
		}
		apart := (lo == 0 || w.conf[lo]-w.conf[lo-1] > tie) && (hi == len(w.conf) || w.conf[hi]-w.conf[hi-1] > tie)
		if apart && hi-lo >= fewTied && w.conf[hi-1]-w.conf[lo] <= tie {
			chunks(lo)
			w.chunks = append(w.chunks, chunk{run{lo, hi}, true})
			next = hi
		}
		lo = hi
	}
	chunks(bin.hi)
}

// tile orders the rows by tile, and within a tile by confidence.
func (w *weighing) tile(tiles int) {
	n := len(w.row)
	w.pieces, w.place, w.weight = make([][]piece, tiles), make([]uint16, n), make([]int64, n)
	next, start := make([]int, tiles), make([]int, tiles) // the next place, and the start of the last piece
	for t := range next {
		next[t] = t * tileRows // the rows of the tiles before
	}
	for c, chunk := range w.chunks {
		for j := chunk.lo; j < chunk.hi; j++ {
			t := int(w.row[j]) / tileRows
			to, last := next[t], len(w.pieces[t])-1
			w.place[to], w.weight[to] = uint16(int(w.row[j])-t*tileRows), w.residual[j]+countUnit
			next[t]++
			if last < 0 || w.pieces[t][last].chunk != int32(c) || to-start[t] == pieceRows {
				w.pieces[t], start[t] = append(w.pieces[t], piece{int32(c), int32(next[t])}), to
			} else {
				w.pieces[t][last].end++
			}
		}
	}
}

// tally is a place in a resample: the drawn rows up to it and their residuals.
type tally struct {
	rows int
	sum  int64
}

// tallies are one place in the resample of each lane.
type tallies [lanes]tally

// weigh reads the resamples in which row i is drawn drawn[i] times in each lane, n
// rows in all. It adds up the chunks; ece and aece do the rest.
func (w *weighing) weigh(drawn []times) {
	clear(w.before)
	drawn = drawn[:len(w.row)] // draws.Sums reads any of these without a look
	for t, list := range w.pieces {
		lo := t * tileRows
		tile := drawn[lo:]
		for _, p := range list {
			sums := draws.Sums(tile, w.place[lo:p.end], w.weight[lo:p.end])
			chunk := &w.before[p.chunk+1]
			for lane, sum := range sums {
				rows := (sum + countUnit/2) >> countShift
				chunk[lane].rows += int(rows)
				chunk[lane].sum += sum - rows<<countShift
			}
			lo = int(p.end)
		}
	}
	for c := range w.chunks {
		at, next := &w.before[c], &w.before[c+1]
		for lane := range next {
			next[lane].rows += at[lane].rows
			next[lane].sum += at[lane].sum
		}
	}
}

// ece returns the ECE of the resample in a lane.
func (w *weighing) ece(_ []times, lane int) float64 {
	absolute, last := int64(0), int64(0)
	for _, end := range w.width {
		s := w.before[end][lane].sum
		absolute += max(s-last, last-s)
		last = s
	}
	return float64(absolute) * w.unit / float64(len(w.row))
}

// aece returns the AECE of the resample in a lane. Sums of residuals are read off
// where the number of drawn rows reaches the boundaries of equal mass.
func (w *weighing) aece(drawn []times, lane int) float64 {
	var start tally        // start of the current bin
	var startShare float64 // fraction of the sum at start, where it cuts a block
	var block [2]tally     // ends of the tied block that a boundary cut last
	aece := 0.0
	for _, b := range w.bounds {
		bound := b.rows
		if bound >= block[1].rows {
			c := b.chunk
			for c > 0 && w.before[c][lane].rows >= bound {
				c--
			}
			for w.before[c+1][lane].rows < bound {
				c++
			}
			if w.chunks[c].tied {
				block = [2]tally{w.before[c][lane], w.before[c+1][lane]}
			} else {
				block = w.block(drawn, lane, c, bound)
			}
		}
		end, share := block[1].sum, 0.0
		if bound < block[1].rows {
			end = block[0].sum
			share = float64(block[1].sum-block[0].sum) * (float64(bound-block[0].rows) / float64(block[1].rows-block[0].rows))
		}
		aece += math.Abs(float64(end-start.sum)+(share-startShare)) / float64(bound-start.rows)
		start, startShare = tally{bound, end}, share
	}
	return aece * w.unit / float64(len(w.bounds))
}

// block returns the tallies before and after the block of ties, among the rows
// drawn in a lane, that holds drawn row number bound, counted from 1. That row is
// in chunk c.
func (w *weighing) block(drawn []times, lane, c, bound int) [2]tally {
	at := w.before[c][lane]
	j := w.chunks[c].lo
	for ; ; j++ {
		k := int(drawn[w.row[j]][lane])
		at.rows += k
		at.sum += int64(k) * w.residual[j]
		if at.rows >= bound {
			break
		}
	}
	before, after := at, at
	// A chunk of which every row is within the tie distance is passed in one step.
	last := w.conf[j]
	for i, c := j, c; i >= 0 && last-w.conf[i] <= tie; i-- {
		if i < w.chunks[c].lo {
			c--
			if lo := w.chunks[c].lo; last-w.conf[lo] <= tie {
				if before = w.before[c][lane]; before.rows < w.before[c+1][lane].rows {
					for i = lo; drawn[w.row[i]][lane] == 0; i++ {
					}
					last = w.conf[i]
				}
				i = lo
				continue
			}
		}
		if k := int(drawn[w.row[i]][lane]); k > 0 {
			before.rows -= k
			before.sum -= int64(k) * w.residual[i]
			last = w.conf[i]
		}
	}
	last = w.conf[j]
	for i, c := j+1, c; i < len(w.conf) && w.conf[i]-last <= tie; i++ {
		if i == w.chunks[c].hi {
			c++
			if end := w.chunks[c].hi - 1; w.conf[end]-last <= tie {
				if after = w.before[c+1][lane]; after.rows > w.before[c][lane].rows {
					for i = end; drawn[w.row[i]][lane] == 0; i-- {
					}
					last = w.conf[i]
				}
				i = end
				continue
			}
		}
		if k := int(drawn[w.row[i]][lane]); k > 0 {
			after.rows += k
			after.sum += int64(k) * w.residual[i]
			last = w.conf[i]
		}
	}
	return [2]tally{before, after}
}
