package external

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/qats-bench/qats/internal/cputime"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Program is a calibrator that is a separate program, and how it is called.
type Program struct {
	Argv  []string      // the program and its first arguments; no shell reads them
	Dir   string        // working folder, at which relative names in Argv start
	Limit time.Duration // of one call
	Disk  int64         // bytes that one call may write
	Seed  uint64        // QATS_SEED
	Env   []string      // names of variables of the environment that it gets, beside those of Passed
}

// Fit fills a folder by write, calls the program with fit, and returns the files that
// it wrote into model/.
func (p Program) Fit(ctx context.Context, write func(dir string) error) (Model, error) {
	return fitBy(ctx, p, write)
}

// Apply fills a folder by write, adds the model, calls the program with apply, and
// opens the n x k table that it wrote. The caller closes the table.
func (p Program) Apply(ctx context.Context, m Model, write func(dir string) error, n, k int) (*Table, error) {
	return applyBy(ctx, p, m, write, n, k)
}

// caller makes a call with a verb in the folder of a workplace.
type caller interface {
	call(ctx context.Context, verb string, w *workplace) error
}

// fitBy is Fit of a Program or a Service.
func fitBy(ctx context.Context, c caller, write func(dir string) error) (Model, error) {
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

// applyBy is Apply of a Program or a Service.
func applyBy(ctx context.Context, c caller, m Model, write func(dir string) error, n, k int) (_ *Table, err error) {
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

// call runs the program with a verb. It waits until the program ends, or kills it.
func (p Program) call(ctx context.Context, verb string, w *workplace) error {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	inner, cancel := context.WithTimeoutCause(inner, p.Limit, fmt.Errorf("%s ran longer than its limit of %s and was killed", verb, p.Limit))
	defer cancel()

	path, err := Find(p.Dir, p.Argv[0])
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(inner, path, append(p.Argv[1:len(p.Argv):len(p.Argv)], verb, w.dir)...)
	cmd.Args[0] = p.Argv[0]
	cmd.Dir = p.Dir
	cmd.Env = append(environment(p.Env), fmt.Sprintf("QATS_SEED=%d", p.Seed))
	said, err := os.Create(w.stderr)
	if err != nil {
		return w.unusable(err)
	}
	defer said.Close()
	cmd.Stderr = said // a file, since a child process could keep a pipe open

	allowed := w.size() + p.Disk
	run, err := startProcess(cmd)
	if err != nil {
		return w.local(fmt.Errorf("program %s: %w", p.Argv[0], reason(err)))
	}
	unwatch := watch(func() {
		if w.size() > allowed {
			stop(fmt.Errorf("%s wrote more than %d MiB and was killed", verb, p.Disk>>20))
		}
	})
	if err := w.record(cmd.Process.Pid, p.Argv[0]); err != nil {
		stop(w.unusable(err))
	}
	<-run.ended
	unwatch()
	cputime.Add(ctx, run.processorTime())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case context.Cause(inner) != nil:
		return w.blame(context.Cause(inner))
	case run.err != nil:
		return w.blame(fmt.Errorf("%s ended with %w", verb, run.err))
	case w.size() > allowed:
		return w.blame(fmt.Errorf("%s wrote more than %d MiB", verb, p.Disk>>20))
	}
	return nil
}

// Find returns the path of a program. A relative name with a separator is below dir, a
// single word is searched in PATH.
func Find(dir, name string) (string, error) {
	path := name
	if strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
		abs, err := filepath.Abs(filepath.Join(dir, name)) // absolute, so that LookPath does not search PATH
		if err != nil {
			return "", err
		}
		path = abs
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("program %s: %w", name, reason(err))
	}
	return path, nil
}

// reason returns the reason why a program cannot be started, without its path.
func reason(err error) error {
	err = inputfile.Cause(err)
	var named *exec.Error
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}
