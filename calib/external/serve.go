package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Served is a calibrator that a process offers, which has started this one and serves it over
// two pipes.
type Served struct {
	Name    string   `json:"name"`
	Label   string   `json:"label"`    // Name if empty
	Source  string   `json:"source"`   // digest of the code and of the values that it names; may be empty if Version is not
	Version string   `json:"version"`  // as its author counts
	Needs   []string `json:"needs"`    // arrays beside logits and labels
	Limit   string   `json:"limit"`    // time of one call
	DiskMiB int      `json:"disk_mib"` // most that one call may write
}

// Server is the process at the other end of two pipes. Each line in them is one object of JSON:
//
//	{"methods": [{"name": "mine", "source": "sha256...", "version": "", "limit": "10m"}]}   from it, at first
//	{"id": 1, "method": "mine", "call": "fit", "dir": "/tmp/...", "seed": 17}               to it
//	{"id": 1}   or   {"id": 1, "error": "ValueError: no rows", "line": "mine.py:12"}        from it
//	{"cancel": 1}                                                                           to it
//
// A call has the folder of a program's call, for fit or for apply. Requests come one at a time.
// After a cancel the answer is not read, and the next request may follow at once: the process
// ends the call. It ends itself when its pipe is closed.
type Server struct {
	Methods []Served

	to      io.WriteCloser
	turn    chan struct{} // has one element while no call is under way
	answers chan answer
	gone    chan struct{} // is closed when the process has closed its pipe
	why     error         // of gone

	last int // id
}

type request struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Call   string `json:"call"`
	Dir    string `json:"dir"`
	Seed   uint64 `json:"seed"`
}

type answer struct {
	ID    int    `json:"id"`
	Error string `json:"error"`
	Line  string `json:"line"` // of the code; may be empty
}

// maxAnswer is the longest line that a Server reads.
const maxAnswer = 1 << 20

// errGone is the error of a call to a process that has ended.
var errGone = errors.New("the process that serves the method has ended")

// NewServer reads the methods of a process, which is at the other ends of from and to. Close
// closes to.
func NewServer(from io.Reader, to io.WriteCloser) (*Server, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), maxAnswer)
	s := &Server{to: to, turn: make(chan struct{}, 1), answers: make(chan answer), gone: make(chan struct{})}
	s.turn <- struct{}{}
	if !lines.Scan() {
		return nil, fmt.Errorf("no line that lists methods came: %w", cause(lines))
	}
	var first struct {
		Methods []Served `json:"methods"`
	}
	if err := json.Unmarshal(lines.Bytes(), &first); err != nil || len(first.Methods) == 0 {
		return nil, errors.New(`the first line is no list of methods: want {"methods": [{"name": ...}]}`)
	}
	s.Methods = first.Methods
	go s.read(lines)
	return s, nil
}

func cause(lines *bufio.Scanner) error {
	if err := lines.Err(); err != nil {
		return err
	}
	return errGone
}

// read hands answers to the calls that wait for them.
func (s *Server) read(lines *bufio.Scanner) {
	defer close(s.gone)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			s.why = fmt.Errorf("the process that serves the method wrote a line that is no answer: %.100q", lines.Text())
			return
		}
		s.answers <- a
	}
	s.why = cause(lines)
}

// Close tells the process to end.
func (s *Server) Close() error { return s.to.Close() }

// send writes one line.
func (s *Server) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := s.to.Write(append(line, '\n')); err != nil {
		return errGone
	}
	return nil
}

// Service is how a method of a Server is called.
type Service struct {
	Server *Server
	Method string
	Limit  time.Duration // of one call, without the time that it waits for other calls
	Disk   int64         // bytes that one call may write
	Seed   uint64
}

// Fit is Program.Fit.
func (v Service) Fit(ctx context.Context, write func(dir string) error) (Model, error) {
	return fitBy(ctx, v, write)
}

// Apply is Program.Apply.
func (v Service) Apply(ctx context.Context, m Model, write func(dir string) error, n, k int) (*Table, error) {
	return applyBy(ctx, v, m, write, n, k)
}

// call asks for a call and waits for its end.
func (v Service) call(ctx context.Context, verb string, w *workplace) error {
	s := v.Server
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	inner, cancel := context.WithTimeoutCause(inner, v.Limit, fmt.Errorf("%s ran longer than its limit of %s and was cancelled", verb, v.Limit))
	defer cancel()
	allowed := w.size() + v.Disk
	s.last++
	id := s.last
	if err := s.send(request{id, v.Method, verb, w.dir, v.Seed}); err != nil {
		return err
	}
	defer watch(func() {
		if w.size() > allowed {
			stop(fmt.Errorf("%s wrote more than %d MiB and was cancelled", verb, v.Disk>>20))
		}
	})()
	for {
		select {
		case a := <-s.answers:
			switch {
			case a.ID != id: // of a call that was cancelled
			case a.Error != "":
				return raised(verb, a, w)
			case w.size() > allowed:
				return fmt.Errorf("%s wrote more than %d MiB", verb, v.Disk>>20)
			default:
				return nil
			}
		case <-s.gone:
			return s.why
		case <-inner.Done():
			if err := s.send(struct {
				Cancel int `json:"cancel"`
			}{id}); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return context.Cause(inner)
		}
	}
}

// raised is the error of a call that ended with an exception.
func raised(verb string, a answer, w *workplace) error {
	text := oneLine(w.relative(a.Error))
	if line := oneLine(a.Line); line != "" {
		return fmt.Errorf("%s raised %s (%s)", verb, text, line)
	}
	return fmt.Errorf("%s raised %s", verb, text)
}

// oneLine returns the end of a text as one line.
func oneLine(text string) string {
	if text = joinLines(text); len(text) > tailBytes {
		text = "... " + strings.ToValidUTF8(text[len(text)-tailBytes:], "")
	}
	return text
}
