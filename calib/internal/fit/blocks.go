package fit

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/qats-bench/qats/internal/cputime"
)

// EachTask calls do for the tasks 0..tasks-1 on up to the given number of
// workers, which are numbered from 0. A worker does one task at a time, so data
// that do keeps for each worker need no lock. The result of a task must not
// depend on the worker. A caller that needs a total adds the results in the
// order of the tasks, so that the bits are the same for any number of processors.
//
// EachTask stops at the first error and returns the error of the lowest task
// that failed. That task does not depend on the number of workers, because tasks
// start in their order. It returns the context's error when ctx is done. A panic
// of do reaches the caller, which may recover.
func EachTask(ctx context.Context, tasks, workers int, do func(worker, task int) error) error {
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
		wait.Go(func() {
			defer cputime.Join(ctx)()
			work(worker)
		})
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
// processors: rows lo..hi-1 of block number block. See EachTask.
func EachBlock(ctx context.Context, n int, do func(block, lo, hi int)) error {
	return EachTask(ctx, NumBlocks(n), runtime.GOMAXPROCS(0), func(_, block int) error {
		do(block, block*BlockRows, min((block+1)*BlockRows, n))
		return nil
	})
}

// NumBlocks returns the number of blocks of n rows.
func NumBlocks(n int) int { return (n + BlockRows - 1) / BlockRows }
