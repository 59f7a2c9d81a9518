package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/qats-bench/qats/internal/leftover"
)

// sharedSpec has one calibration set with five test sets, and three methods with a fit.
const sharedSpec = `
name: t
methods: [uncal, ts, ir, qats]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}
`

// TestTasksThatRunTogetherShareFits: each fit is made once, although every task needs all of them,
// and the results have the same bytes.
func TestTasksThatRunTogetherShareFits(t *testing.T) {
	one, want := newWorld(t).run(sharedSpec, RunOptions{})
	w := newWorld(t)
	var fits atomic.Int64
	var group errgroup.Group
	for i := range 3 {
		p := w.planWith(sharedSpec, PlanOptions{Task: Task{I: i, N: 3, Tests: 1}})
		group.Go(func() error {
			out, err := p.Run(context.Background(), RunOptions{})
			if err == nil {
				fits.Add(int64(out.Fitted))
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if int(fits.Load()) != one.Fitted {
		t.Errorf("%d fits, want the %d of one run", fits.Load(), one.Fitted)
	}
	if out, got := w.run(sharedSpec, RunOptions{}); out.Fitted+out.Scored != 0 || got != want {
		t.Errorf("afterwards: %d fits, %d scored, same bytes: %t", out.Fitted, out.Scored, got == want)
	}
	if left, _ := os.ReadDir(filepath.Join(w.out, "store", claimFolder)); len(left) > 0 {
		t.Errorf("claims are left: %v", left)
	}
}

// TestClaims: one process has a claim at a time; one that waits goes on when the fit is made, when
// the claim is given back, when its process has ended, and when it is not renewed.
func TestClaims(t *testing.T) {
	quick := func() *claims {
		return &claims{filepath.Join(t.TempDir(), "claims"), time.Millisecond, 5 * time.Millisecond, time.Hour}
	}
	never := func() bool { return false }
	t.Run("made", func(t *testing.T) {
		c := quick()
		release, err := c.take(t.Context(), "k", func() bool { return true })
		if release(); err != nil || c.held("k") {
			t.Error(err, "a claim on a fit that is there")
		}
	})
	t.Run("one at a time", func(t *testing.T) {
		c := quick()
		var now, most atomic.Int64
		var group errgroup.Group
		for range 8 {
			group.Go(func() error {
				release, err := c.take(t.Context(), "k", never)
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				now.Add(-1)
				release()
				return err
			})
		}
		if err := group.Wait(); err != nil || most.Load() != 1 {
			t.Errorf("%v, %d at a time", err, most.Load())
		}
	})
	t.Run("renewed", func(t *testing.T) {
		c := quick()
		release, err := c.take(t.Context(), "k", never)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		text := func() []byte { b, _ := os.ReadFile(filepath.Join(c.dir, "k")); return b }
		for first := text(); slices.Equal(first, text()); time.Sleep(time.Millisecond) {
		}
	})
	const elsewhere = "another.host-1-ab"
	host, _, _ := leftover.Owner(leftover.Suffix())
	gone := fmt.Sprintf("%s-%d-ab", host, 1<<22+1) // Linux has no such process
	for what, c := range map[string]struct {
		text     string
		patience time.Duration
		waits    bool
	}{
		"of a process that runs":      {leftover.Suffix(), time.Hour, true},
		"of another machine":          {elsewhere, time.Hour, true},
		"not renewed":                 {elsewhere, 20 * time.Millisecond, false},
		"of a process that has ended": {gone, time.Hour, false},
	} {
		t.Run(what, func(t *testing.T) {
			if c.text == gone && runtime.GOOS == "windows" {
				t.Skip("processes are not looked up")
			}
			x := quick()
			x.patience = c.patience
			if err := errors.Join(os.MkdirAll(x.dir, 0o777), os.WriteFile(filepath.Join(x.dir, "k"), []byte(c.text+" "), 0o666)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			looks := 0
			release, err := x.take(ctx, "k", func() bool {
				if looks++; c.waits && looks > 20 {
					cancel()
				}
				return false
			})
			release()
			if (err != nil) != c.waits {
				t.Errorf("%v, waits: %t", err, c.waits)
			}
		})
	}
}
