package calib

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// eachBlock calls do for every block of blockRows rows among n, on all
// processors. What do computes must depend on its block alone: whoever needs a
// total adds the blocks in their order, so that the bits are the same for any
// number of processors. It stops with the context's error when ctx is done. A
// panic of do reaches the caller, who may recover.
func eachBlock(ctx context.Context, n int, do func(block, lo, hi int)) error {
	blocks := numBlocks(n)
	var next atomic.Int64
	var panicked atomic.Pointer[any]
	work := func() {
		defer func() {
			if p := recover(); p != nil {
				panicked.Store(&p)
			}
		}()
		for ctx.Err() == nil {
			b := int(next.Add(1)) - 1
			if b >= blocks {
				return
			}
			do(b, b*blockRows, min((b+1)*blockRows, n))
		}
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), blocks) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	return ctx.Err()
}

// numBlocks returns the number of blocks of n rows.
func numBlocks(n int) int { return (n + blockRows - 1) / blockRows }
