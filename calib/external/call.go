package external

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Layout is the layout of the arrays in the folder of a call.
const Layout = "{split}/{array}.npy"

// Calls makes the calls of one calibrator, each in a folder of its own.
type Calls struct {
	To    Calibrator
	Limit time.Duration // of one call, without the time that it waits for other calls
	Disk  int64         // bytes that one call may write
	Seed  uint64        // of the fit
}

// Calibrator is what is called: a Program of Programs, or a method of a Parent.
type Calibrator interface {
	// begin returns a session for one call, when there is one.
	begin(ctx context.Context) (session, error)
}

// session is where a call is made: a request, its reply, and an end.
type session interface {
	// ask makes the call and waits for its reply. When ctx ends, it ends the call.
	ask(ctx context.Context, r request) error

	// end ends the session, or keeps it for another call.
	end()

	// words names the file with the standard error of the program; "" if there is none.
	words() string

	// size returns the bytes that the program has written outside the folder of the call.
	size() int64

	// fate says what happens to a call beyond a limit.
	fate() string
}

// request is one call.
type request struct {
	verb string // fit or apply
	dir  string
	seed uint64
	at   *workplace // of dir
}

// raised is the error of a call that a program has answered with an error, and says
// all of it.
type raised struct{ text string }

func (e *raised) Error() string { return e.text }

// Fit fills a folder by write, calls the calibrator with fit, and returns the files that
// it wrote into model/.
func (c Calls) Fit(ctx context.Context, write func(dir string) error) (Model, error) {
	w, err := newWorkplace()
	if err != nil {
		return nil, err
	}
	defer w.remove()
	if err := errors.Join(write(w.dir), os.Mkdir(filepath.Join(w.dir, modelFolder), 0o777)); err != nil {
		return nil, w.unusable(err)
	}
	if err := c.call(ctx, "fit", w); err != nil {
		return nil, err
	}
	return readModel(filepath.Join(w.dir, modelFolder))
}

// Apply fills a folder by write, adds the model, calls the calibrator with apply, and
// opens the n x k table that it wrote. The caller closes the table.
func (c Calls) Apply(ctx context.Context, m Model, write func(dir string) error, n, k int) (_ *Table, err error) {
	w, err := newWorkplace()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.remove()
		}
	}()
	if err := errors.Join(write(w.dir), m.write(filepath.Join(w.dir, modelFolder))); err != nil {
		return nil, w.unusable(err)
	}
	if err := c.call(ctx, "apply", w); err != nil {
		return nil, err
	}
	return w.table(n, k)
}

// call makes a call with a verb in the folder of a workplace, within the limits.
func (c Calls) call(ctx context.Context, verb string, w *workplace) error {
	s, err := c.To.begin(ctx)
	if err != nil {
		return err
	}
	defer s.end()
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	inner, cancel := context.WithTimeoutCause(inner, c.Limit, fmt.Errorf("%s ran longer than its limit of %s and was %s", verb, c.Limit, s.fate()))
	defer cancel()
	size := func() int64 { return w.size() + s.size() }
	allowed := size() + c.Disk
	unwatch := watch(func() {
		if size() > allowed {
			stop(fmt.Errorf("%s wrote more than %d MiB and was %s", verb, c.Disk>>20, s.fate()))
		}
	})
	err = s.ask(inner, request{verb, w.dir, c.Seed, w})
	unwatch()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case context.Cause(inner) != nil:
		err = context.Cause(inner)
	case errors.As(err, new(*raised)):
		return err
	case err == nil && size() > allowed:
		err = fmt.Errorf("%s wrote more than %d MiB", verb, c.Disk>>20)
	}
	return w.blame(s.words(), err)
}

// watchEvery is the time between two measurements of the folder of a running program.
// A fast disk can write some 50 MB in that time.
const watchEvery = 20 * time.Millisecond

// watch calls look every now and then, until the function that it returns is called.
func watch(look func()) (unwatch func()) {
	var watched sync.WaitGroup
	ended := make(chan struct{})
	watched.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(watchEvery):
				look()
			}
		}
	})
	return func() {
		close(ended)
		watched.Wait()
	}
}
