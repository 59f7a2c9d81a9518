package external

import (
	"context"
	"errors"
	"io"

	"github.com/qats-bench/qats/internal/cputime"
)

// Parent is the process that has started this one and serves methods to it: this process
// reads its lines on standard input and writes requests to standard output. This process
// cannot kill it or start it again. A call beyond a limit is cancelled: its answer is not
// read, and the next request may follow at once, so that the parent has to end the call.
type Parent struct {
	Methods []Served

	link *link
	turn chan struct{} // has one element while no call is under way
}

// NewParent waits for the list of methods of the process at the other ends of from and to.
func NewParent(ctx context.Context, from io.Reader, to io.Writer) (*Parent, error) {
	p := &Parent{link: newLink(from, to), turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	var err error
	p.Methods, err = p.link.hello(ctx)
	return p, err
}

// Of returns a method of the parent as a calibrator.
func (p *Parent) Of(method string) Calibrator { return ofParent{p, method} }

type ofParent struct {
	parent *Parent
	method string
}

// begin waits until no other call is under way.
func (o ofParent) begin(ctx context.Context) (session, error) {
	select {
	case <-o.parent.turn:
		return o, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (o ofParent) ask(ctx context.Context, r request) error {
	cputime.Unknown(ctx) // of another process, which goes on
	l := o.parent.link
	err := l.ask(ctx, o.method, r)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		l.send(cancelled{l.last}) // of a parent that has gone, the next call tells
	}
	return err
}

func (o ofParent) end() { o.parent.turn <- struct{}{} }

func (o ofParent) words() string { return "" }

func (o ofParent) size() int64 { return 0 }

func (o ofParent) fate() string { return "cancelled" }
