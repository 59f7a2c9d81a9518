package cputime

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// burn computes until the calling thread has spent some processor time.
func burn(spend time.Duration) {
	before, _ := thread()
	x := 1.0
	for now := before; now-before < spend; now, _ = thread() {
		for range 1000 {
			x = x*1.0000001 + 1
		}
	}
	_ = x
}

const bit = 10 * time.Millisecond

// TestMeasureCountsJoinedGoroutinesAlone: others may burn as much as they like.
func TestMeasureCountsJoinedGoroutinesAlone(t *testing.T) {
	failure := errors.New("of f")
	spent, ok, err := Measure(t.Context(), func(ctx context.Context) error {
		var wait sync.WaitGroup
		wait.Go(func() {
			defer Join(ctx)()
			burn(2 * bit)
		})
		wait.Go(func() { defer Join(context.Background())(); burn(10 * bit) })
		burn(bit)
		wait.Wait()
		Add(ctx, bit)
		return failure
	})
	if !ok || err != failure || spent < 4*bit || spent > 8*bit {
		t.Errorf("measured %v (%v), error %v; want a little more than %v", spent, ok, err, 4*bit)
	}
}

// TestPartIsCountedOnce: the whole contains its part, and other goroutines of the part.
func TestPartIsCountedOnce(t *testing.T) {
	var part time.Duration
	spent, ok, err := Measure(t.Context(), func(ctx context.Context) (err error) {
		part, err = Part(ctx, func(ctx context.Context) error {
			var wait sync.WaitGroup
			wait.Go(func() {
				defer Join(ctx)()
				burn(4 * bit)
			})
			burn(4 * bit)
			wait.Wait()
			return nil
		})
		burn(bit)
		return err
	})
	if !ok || err != nil || part < 8*bit || spent < part+bit || spent > part+4*bit {
		t.Errorf("measured %v (%v), error %v, with a part of %v", spent, ok, err, part)
	}
}

// TestNothingIsMeasuredWithoutAMeter: a library user's context costs nothing.
func TestNothingIsMeasuredWithoutAMeter(t *testing.T) {
	Join(t.Context())()
	Add(t.Context(), bit)
	called := false
	if spent, err := Part(t.Context(), func(context.Context) error { called = true; return nil }); spent != 0 || err != nil || !called {
		t.Errorf("part of nothing: %v, %v, called %v", spent, err, called)
	}
}
