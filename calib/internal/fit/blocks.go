package fit

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// EachTask calls do for the tasks 0..tasks-1 on up to the given number of
// workers, which are numbered from 0: a worker does one task at a time, so
// what do keeps for each of them needs no lock. What a task computes must not
// depend on who computes it: whoever needs a total adds the tasks in their
// order, so that the bits are the same for any number of processors.
//
// It stops at the first error, and returns that of the lowest task that has
// one, which does not depend on the number of workers either since tasks are
// begun in their order; or the context's error when ctx is done. A panic of do
// reaches the caller, who may recover.
func EachTask(ctx context.Context, tasks, workers int, do func(worker, task int) error) error {
	var next atomic.Int64
	var stopped atomic.Bool
	var panicked atomic.Pointer[any]
	var mutex sync.Mutex
	failed, failure := tasks, error(nil)
	work := func(worker int) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for data.Set.Guard
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

// EachBlock calls do for every block of BlockRows rows among n, on all
// processors; see EachTask.
func EachBlock(ctx context.Context, n int, do func(block, lo, hi int)) error {
	return EachTask(ctx, NumBlocks(n), runtime.GOMAXPROCS(0), func(_, block int) error {
		do(block, block*BlockRows, min((block+1)*BlockRows, n))
		return nil
	})
}

// NumBlocks returns the number of blocks of n rows.
func NumBlocks(n int) int { return (n + BlockRows - 1) / BlockRows }
