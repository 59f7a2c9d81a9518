package calib

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// eachTask calls do for the tasks 0..tasks-1 on up to the given number of
// workers, which are numbered from 0: a worker does one task at a time, so
// what do keeps for each of them needs no lock. What a task computes must not
// depend on who computes it: whoever needs a total adds the tasks in their
// order, so that the bits are the same for any number of processors.
//
// It stops at the first error, and returns that of the lowest task that has
// one, which does not depend on the number of workers either since tasks are
// begun in their order; or the context's error when ctx is done. A panic of do
// reaches the caller, who may recover.
func eachTask(ctx context.Context, tasks, workers int, do func(worker, task int) error) error {
	var next atomic.Int64
	var stopped atomic.Bool
	var panicked atomic.Pointer[any]
	var mutex sync.Mutex
	failed, failure := tasks, error(nil)
	work := func(worker int) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for data.Mapped.Use
		defer func() {
			if p := recover(); p != nil {
				panicked.Store(&p)
				stopped.Store(true)
			}
		}()
		for ctx.Err() == nil && !stopped.Load() {
			task := int(next.Add(1)) - 1
			if task >= tasks {
				return
			}
			if err := do(worker, task); err != nil {
				mutex.Lock()
				if task < failed {
					failed, failure = task, err
				}
				mutex.Unlock()
				stopped.Store(true)
			}
		}
	}
	var wait sync.WaitGroup
	for worker := 1; worker < min(workers, tasks); worker++ {
		wait.Go(func() { work(worker) })
	}
	work(0)
	wait.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return failure
}

// eachBlock calls do for every block of blockRows rows among n, on all
// processors; see eachTask.
func eachBlock(ctx context.Context, n int, do func(block, lo, hi int)) error {
	return eachTask(ctx, numBlocks(n), runtime.GOMAXPROCS(0), func(_, block int) error {
		do(block, block*blockRows, min((block+1)*blockRows, n))
		return nil
	})
}

// numBlocks returns the number of blocks of n rows.
func numBlocks(n int) int { return (n + blockRows - 1) / blockRows }
