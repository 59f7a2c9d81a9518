package fit

import (
	"context"
	"runtime"

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

// NumBlocks returns the number of blocks of n rows.
func NumBlocks(n int) int { return (n + BlockRows - 1) / BlockRows }
