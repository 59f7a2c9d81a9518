package fit

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ECDF is the empirical distribution of confidence on n rows, kept as their
// tail sums at T = 1 in ascending order: the larger the tail, the smaller the
// confidence, 1/(1+tail). It is never empty.
//
// The paper ranks by confidence itself; in float32, as networks print it, up
// to a quarter of the rows tie at exactly 1. Tails keep them apart.
// They come from softmax.Tails, so rows with equal multisets of logits have
// equal ranks whatever their order of classes, when fitted and when applied,
// and no other comparison than that of float64 is needed.
type ECDF []float64

// Rank returns the quantile q of a row with the given tail: the share of the
// n rows that are at most as confident,
//
//	q = #{j : tail_j >= tail} / n, in [0, 1],
//
// which is F_conf(conf) of the paper's Eq. 5. Ties get the highest rank (the
// definition says <=); a row less confident than all has q = 0, one at least
// as confident as all q = 1. A calibration row ranked among its own set has
// q >= 1/n.
func (e ECDF) Rank(tail float64) float64 {
	below, _ := slices.BinarySearch(e, tail) // how many are more confident
	return float64(len(e)-below) / float64(len(e))
}

// Check refuses what no fit saves.
func (e ECDF) Check() error {
	if len(e) == 0 {
		return fmt.Errorf("ecdf: empty")
	}
	for i, tail := range e {
		if !(tail >= 0) || math.Signbit(tail) || math.IsInf(tail, 0) || (i > 0 && tail < e[i-1]) {
			return fmt.Errorf("ecdf[%d] = %v: want ascending tail sums, each >= 0", i, tail)
		}
	}
	return nil
}

// Tails returns the tail sum of every row, in the order of the rows.
func Tails(ctx context.Context, logits data.Matrix) ([]float64, error) {
	return (&Objective{Logits: logits}).Tails(ctx)
}

// Tails is one pass.
func (o *Objective) Tails(ctx context.Context) ([]float64, error) {
	o.Passes++
	t := make([]float64, o.Rows())
	err := o.eachRows(ctx, func(_ *workspace, _, lo int, logits []float32, _ []int32) {
		n := len(logits) / o.Logits.Cols
		softmax.Tails(t[lo:lo+n], logits, o.Logits.Cols)
	})
	return t, err
}

// NewECDF returns the distribution of the given tails, which it copies.
func NewECDF(tails []float64) ECDF { return newRanking(tails).ECDF }

// ranking is an ecdf with an index into it, for the ranks of many rows.
// Tails in ascending order of their bits, which is that of their values, are
// parted into about n/4 buckets of equal width, so that sorting them and
// finding one of them both take a few steps whatever n; in memory it is 9
// bytes a row.
type ranking struct {
	ECDF
	least uint64   // bits of the least tail
	shift int      // bucket = (bits - least) >> shift
	start []uint32 // of every bucket in ecdf, and the end of the last
}

// buckets returns a ranking of n tails with these least and greatest bits, as
// yet without tails, and how many buckets it has.
func buckets(n int, least, most uint64) (ranking, int) {
	r := ranking{least: least, shift: max(0, bits.Len64(most-least)-bits.Len(uint(n/4)))}
	return r, int((most-least)>>r.shift) + 1
}

// newRanking returns the ranking of n > 0 tails, which it copies.
func newRanking(tails []float64) ranking {
	least, most := uint64(math.MaxUint64), uint64(0)
	for _, t := range tails {
		b := math.Float64bits(t)
		least, most = min(least, b), max(most, b)
	}
	r, buckets := buckets(len(tails), least, most)
	r.ECDF = make(ECDF, len(tails))
	// start[b+2] counts bucket b, start[b+1] is then where its next tail goes,
	// and when all have gone it is where the bucket ends.
	start := make([]uint32, buckets+2)
	for _, t := range tails {
		start[r.bucket(t)+2]++
	}
	for b := 1; b < len(start); b++ {
		start[b] += start[b-1]
	}
	for _, t := range tails {
		to := &start[r.bucket(t)+1]
		r.ECDF[*to] = t
		*to++
	}
	r.start = start[:buckets+1]
	for b := range buckets {
		slices.Sort(r.ECDF[start[b]:start[b+1]])
	}
	return r
}

// ranking returns e with an index, in a pass over e.
func (e ECDF) ranking() ranking {
	r, buckets := buckets(len(e), math.Float64bits(e[0]), math.Float64bits(e[len(e)-1]))
	r.ECDF, r.start = e, make([]uint32, buckets+1)
	next := 1 // the first bucket of which the start is not known
	for i, t := range e {
		for b := r.bucket(t); next <= b; next++ {
			r.start[next] = uint32(i)
		}
	}
	r.start[buckets] = uint32(len(e))
	return r
}

func (r *ranking) bucket(tail float64) int { return int((math.Float64bits(tail) - r.least) >> r.shift) }

// ranks replaces tails by their ranks, those of ecdf.rank. Up to BlockRows of
// them are looked up together, each a step at a time: of millions of rows every
// step reads memory that is far away, and so they wait for it together.
func (r *ranking) ranks(tails []float64) {
	n := len(r.ECDF)
	var from, to [BlockRows]int // the tails that are less end in between
	for tails := range slices.Chunk(tails, BlockRows) {
		for i, tail := range tails {
			from[i], to[i] = 0, 0
			if math.Float64bits(tail) >= r.least {
				b := min(r.bucket(tail), len(r.start)-2)
				from[i], to[i] = int(r.start[b]), int(r.start[b+1])
			}
		}
		for open := true; open; {
			open = false
			for i, tail := range tails {
				lo, hi := from[i], to[i]
				if lo == hi {
					continue
				}
				open = true
				mid := (lo + hi) / 2
				less := math.Float64bits(r.ECDF[mid]) < math.Float64bits(tail)
				if less { // moves, not branches, of which half would be guessed wrongly
					lo = mid + 1
				}
				if !less {
					hi = mid
				}
				from[i], to[i] = lo, hi
			}
		}
		for i := range tails {
			tails[i] = float64(n-from[i]) / float64(n)
		}
	}
}

// RankRows replaces the tails of the rows by their ranks among themselves.
func RankRows(ctx context.Context, tails []float64) (ECDF, error) {
	r := newRanking(tails)
	err := EachBlock(ctx, len(tails), func(_, lo, hi int) {
		r.ranks(tails[lo:hi])
	})
	return r.ECDF, err
}

// Scales writes 1/T(q) for every row, q being its rank in e. A row's bits do
// not depend on the rows beside it. Where there are many, an index pays.
func (e ECDF) Scales(dst, tails []float64, temperature func(q float64) float64) {
	if len(dst) <= len(e)/16 {
		for i, tail := range tails {
			dst[i] = 1 / temperature(e.Rank(tail))
		}
		return
	}
	copy(dst, tails)
	r := e.ranking()
	r.ranks(dst)
	for i, q := range dst {
		dst[i] = 1 / temperature(q)
	}
}
