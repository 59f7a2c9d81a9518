package derive

import (
	"context"
	"errors"
	"sync"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// addNote appends a note, after a semicolon if there is one already.
func addNote(p *data.Provenance, text string) {
	if p.Note != "" {
		p.Note += "; "
	}
	p.Note += text
}

// gatherer reads some sets completely at the first Read, and gathers rows of their
// union.
type gatherer struct {
	readers []data.Reader
	parts   data.Parts                            // of the result: labels may be read for choose alone
	n       int                                   // rows
	choose  func(sets []*data.Set) ([]int, error) // the n rows, as indices of the union

	mu   sync.Mutex
	sets []*data.Set
	rows []int
}

func (g *gatherer) Rows() int { return g.n }

func (g *gatherer) Classes() int {
	k := 0
	for _, r := range g.readers {
		k = max(k, r.Classes())
	}
	return k
}

func (g *gatherer) Bytes() int64 {
	var sum int64
	for _, r := range g.readers {
		sum += r.Bytes()
	}
	return sum
}

// Form joins the forms of the sets, since rows of each may be in the result.
func (g *gatherer) Form() (data.Form, error) {
	var all data.Form
	for _, r := range g.readers {
		f, err := r.Form()
		if err != nil {
			return data.Form{}, err
		}
		all = all.Join(f)
	}
	return all, nil
}

func (g *gatherer) Close() error {
	var errs []error
	for _, r := range g.readers {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Unchanged is nil: the files were read once, and found unchanged then.
func (g *gatherer) Unchanged() error { return nil }

// Kept is nil, since rows of several files have no place in one.
func (g *gatherer) Kept() *npy.Kept { return nil }

// ReadInto gathers rows in new memory.
func (g *gatherer) ReadInto(ctx context.Context, _ *data.Block, lo, hi int) (*data.Set, error) {
	rows, err := g.chosen(ctx)
	if err != nil {
		return nil, err
	}
	set := data.Gather(rows[lo:hi], g.sets...)
	if g.parts&data.Labels == 0 { // they were read to choose rows
		set.Labels = nil
	}
	return set, nil
}

// chosen returns the rows of the result, as indices of the union. It reads the sets at its
// first call.
func (g *gatherer) chosen(ctx context.Context) ([]int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rows != nil {
		return g.rows, nil
	}
	sets := make([]*data.Set, len(g.readers))
	for i, r := range g.readers {
		var err error
		if sets[i], err = data.Read(ctx, r, 0, r.Rows()); err != nil {
			return nil, err
		}
	}
	rows, err := g.choose(sets)
	if err != nil {
		return nil, err
	}
	g.sets, g.rows = sets, rows
	return rows, nil
}
