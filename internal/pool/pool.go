// Package pool runs numbered tasks on the goroutines of an errgroup, so that the
// result does not depend on their number.
package pool

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

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
//
// Worker 0 is the calling goroutine, and each other worker one of an [errgroup.Group].
func Each(ctx context.Context, tasks, workers int, do func(worker, task int) error) error {
	ends := make([]end, max(1, min(workers, tasks)))
	var next atomic.Int64
	var stopped atomic.Bool
	work := func(worker int) {
		defer func() {
			if p := recover(); p != nil {
				ends[worker].panicked = p
				stopped.Store(true)
			}
		}()
		for ctx.Err() == nil && !stopped.Load() {
			task := int(next.Add(1)) - 1
			if task >= tasks {
				return
			}
			if err := do(worker, task); err != nil {
				ends[worker].task, ends[worker].err = task, err
				stopped.Store(true)
			}
		}
	}
	if len(ends) == 1 {
		work(0)
	} else {
		// Not WithContext, and no errors through the group: it keeps the error that is
		// first in time, which depends on the number of workers.
		var group errgroup.Group
		for worker := 1; worker < len(ends); worker++ {
			group.Go(func() error {
				defer cputime.Join(ctx)()
				work(worker)
				return nil
			})
		}
		work(0)
		group.Wait()
	}
	return result(ctx, ends)
}

// end is how a worker ended: with an error of a task, with a panic, or with neither.
type end struct {
	task     int
	err      error
	panicked any
}

// result panics as a worker did, or returns the error of ctx or of the lowest task.
func result(ctx context.Context, ends []end) error {
	lowest := end{}
	for _, e := range ends {
		if e.panicked != nil {
			panic(e.panicked)
		}
		if e.err != nil && (lowest.err == nil || e.task < lowest.task) {
			lowest = e
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return lowest.err
}
