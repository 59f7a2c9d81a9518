// Package cputime measures the processor time of a computation that several
// goroutines share, while other computations run in the same process.
//
// A goroutine has no clock of its own, but a thread has. So Measure binds the calling
// goroutine to its thread, and each further goroutine of the computation does the
// same by Join. The total is the sum over these threads, in user and system mode. It
// does not contain the work of other goroutines, nor time spent waiting. The marking
// of the garbage collector's own threads is not in it, the marking that an allocation
// has to do is.
//
// Where the system has no clock of threads (all but Linux), nothing is measured.
package cputime

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// Meter adds up processor time. It is safe for concurrent use.
type Meter struct {
	total   atomic.Int64 // of finished parts, in nanoseconds
	unknown atomic.Bool  // a clock could not be read
}

type contextKey struct{}

// With returns a context under which Join and Add count for the meter.
func With(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, contextKey{}, m)
}

// meterOf returns the meter of a context; nil if it has none.
func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(contextKey{}).(*Meter)
	return m
}

// Total returns the time counted so far; ok is false if some of it could not be
// measured.
func (m *Meter) Total() (spent time.Duration, ok bool) {
	return time.Duration(m.total.Load()), !m.unknown.Load()
}

// Measure calls f and returns the processor time of f and of the goroutines that
// joined under its context.
func Measure(ctx context.Context, f func(ctx context.Context) error) (spent time.Duration, ok bool, err error) {
	var m Meter
	inner := With(ctx, &m)
	func() {
		defer Join(inner)()
		err = f(inner)
	}()
	spent, ok = m.Total()
	return spent, ok, err
}

// Join counts the calling goroutine for the meter of ctx, if there is one, until it
// calls the function returned.
func Join(ctx context.Context) (leave func()) {
	m := meterOf(ctx)
	if m == nil {
		return func() {}
	}
	runtime.LockOSThread()
	before, ok1 := thread()
	return func() {
		after, ok2 := thread()
		runtime.UnlockOSThread()
		if !ok1 || !ok2 {
			m.unknown.Store(true)
			return
		}
		m.total.Add(int64(after - before))
	}
}

// Add counts time that was spent elsewhere, for example by another process, or by an
// earlier computation whose result is used again.
func Add(ctx context.Context, spent time.Duration) {
	if m := meterOf(ctx); m != nil {
		m.total.Add(int64(spent))
	}
}

// Unknown says that a part of the time cannot be measured: then Total has none.
func Unknown(ctx context.Context) {
	if m := meterOf(ctx); m != nil {
		m.unknown.Store(true)
	}
}

// Part calls f as a part of the computation that ctx measures, on a goroutine that
// has joined it, and returns the processor time of the part. The time is 0 if ctx
// measures nothing.
func Part(ctx context.Context, f func(ctx context.Context) error) (spent time.Duration, err error) {
	m := meterOf(ctx)
	if m == nil {
		return 0, f(ctx)
	}
	var others Meter
	before, ok1 := thread()
	err = f(With(ctx, &others))
	after, ok2 := thread()
	joined, ok := others.Total()
	if !ok || !ok1 || !ok2 {
		m.unknown.Store(true)
		return 0, err
	}
	m.total.Add(int64(joined)) // the calling goroutine is counted already
	return joined + after - before, err
}
