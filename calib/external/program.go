package external

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Program is how a calibrator is called.
type Program struct {
	Argv  []string      // the program and its first arguments; never a shell's text
	Dir   string        // working folder, that relative names in Argv start from
	Limit time.Duration // of one call
	Disk  int64         // bytes that one call may write
	Seed  uint64        // QATS_SEED
}

// Fit prepares a folder by write, calls the program with fit, and returns the
// files that it left in model/.
func (p Program) Fit(ctx context.Context, write func(dir string) error) (Model, error) {
	w, err := newWorkplace()
	if err != nil {
		return nil, err
	}
	defer w.remove()
	if err := errors.Join(write(w.dir), os.Mkdir(filepath.Join(w.dir, modelFolder), 0o777)); err != nil {
		return nil, err
	}
	if err := p.call(ctx, "fit", w); err != nil {
		return nil, err
	}
	return readModel(filepath.Join(w.dir, modelFolder))
}

// Apply prepares a folder by write, in which the model is put beside the test
// set, calls the program with apply, and opens the n x k table that it wrote.
// The table is to be closed.
func (p Program) Apply(ctx context.Context, m Model, write func(dir string) error, n, k int) (_ *Table, err error) {
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
		return nil, err
	}
	if err := p.call(ctx, "apply", w); err != nil {
		return nil, err
	}
	return w.table(n, k)
}

// workplace is the folder of one call, and beside it what the program says.
type workplace struct{ top, dir, stderr string }

func newWorkplace() (*workplace, error) {
	top, err := newFolder()
	if err != nil {
		return nil, err
	}
	w := &workplace{top, filepath.Join(top, "dir"), filepath.Join(top, "stderr")}
	if err := os.Mkdir(w.dir, 0o777); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

// remove deletes the folder. What a program made undeletable is left to whoever
// cleans the folder for temporary files.
func (w *workplace) remove() { os.RemoveAll(w.top) }

// local returns err without the folder's name, which differs from run to run.
func (w *workplace) local(err error) error {
	if text := err.Error(); strings.Contains(text, w.top) {
		return errors.New(w.relative(text))
	}
	return err
}

func (w *workplace) relative(text string) string {
	text = strings.ReplaceAll(text, w.dir+string(filepath.Separator), "")
	return strings.ReplaceAll(strings.ReplaceAll(text, w.dir, "DIR"), w.top, "DIR/..")
}

// size returns the bytes of all files below the folder. What cannot be read
// while it is being written counts when it can.
func (w *workplace) size() int64 {
	var sum int64
	filepath.WalkDir(w.top, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

// watchEvery is how often the folder of a running program is measured: a fast
// disk takes some 50 MB in that time.
const watchEvery = 20 * time.Millisecond

// call runs the program with a verb and waits for its end, or ends it.
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
	cmd.Env = append(os.Environ(), fmt.Sprintf("QATS_SEED=%d", p.Seed))
	ownGroup(cmd)
	said, err := os.Create(w.stderr)
	if err != nil {
		return err
	}
	defer said.Close()
	defer diesWithUs(cmd)()
	cmd.Stderr = said // a file and no pipe, which a forgotten child would hold open

	allowed := w.size() + p.Disk
	if err := cmd.Start(); err != nil {
		return w.local(fmt.Errorf("program %s: %w", p.Argv[0], reason(err)))
	}
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				if w.size() > allowed {
					stop(fmt.Errorf("%s wrote more than %d MiB and was killed", verb, p.Disk>>20))
				}
			}
		}
	}()
	if err := w.record(cmd.Process.Pid, p.Argv[0]); err != nil {
		stop(err)
	}
	err = cmd.Wait()
	killGroup(cmd) // children that it left behind
	close(ended)
	<-watched
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case context.Cause(inner) != nil:
		return w.blame(context.Cause(inner))
	case err != nil:
		return w.blame(fmt.Errorf("%s ended with %w", verb, err))
	case w.size() > allowed:
		return w.blame(fmt.Errorf("%s wrote more than %d MiB", verb, p.Disk>>20))
	}
	return nil
}

// Find returns the path of a program: below dir where its name has a separator
// and is not absolute, and along PATH where it is a word.
func Find(dir, name string) (string, error) {
	path := name
	if strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
		abs, err := filepath.Abs(filepath.Join(dir, name)) // with a separator, whatever dir is
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

// reason returns why a program cannot be started, without its path.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var named *exec.Error
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// tailBytes of what a program said last are shown.
const tailBytes = 400

// blame adds the end of the program's standard error, as one line.
func (w *workplace) blame(err error) error {
	f, ferr := os.Open(w.stderr)
	if ferr != nil {
		return err
	}
	defer f.Close()
	info, ferr := f.Stat()
	if ferr != nil || info.Size() == 0 {
		return err
	}
	from := max(0, info.Size()-tailBytes)
	b := make([]byte, info.Size()-from)
	n, _ := f.ReadAt(b, from)
	text := strings.ToValidUTF8(string(b[:n]), "?")
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	var lines []string
	for line := range strings.Lines(w.relative(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return err
	}
	mark := ""
	if from > 0 {
		mark = "... "
	}
	return fmt.Errorf("%w; it said: %s%s", err, mark, strings.Join(lines, " | "))
}
