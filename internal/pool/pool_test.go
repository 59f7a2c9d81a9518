package pool

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qats-bench/qats/internal/cputime"
)

// Of several errors the one of the lowest task is returned, in any order of time.
func TestReturnsTheErrorOfTheLowestTask(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	met := make(chan bool)
	err := Each(context.Background(), 100, 2, func(_, task int) error {
		switch task {
		case 0:
			<-met
			return first
		case 1:
			defer close(met)
			return second
		}
		return nil
	})
	if err != first {
		t.Errorf("got %v", err)
	}
}

// Every task is done once, by a worker that is in range and does nothing else at that time.
func TestDoesEachTaskOnce(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 2, 7, 1000} {
		for _, tasks := range []int{0, 1, 2, 100} {
			done := make([]int, tasks)
			busy := make([]atomic.Bool, max(1, min(workers, tasks)))
			err := Each(t.Context(), tasks, workers, func(worker, task int) error {
				if busy[worker].Swap(true) {
					t.Errorf("worker %d does two tasks at a time", worker)
				}
				done[task]++
				busy[worker].Store(false)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			for task, times := range done {
				if times != 1 {
					t.Errorf("%d workers did task %d %d times", workers, task, times)
				}
			}
		}
	}
}

func TestStartsTasksInTheirOrderAndStopsAtAnError(t *testing.T) {
	failure := errors.New("of task 5")
	var started []int
	err := Each(t.Context(), 10, 1, func(_, task int) error {
		started = append(started, task)
		if task == 5 {
			return failure
		}
		return nil
	})
	if err != failure || !slices.Equal(started, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("started %v, got %v", started, err)
	}
}

// A panic of any worker reaches the goroutine that called Each, with its value.
func TestPanicsAsATaskDoes(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		got := func() (p any) {
			defer func() { p = recover() }()
			return Each(t.Context(), 20, workers, func(_, task int) error {
				if task == 11 {
					panic("of task 11")
				}
				return nil
			})
		}()
		if got != "of task 11" {
			t.Errorf("%d workers: got %v", workers, got)
		}
	}
}

func TestReturnsTheErrorOfTheContext(t *testing.T) {
	for _, workers := range []int{1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		err := Each(ctx, 100, workers, func(_, task int) error {
			if task == 3 {
				cancel()
				return errors.New("of a task that was stopped")
			}
			return nil
		})
		if err != context.Canceled {
			t.Errorf("%d workers: got %v", workers, err)
		}
	}
}

// The caller is a worker: the others alone need goroutines.
func TestTheCallingGoroutineIsAWorker(t *testing.T) {
	for _, workers := range []int{1, 3} {
		before := runtime.NumGoroutine()
		var together sync.WaitGroup
		together.Add(workers)
		Each(t.Context(), workers, workers, func(_, _ int) error {
			together.Done()
			together.Wait() // all workers have a task
			if n := runtime.NumGoroutine(); n > before+workers-1 {
				t.Errorf("%d workers: %d goroutines, %d before", workers, n, before)
			}
			return nil
		})
	}
}

// The processor time of all workers counts for the computation that the context measures.
func TestWorkersJoinTheMeasuredComputation(t *testing.T) {
	alone := make(chan bool)
	spent, ok, err := cputime.Measure(t.Context(), func(ctx context.Context) error {
		return Each(ctx, 2, 2, func(_, task int) error {
			if task == 0 {
				<-alone // task 1 has another worker
				return nil
			}
			defer close(alone)
			for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if ok && spent == 0 {
		t.Error("the time of the second worker was not counted")
	}
}
