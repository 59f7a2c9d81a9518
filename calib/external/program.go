package external

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/qats-bench/qats/internal/cputime"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Program is a calibrator that is a separate program.
type Program struct {
	Argv   []string // the program and its first arguments; no shell reads them
	Dir    string   // working folder, at which relative names in Argv start
	Env    []string // names of variables of the environment that it gets, beside those of Passed
	Set    []string // variables that it gets, NAME=VALUE, whatever they are in the environment
	Around []string // a command that starts it, with the program and its arguments behind: as unshare, which takes it off the network
	Owner  int      // user id that the folder of a call is given to before the program starts; 0: it stays this user's
	Serves bool     // ARGV... serve answers many calls; else each call is a process, ARGV... fit DIR or ARGV... apply DIR
}

// CallFolder is the beginning of words of Around that stands for the folder of the call. A program with such a word has a
// process for each call, also where it serves.
const CallFolder = "{call}"

// alone reports whether each call has a process of its own.
func (p Program) alone() bool { return slices.Contains(p.Around, CallFolder) }

// around returns Around for a call.
func (p Program) around(call string) []string {
	words := slices.Clone(p.Around)
	for i, word := range words {
		if below, ok := strings.CutPrefix(word, CallFolder); ok {
			words[i] = filepath.Join(call, below)
		}
	}
	return words
}

// command returns the program with more arguments and variables, for a call in a workplace, which
// gets its standard error. The end of ctx kills it.
func (p Program) command(ctx context.Context, w *workplace, call string, variables []string, args ...string) (*exec.Cmd, error) {
	path, err := Find(p.Dir, p.Argv[0])
	if err != nil {
		return nil, err
	}
	argv := slices.Concat(p.Argv, args)
	if len(p.Around) > 0 {
		argv[0] = path
		argv = slices.Concat(p.around(call), argv)
		if path, err = exec.LookPath(p.Around[0]); err != nil {
			return nil, fmt.Errorf("program %s: %w", p.Around[0], reason(err))
		}
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Dir = p.Dir
	cmd.Env = slices.Concat(Environment(p.Env), p.Set, variables)
	// A file, since a child could keep a pipe open. A program that serves begins each
	// call with an empty one, which needs writes at its end.
	said, err := os.OpenFile(w.stderr, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	cmd.Stderr = said
	return cmd, w.unusable(err)
}

// handOver gives the folder of a call, with all that is in it, to Owner.
func (p Program) handOver(call string) error {
	if p.Owner == 0 {
		return nil
	}
	return filepath.WalkDir(call, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, p.Owner, p.Owner)
	})
}

// start starts a command of the program, and writes down in its workplace that it runs.
func (p Program) start(cmd *exec.Cmd, w *workplace) (*process, error) {
	run, err := startProcess(cmd)
	cmd.Stderr.(*os.File).Close()
	if err != nil {
		return nil, w.local(fmt.Errorf("program %s: %w", p.Argv[0], reason(err)))
	}
	return run, w.unusable(w.record(cmd.Process.Pid, p.Argv[0]))
}

// Say runs the program with one word, and returns its standard output and error, at most most bytes of each. A program
// that runs longer than limit is killed with all that it has started.
func (p Program) Say(ctx context.Context, call, word string, limit time.Duration, most int) (out []byte, said string, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s ran longer than its limit of %s and was killed", word, limit))
	defer stop()
	if err := p.handOver(call); err != nil {
		return nil, "", err
	}
	w, err := newWorkplace()
	if err != nil {
		return nil, "", err
	}
	defer w.remove()
	cmd, err := p.command(ctx, w, call, nil, word)
	if err != nil {
		return nil, "", err
	}
	b := bounded{most: most}
	cmd.Stdout = &b
	run, err := p.start(cmd, w)
	if run == nil {
		return nil, "", err
	}
	<-run.ended
	text, _ := os.ReadFile(w.stderr)
	said = string(text[max(0, len(text)-most):])
	switch {
	case err != nil:
		return nil, said, err
	case context.Cause(ctx) != nil:
		return nil, said, context.Cause(ctx)
	case b.over:
		return nil, said, fmt.Errorf("%s printed more than %d bytes", word, most)
	case errors.Is(run.err, exec.ErrWaitDelay): // a child holds the pipe
		return b.text, said, nil
	}
	return b.text, said, run.err
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	text []byte
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := min(len(p), b.most-len(b.text))
	b.text = append(b.text, p[:room]...)
	b.over = b.over || room < len(p)
	return len(p), nil
}

// once is the session of a program that is started for one call: fit DIR or apply DIR is
// the request, and its end the reply.
type once struct {
	program Program
	said    string
}

func (o *once) ask(ctx context.Context, r request) error {
	ctx, kill := context.WithCancel(ctx)
	defer kill()
	o.said = r.at.stderr
	if err := o.program.handOver(r.dir); err != nil {
		return r.at.unusable(err)
	}
	cmd, err := o.program.command(ctx, r.at, r.dir, []string{fmt.Sprintf("QATS_SEED=%d", r.seed)}, r.verb, r.dir)
	if err != nil {
		return err
	}
	run, err := o.program.start(cmd, r.at)
	if run == nil {
		return err
	}
	if err != nil {
		kill()
	}
	<-run.ended
	cputime.Add(ctx, run.processorTime())
	if err == nil && run.err != nil {
		err = fmt.Errorf("%s ended with %w", r.verb, run.err)
	}
	return err
}

func (o *once) end() {}

func (o *once) words() string { return o.said }

func (o *once) size() int64 { return 0 }

func (o *once) fate() string { return "killed" }

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
