package calib

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// ecdf is the empirical distribution of confidence on n rows, kept as their
// tail sums at T = 1 in ascending order: the larger the tail, the smaller the
// confidence, 1/(1+tail). It is never empty.
//
// The paper ranks by confidence itself; in float32, as networks print it, up
// to a quarter of the rows tie at exactly 1. Tails keep them apart.
// They come from softmax.Tails, so rows with equal multisets of logits have
// equal ranks whatever their order of classes, when fitted and when applied,
// and no other comparison than that of float64 is needed.
type ecdf []float64

// rank returns the quantile q of a row with the given tail: the share of the
// n rows that are at most as confident,
//
//	q = #{j : tail_j >= tail} / n, in [0, 1],
//
// which is F_conf(conf) of the paper's Eq. 5. Ties get the highest rank (the
// definition says <=); a row less confident than all has q = 0, one at least
// as confident as all q = 1. A calibration row ranked among its own set has
// q >= 1/n.
func (e ecdf) rank(tail float64) float64 {
	below, _ := slices.BinarySearch(e, tail) // how many are more confident
	return float64(len(e)-below) / float64(len(e))
}

// check refuses what no fit saves.
func (e ecdf) check() error {
	if len(e) == 0 {
		return fmt.Errorf("ecdf: empty")
	}
	for i, tail := range e {
		if !(tail >= 0) || math.IsInf(tail, 0) || (i > 0 && tail < e[i-1]) {
			return fmt.Errorf("ecdf[%d] = %v: want ascending tail sums, each >= 0", i, tail)
		}
	}
	return nil
}

// tails returns the tail sum of every row, in the order of the rows.
func tails(ctx context.Context, logits data.Matrix) ([]float64, error) {
	t := make([]float64, logits.Rows)
	for lo := 0; lo < logits.Rows; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+blockRows, logits.Rows)
		softmax.Tails(t[lo:hi], logits.Slice(lo, hi).Data, logits.Cols)
	}
	return t, nil
}

// newECDF returns the distribution of the given tails, which it copies.
func newECDF(tails []float64) ecdf {
	e := slices.Clone(tails)
	slices.Sort(e)
	return e
}

// scales writes 1/T(q) for every row, q being its rank in e. A row's bits do
// not depend on the rows beside it.
func (e ecdf) scales(dst []float64, at *Unscaled, temperature func(q float64) float64) {
	for i, tail := range at.Tails() {
		dst[i] = 1 / temperature(e.rank(tail))
	}
}
