package experiments

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/qats-bench/qats/internal/leftover"
	"github.com/qats-bench/qats/results"
)

// claimFolder is the folder in the store with one file for each fit that a task makes now.
const claimFolder = "claims"

// claims are files by which tasks that run at the same time agree on who makes a fit that several
// of them need: the first one creates the file, and the others wait for the fit. The owner of a
// claim renews it. A claim that is not renewed is broken, also if its process has ended on this
// machine. Waiting processes compare what the file holds at two times on their own clock, so clocks
// of machines may differ.
//
// Claims save work alone. If a file system or a slow owner lets two tasks make one fit, both store
// the same bytes.
type claims struct {
	dir      string
	look     time.Duration // between two looks at a claim
	renew    time.Duration // between two renewals
	patience time.Duration // with a claim that is not renewed
}

func newClaims(store string) *claims {
	return &claims{filepath.Join(store, claimFolder), 200 * time.Millisecond, 10 * time.Second, time.Minute}
}

// take returns when the caller may make the fit of a key, or when made reports that it is in the
// store. The caller calls release when the fit is stored or given up.
func (c *claims) take(ctx context.Context, key string, made func() bool) (release func(), err error) {
	free := func() {}
	if c == nil {
		return free, nil
	}
	file := filepath.Join(c.dir, key)
	var seen []byte
	since := time.Now()
	for !made() {
		own, err := c.create(file)
		switch {
		case err == nil:
			return own, nil
		case !errors.Is(err, fs.ErrExist):
			return free, nil // no claims can be made here; what follows says why
		}
		held, err := os.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case !bytes.Equal(held, seen):
			seen, since = held, time.Now()
		}
		owner, _, _ := strings.Cut(string(held), " ")
		if time.Since(since) > c.patience || owner != "" && leftover.Abandoned(owner, 0) {
			os.Remove(file)
			continue
		}
		select {
		case <-ctx.Done():
			return free, ctx.Err()
		case <-time.After(c.look):
		}
	}
	return free, nil
}

// create makes the file of a claim, and renews it until it is released.
func (c *claims) create(file string) (release func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(c.dir, 0o777) == nil {
		f, err = os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	}
	if err != nil {
		return nil, err
	}
	f.WriteString(leftover.Suffix() + " ")
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ended:
				return
			case <-time.After(c.renew):
				f.WriteString(".")
			}
		}
	}()
	return func() {
		close(ended)
		<-stopped
		f.Close()
		os.Remove(file)
	}, nil
}

// held reports whether the fit of a key is being made.
func (c *claims) held(key string) bool {
	_, err := os.Stat(filepath.Join(c.dir, key))
	return err == nil
}

// claim waits until the fit of a cell is in the store or is to be made here; see claims.take.
func (r *run) claim(ctx context.Context, c *Cell) (release func(), err error) {
	key := results.Key(c.fit)
	return r.claims.take(ctx, key, func() bool { return r.plan.options.Store.Has(results.Fit, key) })
}

// next returns the place of the cell that is best fitted next: the first one whose fit is not being
// made elsewhere, so that tasks that need the same fits share the work.
func (r *run) next(u *Unit, cells []int) int {
	if r.claims == nil {
		return 0
	}
	return max(0, slices.IndexFunc(cells, func(i int) bool { return !r.claims.held(results.Key(u.Cells[i].fit)) }))
}
