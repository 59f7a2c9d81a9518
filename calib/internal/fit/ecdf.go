package fit

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ECDF is the empirical distribution of confidence on n rows. It holds their
// tail sums at T = 1 in ascending order; see softmax.Tails. The confidence of a
// row is 1/(1+tail), so a larger tail is a smaller confidence. An ECDF is never
// empty.
//
// The paper ranks by the confidence itself. In float32, as networks print it, up
// to a quarter of the confidences tie at exactly 1; tails keep these rows apart.
// Rows with equal multisets of logits have equal tails, so their ranks are equal
// in every order of the classes, in the fit and later. Plain float64 comparison
// is enough.
type ECDF []float64

// Rank returns the quantile q of a row with the given tail: the share of the
// n rows that are at most as confident,
//
//	q = #{j : tail_j >= tail} / n, in [0, 1],
//
// which is F_conf(conf) of the paper's Eq. 5. Ties get the highest rank, because
// the definition says <=. A row less confident than all has q = 0, and a row at
// least as confident as all has q = 1. A calibration row ranked among its own
// set has q >= 1/n.
func (e ECDF) Rank(tail float64) float64 {
	below, _ := slices.BinarySearch(e, tail) // number of more confident rows
	return float64(len(e)-below) / float64(len(e))
}

// Check returns an error if e, read from a file, cannot come from a fit: if it
// is empty, not ascending, or has an element below 0 or not finite.
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

// Tails returns the tail sum of every row, in the order of the rows: one pass.
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

// ranking is an ECDF with an index, for ranking many rows. The index has about
// n/4 buckets of equal width over the bits of the tails, which are ordered as
// their values are. So sorting the tails and finding one of them both take a few
// steps a row for any n. A ranking takes 9 bytes a row.
type ranking struct {
	ECDF
	least uint64   // bits of the least tail
	shift int      // bucket = (bits - least) >> shift
	start []uint32 // index in ECDF of the start of every bucket, and the end of the last
}

// buckets returns a ranking for n tails with the given least and greatest bits,
// still without tails, and its number of buckets.
func buckets(n int, least, most uint64) (ranking, int) {
	r := ranking{least: least, shift: max(0, bits.Len64(most-least)-bits.Len(uint(n/4)))}
	return r, int((most-least)>>r.shift) + 1
}

// newRanking returns the ranking of n > 0 tails, which it copies. slices.Sort takes three
// times as long on 5,000 to a million tails.
func newRanking(tails []float64) ranking {
	least, most := uint64(math.MaxUint64), uint64(0)
	for _, t := range tails {
		b := math.Float64bits(t)
		least, most = min(least, b), max(most, b)
	}
	r, buckets := buckets(len(tails), least, most)
	r.ECDF = make(ECDF, len(tails))
	// A counting sort by bucket. start[b+2] first counts the tails of bucket b.
	// After the running sums, start[b+1] is the place of its next tail, and after
	// the last tail the end of the bucket.
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

// ranking returns e with an index, made in one pass over e.
func (e ECDF) ranking() ranking {
	r, buckets := buckets(len(e), math.Float64bits(e[0]), math.Float64bits(e[len(e)-1]))
	r.ECDF, r.start = e, make([]uint32, buckets+1)
	next := 1 // the first bucket whose start is not known yet
	for i, t := range e {
		for b := r.bucket(t); next <= b; next++ {
			r.start[next] = uint32(i)
		}
	}
	r.start[buckets] = uint32(len(e))
	return r
}

func (r *ranking) bucket(tail float64) int { return int((math.Float64bits(tail) - r.least) >> r.shift) }

// ranks replaces tails by their ranks, as ECDF.Rank returns them. It looks up
// BlockRows tails together, one step of each at a time. With millions of rows
// every step misses the cache, and this way the misses overlap.
func (r *ranking) ranks(tails []float64) {
	n := len(r.ECDF)
	var from, to [BlockRows]int // the number of smaller tails lies in from..to
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
				if less { // two ifs compile to conditional moves; a branch would be mispredicted half the time
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

// RankRows replaces the tails of the rows by their ranks among themselves and
// returns their distribution.
func RankRows(ctx context.Context, tails []float64) (ECDF, error) {
	r := newRanking(tails)
	err := EachBlock(ctx, len(tails), func(_, lo, hi int) {
		r.ranks(tails[lo:hi])
	})
	return r.ECDF, err
}

// Scales writes 1/T(q) for every row with the given tail, where q is its rank in
// e. The bits of a row do not depend on the other rows. For many rows it makes
// an index first, which is faster.
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

// ecdfChunk is the number of float64 that Write encodes at a time. It is a
// multiple of 3, so that there is no padding between chunks.
const ecdfChunk = 3 << 10

// Write writes e as one JSON string: the little-endian bytes of its float64 in
// base64 (RFC 4648). An ECDF has a number for each calibration row. In this form
// it takes 10.7 bytes a row and is exact; decimal digits take twice the space and
// a hundred times the time. In Python:
//
//	tails = numpy.frombuffer(base64.b64decode(params["ecdf"]), "<f8")
//
// It returns the error of Check.
func (e ECDF) Write(w io.Writer) error {
	if err := e.Check(); err != nil {
		return err
	}
	raw := make([]byte, 0, 8*min(ecdfChunk, len(e)))
	text := append(make([]byte, 0, 2+base64.StdEncoding.EncodedLen(cap(raw))), '"')
	for lo := 0; lo < len(e); lo += ecdfChunk {
		raw = raw[:0]
		for _, tail := range e[lo:min(lo+ecdfChunk, len(e))] {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(tail))
		}
		text = base64.StdEncoding.AppendEncode(text, raw)
		if lo+ecdfChunk >= len(e) {
			text = append(text, '"')
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	return nil
}

// MarshalJSON returns the text that Write writes, and null for a nil ECDF.
func (e ECDF) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	err := e.Write(&b)
	return b.Bytes(), err
}

// UnmarshalJSON reads the text of MarshalJSON. It also reads an array of numbers,
// the form of older models.
func (e *ECDF) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		// A null among numbers would be read as 0.
		if bytes.Contains(text, []byte("null")) || json.Unmarshal(text, (*[]float64)(e)) != nil {
			return errNoECDF
		}
		return nil
	}
	var packed Packed[float64]
	if packed.UnmarshalJSON(text) != nil {
		return errNoECDF
	}
	*e = ECDF(packed)
	return nil
}

var errNoECDF = errors.New("ecdf: want float64 numbers in base64, or an array of numbers")

// UpTo returns the number of elements of the increasing list at or below x. Most classes of a row have
// small probabilities, which are at the start of a list: the search begins there, and doubles its reach
// until it is beyond x.
func UpTo(list []float64, x float64) int {
	lo, hi := 0, 0 // list[:lo] is at or below x, list[hi:] above
	for hi < len(list) && !(list[hi] > x) {
		lo, hi = hi+1, 2*hi+1
	}
	for hi = min(hi, len(list)); lo < hi; {
		if middle := int(uint(lo+hi) >> 1); list[middle] > x {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return lo
}
