package neighbours

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/pool"
)

// othersChunk is the number of rows of a tile of shared.
const othersChunk = 256

// mostShared is the largest k for which Others computes each pair of rows once. For more,
// that costs more than it saves, since each worker has lists of its own for all rows.
const mostShared = 64

// Others calls do for every row of the bank with its squared distances to its k nearest
// other rows, in rising order, min(k, m - 1) numbers. They have the bits of Nearest. do
// is called on several goroutines and must not keep the slice.
//
// Up to k = 64 each pair of rows is computed once; this takes memory for m k numbers on
// each processor. For more, each row searches all others; this takes memory for k + 64 m
// numbers on each processor.
func (b *featureBank) Others(ctx context.Context, k int, do func(i int, near []float64)) error {
	if k = min(k, b.Rows-1); k > mostShared {
		return fit.EachBlock(ctx, b.Rows, func(_, lo, hi int) {
			b.search(lo, hi, k, func(x []float64, i int) int {
				for j, v := range b.row(i) {
					x[j] = float64(v)
				}
				return i
			}, do)
		})
	}
	near, err := b.shared(ctx, k)
	if err != nil {
		return err
	}
	for i := range b.Rows {
		do(i, near[i*k:(i+1)*k])
	}
	return nil
}

// shared returns the m lists of k < m distances of Others, one after the other. Each pair
// of rows is computed once, in tiles, on all processors. The k least of a set of numbers
// do not depend on the order in which they are found, so the bits do not depend on the
// number of processors.
func (b *featureBank) shared(ctx context.Context, k int) ([]float64, error) {
	if k == 0 {
		return nil, ctx.Err()
	}
	chunks := (b.Rows + othersChunk - 1) / othersChunk
	packed := make([]*linear.Packed, chunks)
	for c := range packed {
		lo, hi := c*othersChunk, min((c+1)*othersChunk, b.Rows)
		packed[c] = linear.Pack([]float32(b.Unit[lo*b.Width:hi*b.Width]), hi-lo, b.Width)
	}
	workers := make([]*nearestLists, min(runtime.GOMAXPROCS(0), chunks))
	err := pool.Each(ctx, chunks, len(workers), func(worker, c int) error {
		if workers[worker] == nil {
			workers[worker] = newNearestLists(b, k)
		}
		workers[worker].tiles(b, packed, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return mergedLists(workers, b.Rows, k), nil
}

// nearestLists holds the k least distances of each of the m rows so far, in rising order, and
// memory for one tile.
type nearestLists struct {
	k     int
	near  []float64 // m x k
	worst []float64 // m, the last of each list
	x     []float64 // chunk x d
	dots  []float64 // chunk x chunk
}

func newNearestLists(b *featureBank, k int) *nearestLists {
	l := &nearestLists{
		k: k, near: make([]float64, b.Rows*k), worst: make([]float64, b.Rows),
		x: make([]float64, othersChunk*b.Width), dots: make([]float64, othersChunk*othersChunk),
	}
	for i := range l.near {
		l.near[i] = math.Inf(1)
	}
	for i := range l.worst {
		l.worst[i] = math.Inf(1)
	}
	return l
}

// tiles adds the pairs of rows of chunk c with each other and with rows of later chunks.
func (l *nearestLists) tiles(b *featureBank, packed []*linear.Packed, c int) {
	lo, hi := c*othersChunk, min((c+1)*othersChunk, b.Rows)
	x := l.x[:(hi-lo)*b.Width]
	for i, v := range b.Unit[lo*b.Width : hi*b.Width] {
		x[i] = float64(v)
	}
	for other := c; other < len(packed); other++ {
		from, to := other*othersChunk, min((other+1)*othersChunk, b.Rows)
		width := to - from
		dots := l.dots[:(hi-lo)*width]
		packed[other].Times(dots, x)
		for i := lo; i < hi; i++ {
			first := max(from, i+1)
			row := dots[(i-lo)*width+first-from : (i-lo+1)*width]
			squares, worst, square := b.squares[first:to], l.worst[first:to], b.squares[i]
			for j, dot := range row {
				s := square + squares[j] - 2*dot
				if s >= l.worst[i] && s >= worst[j] {
					continue // nearly all pairs
				}
				if s = max(0, s); s < l.worst[i] {
					l.add(i, s)
				}
				if s < worst[j] {
					l.add(first+j, s)
				}
			}
		}
	}
}

// add replaces the last distance of row i by s, which is below it.
func (l *nearestLists) add(i int, s float64) {
	near := l.near[i*l.k : (i+1)*l.k]
	at := l.k - 1
	for ; at > 0 && near[at-1] > s; at-- {
		near[at] = near[at-1]
	}
	near[at] = s
	l.worst[i] = near[l.k-1]
}

// mergedLists returns the k least distances of each row over all workers.
func mergedLists(workers []*nearestLists, rows, k int) []float64 {
	workers = slices.DeleteFunc(workers, func(l *nearestLists) bool { return l == nil })
	if len(workers) == 1 {
		return workers[0].near
	}
	near := make([]float64, rows*k)
	var all []float64
	for i := range rows {
		all = all[:0]
		for _, l := range workers {
			all = append(all, l.near[i*k:(i+1)*k]...)
		}
		slices.Sort(all)
		copy(near[i*k:(i+1)*k], all)
	}
	return near
}
