package fit

import (
	"context"
	"runtime"
	"slices"

	"github.com/qats-bench/qats/internal/pool"
)

// EachBlock calls do for every block of BlockRows rows among n, on all
// processors: rows lo..hi-1 of block number block. See pool.Each.
func EachBlock(ctx context.Context, n int, do func(block, lo, hi int)) error {
	return pool.Each(ctx, NumBlocks(n), runtime.GOMAXPROCS(0), func(_, block int) error {
		do(block, block*BlockRows, min((block+1)*BlockRows, n))
		return nil
	})
}

// SumBlocks returns width >= 1 sums over n rows, on all processors. add adds the rows
// lo..hi-1 of one block to sum. The sums of the blocks are added in their order, so the
// bits do not depend on the number of processors. With an error the sums are incomplete.
func SumBlocks(ctx context.Context, n, width int, add func(sum []float64, lo, hi int)) ([]float64, error) {
	parts := make([]float64, NumBlocks(n)*width)
	err := EachBlock(ctx, n, func(block, lo, hi int) { add(parts[block*width:(block+1)*width], lo, hi) })
	total := make([]float64, width)
	for part := range slices.Chunk(parts, width) {
		AddTo(total, 1, part)
	}
	return total, err
}

// NumBlocks returns the number of blocks of n rows.
func NumBlocks(n int) int { return (n + BlockRows - 1) / BlockRows }
