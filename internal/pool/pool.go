// Package pool runs numbered tasks on several goroutines, so that the result does not
// depend on their number.
package pool

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/qats-bench/qats/internal/cputime"
)

// Each calls do for the tasks 0..tasks-1 on up to the given number of
// workers, which are numbered from 0. A worker does one task at a time, so data
// that do keeps for each worker need no lock. The result of a task must not
// depend on the worker. A caller that needs a total adds the results in the
// order of the tasks, so that the bits are the same for any number of processors.
//
// Each stops at the first error and returns the error of the lowest task
// that failed. That task does not depend on the number of workers, because tasks
// start in their order. It returns the context's error when ctx is done. A panic
// of do reaches the caller, which may recover.
func Each(ctx context.Context, tasks, workers int, do func(worker, task int) error) error {
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
