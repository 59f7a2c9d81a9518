package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/qats-bench/qats/internal/cputime"
)

// Programs is the programs of a run. Those that serve are kept for later calls: there are
// as many processes of a program as calls of it at a time, one for each worker. The zero
// value has none.
type Programs struct {
	mu   sync.Mutex
	idle []*serving
}

// Of returns a program as a calibrator.
func (ps *Programs) Of(p Program) Calibrator { return ofPrograms{ps, p} }

type ofPrograms struct {
	programs *Programs
	program  Program
}

// begin returns a process of the program that waits for a call, or one that ask will
// start.
func (o ofPrograms) begin(context.Context) (session, error) {
	if !o.program.Serves {
		return &once{program: o.program}, nil
	}
	for {
		s := o.programs.take(o.program)
		switch {
		case s == nil:
			home, err := newWorkplace()
			return &serving{programs: o.programs, program: o.program, home: home}, err
		case s.lives() && os.Truncate(s.home.stderr, 0) == nil:
			return s, nil
		}
		s.kill()
	}
}

// take takes an idle process of a program, or returns nil.
func (ps *Programs) take(p Program) *serving {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	i := slices.IndexFunc(ps.idle, func(s *serving) bool { return s.program.same(p) })
	if i < 0 {
		return nil
	}
	s := ps.idle[i]
	ps.idle = slices.Delete(ps.idle, i, i+1)
	return s
}

// same reports whether two programs are started in the same way.
func (p Program) same(o Program) bool {
	return slices.Equal(p.Argv, o.Argv) && p.Dir == o.Dir && slices.Equal(p.Env, o.Env) && slices.Equal(p.Set, o.Set) && slices.Equal(p.Around, o.Around) && p.Owner == o.Owner && p.Serves == o.Serves
}

// Close ends the processes that wait for a call: by the end of their standard input, and
// those that do not end soon by a kill.
func (ps *Programs) Close() {
	ps.mu.Lock()
	idle := ps.idle
	ps.idle = nil
	ps.mu.Unlock()
	for _, s := range idle {
		s.input.Close()
	}
	for end := time.After(waitDelay); len(idle) > 0; idle = idle[1:] {
		select {
		case <-idle[0].run.ended:
		case <-end:
			end = time.After(0)
		}
		idle[0].kill()
	}
}

// serving is a process that serves, ARGV... serve: its standard input and output are the
// two pipes of a link. It is killed where a call is not answered, and the next call starts
// another one.
type serving struct {
	programs *Programs
	program  Program
	home     *workplace // has its standard error

	run    *process // nil before the first call
	stop   context.CancelFunc
	input  io.Closer
	link   *link
	method string
	failed bool // a call was not answered
}

// start starts the process, for a first call in a folder, and reads its first line.
func (s *serving) start(ctx context.Context, call string) error {
	var life context.Context
	life, s.stop = context.WithCancel(context.Background())
	cmd, err := s.program.command(life, s.home, call, nil, "serve")
	if err != nil {
		return err
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	// With a writer that is no file, os/exec gives up a pipe that a child holds.
	from, output := io.Pipe() // a link that closes from lets os/exec go on
	cmd.Stdout = output
	run, err := s.program.start(cmd, s.home)
	if run == nil {
		return err
	}
	s.run, s.input = run, input
	s.link = newLink(from, input)
	go func() {
		<-run.ended
		output.Close()
	}()
	if err != nil {
		return err
	}
	methods, err := s.link.hello(ctx)
	if err != nil {
		return err
	}
	if len(methods) != 1 {
		return fmt.Errorf("serve lists %d methods: want one", len(methods))
	}
	s.method = methods[0].Name
	return nil
}

// ask sends the request to the process, which it starts first if there is none.
func (s *serving) ask(ctx context.Context, r request) error {
	cputime.Unknown(ctx) // the system tells the time of a process when it ends
	s.failed = true
	if err := s.program.handOver(r.dir); err != nil {
		return r.at.unusable(err)
	}
	if s.run == nil {
		if err := s.start(ctx, r.dir); err != nil {
			return s.why(r.verb, err)
		}
	}
	err := s.link.ask(ctx, s.method, r)
	s.failed = err != nil && !errors.As(err, new(*raised))
	return s.why(r.verb, err)
}

// why returns how the process has ended, if err is that it has gone, and the remedy of
// other lines in its output.
func (s *serving) why(verb string, err error) error {
	switch {
	case errors.Is(err, errForeign):
		return fmt.Errorf("%w: print other text on standard error", err)
	case !errors.Is(err, errGone):
		return err
	}
	select {
	case <-s.run.ended:
	case <-time.After(waitDelay):
		return fmt.Errorf("%s: the program has closed its standard input and reads no requests", verb)
	}
	if s.run.err == nil {
		return fmt.Errorf("%s ended without an answer", verb)
	}
	return fmt.Errorf("%s ended with %w", verb, s.run.err)
}

// lives reports whether the process runs.
func (s *serving) lives() bool {
	select {
	case <-s.run.ended:
		return false
	default:
		return true
	}
}

// end keeps the process for the next call, or kills it, also where each call has a process of its own.
func (s *serving) end() {
	if s.failed || s.program.alone() {
		s.kill()
		return
	}
	s.programs.mu.Lock()
	defer s.programs.mu.Unlock()
	s.programs.idle = append(s.programs.idle, s)
}

// kill ends the process with its group, and removes what it said.
func (s *serving) kill() {
	if s.run != nil {
		s.stop()
		s.link.close()
		<-s.run.ended
	}
	s.home.remove()
}

func (s *serving) words() string { return s.home.stderr }

func (s *serving) size() int64 { return s.home.size() }

func (s *serving) fate() string { return "killed" }
