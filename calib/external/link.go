package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// link is a process that serves methods, at the other ends of two pipes. Each line in them
// is one object of JSON:
//
//	{"methods": [{"name": "mine", ...}]}                                     from it, at first
//	{"id": 1, "method": "mine", "call": "fit", "dir": "/tmp/...", "seed": 17}               to it
//	{"id": 1}   or   {"id": 1, "error": "ValueError: no rows", "line": "mine.py:12"}        from it
//	{"cancel": 1}                                                            to it, if it is a Parent
//
// Requests come one at a time. The process ends itself when its pipe is closed.
type link struct {
	from   io.Reader
	to     io.Writer
	first  chan []byte   // the first line
	answer chan answer   // the others
	closed chan struct{} // by close
	gone   chan struct{} // is closed when no line comes any more
	why    error         // of gone

	last int // id
}

// Served is what a process says of a method that it serves. A program of a spec gives the
// name alone: its spec says the rest.
type Served struct {
	Name    string   `json:"name"`
	Label   string   `json:"label"`    // Name if empty
	Source  string   `json:"source"`   // digest of the code and of the values that it names; may be empty if Version is not
	Version string   `json:"version"`  // as its author counts
	Needs   []string `json:"needs"`    // arrays beside logits and labels
	Limit   string   `json:"limit"`    // time of one call
	DiskMiB int      `json:"disk_mib"` // most that one call may write
}

// wanted is a request as it is sent.
type wanted struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Call   string `json:"call"`
	Dir    string `json:"dir"`
	Seed   uint64 `json:"seed"`
}

// cancelled tells a Parent that the answer to a request is not read.
type cancelled struct {
	Cancel int `json:"cancel"` // id
}

type answer struct {
	ID    int    `json:"id"`
	Error string `json:"error"`
	Line  string `json:"line"` // of the code; may be empty
}

// maxAnswer is the longest line that is read.
const maxAnswer = 1 << 20

// errGone is the error of a call to a process that has closed its pipe.
var errGone = errors.New("the process that serves the method has ended")

// errForeign is in the errors of lines that are not of the protocol.
var errForeign = errors.New("is no line of the protocol")

// newLink begins to read the lines of a process.
func newLink(from io.Reader, to io.Writer) *link {
	l := &link{from: from, to: to, first: make(chan []byte, 1), answer: make(chan answer), closed: make(chan struct{}), gone: make(chan struct{})}
	go l.read()
	return l
}

// read hands answers to the calls that wait for them.
func (l *link) read() {
	defer close(l.gone)
	lines := bufio.NewScanner(l.from)
	lines.Buffer(make([]byte, 0, 4096), maxAnswer)
	for first := true; lines.Scan(); first = false {
		if first {
			l.first <- slices.Clone(lines.Bytes())
			continue
		}
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			l.why = fmt.Errorf("%.100q, which the process that serves the method wrote for an answer, %w", lines.Text(), errForeign)
			return
		}
		select {
		case l.answer <- a:
		case <-l.closed:
			return
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		l.why = fmt.Errorf("what the process that serves the method wrote, more than %d MiB without a line break, %w", maxAnswer>>20, errForeign)
	case err != nil && !errors.Is(err, io.ErrClosedPipe):
		l.why = err
	default:
		l.why = errGone
	}
}

// close stops the reading of lines.
func (l *link) close() {
	close(l.closed)
	if c, ok := l.from.(io.Closer); ok {
		c.Close()
	}
}

// hello waits for the list of methods.
func (l *link) hello(ctx context.Context) ([]Served, error) {
	var line []byte
	select {
	case line = <-l.first:
	case <-l.gone:
		select {
		case line = <-l.first:
		default:
			return nil, fmt.Errorf("no line that lists methods came: %w", l.why)
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var first struct {
		Methods []Served `json:"methods"`
	}
	if err := json.Unmarshal(line, &first); err != nil || len(first.Methods) == 0 {
		return nil, fmt.Errorf(`%.100q, which the process that serves the method wrote for its list {"methods": [{"name": ...}]}, %w`, line, errForeign)
	}
	return first.Methods, nil
}

// send writes one line.
func (l *link) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := l.to.Write(append(line, '\n')); err != nil {
		return errGone
	}
	return nil
}

// ask sends a request and waits for its answer. The answer to an earlier one, which was
// cancelled, is not read.
func (l *link) ask(ctx context.Context, method string, r request) error {
	l.last++
	if err := l.send(wanted{l.last, method, r.verb, r.dir, r.seed}); err != nil {
		return err
	}
	for {
		select {
		case a := <-l.answer:
			switch {
			case a.ID != l.last:
			case a.Error != "":
				return newRaised(a, r)
			default:
				return nil
			}
		case <-l.gone:
			return l.why
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// newRaised returns the error of a call that ended with an exception.
func newRaised(a answer, r request) *raised {
	text := fmt.Sprintf("%s raised %s", r.verb, oneLine(r.at.relative(a.Error)))
	if line := oneLine(a.Line); line != "" {
		text += " (" + line + ")"
	}
	return &raised{text}
}

// oneLine returns the end of a text as one line.
func oneLine(text string) string {
	if text = joinLines(text); len(text) > tailBytes {
		text = "... " + strings.ToValidUTF8(text[len(text)-tailBytes:], "")
	}
	return text
}
