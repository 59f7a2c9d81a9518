package simulate

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/qats-bench/qats/data"
)

// Version is part of every digest. It changes when the same parameters give
// other arrays.
const Version = 2

// Source serves the arrays of simulated networks. Nothing is stored: rows are made
// when they are read, and the constants of a network are solved for when it is
// first opened and then kept. It is safe for concurrent use.
type Source struct {
	lookup func(data.Ref) (Network, bool)
	solved *solutions
}

// solutions are the constants of networks, each found once.
type solutions struct {
	mu    sync.Mutex
	known map[string]func() (constants, error)
}

// New returns the source of the networks that lookup returns. lookup is called
// often and from several goroutines. It returns the same network, except for Shift,
// for all sets of one network.
func New(lookup func(data.Ref) (Network, bool)) *Source {
	return &Source{lookup: lookup, solved: &solutions{known: map[string]func() (constants, error){}}}
}

var _ data.Source = (*Source)(nil)

// find returns the network at ref and its parts. A network with wrong parameters
// has its parts, and Open returns the error.
func (s *Source) find(ref data.Ref) (Network, data.Parts) {
	w, ok := s.lookup(ref)
	if !ok || w.rows(ref.Split) == 0 {
		return w, 0
	}
	parts := data.Logits | data.Labels | data.Features | data.Augmented | data.Head
	if w.OODRows > 0 {
		parts |= data.OOD
	}
	return w, parts
}

// Has returns the parts at ref: all of them, or none if the split has no rows; OOD
// only if the network has OOD rows.
func (s *Source) Has(ref data.Ref) data.Parts {
	_, parts := s.find(ref)
	return parts
}

// Describe returns a simulated provenance with the targets.
func (s *Source) Describe(ref data.Ref) data.Provenance {
	w, parts := s.find(ref)
	if parts == 0 {
		return data.Provenance{}
	}
	accuracy, ece := w.Accuracy, w.ECE
	if w.Shift != (Shift{}) {
		accuracy, ece = w.Shift.Accuracy, w.Shift.ECE
	}
	return data.Provenance{Origin: data.Simulated,
		Note: fmt.Sprintf("virtual network of accuracy %.4g and ece %.4g on test images", accuracy, ece)}
}

// Digest returns the version and the parameters that each part depends on. It
// neither draws rows nor solves for constants.
func (s *Source) Digest(ctx context.Context, ref data.Ref, parts data.Parts) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	w, err := s.get(ref, parts)
	if err != nil {
		return "", err
	}
	set := fmt.Sprintf("split=%s rows=%d", ref.Split, w.rows(ref.Split))
	if ref.Split == data.Cal && w.balanced(ref.Split) {
		set += " balanced"
	}
	var b strings.Builder
	for _, part := range parts.List() {
		var text string
		switch part {
		case data.Labels:
			text = fmt.Sprintf("%s split=%s rows=%d", w.labelText(ref.Split), ref.Split, w.rows(ref.Split))
		case data.Head:
			text = w.headText()
		case data.OOD:
			text = fmt.Sprintf("%s rows=%d", w.text(), w.OODRows)
		default:
			text = w.text() + " " + set + w.Shift.text()
		}
		fmt.Fprintf(&b, "%s simulate/%d %s\n", part, Version, text)
	}
	return b.String(), nil
}

// get returns the network at ref, or an error if it lacks a part or has wrong
// parameters.
func (s *Source) get(ref data.Ref, parts data.Parts) (Network, error) {
	w, has := s.find(ref)
	if lacking := parts &^ has; lacking != 0 {
		return w, fmt.Errorf("simulated %s/%s %s: there is no %s", ref.Dataset, ref.Backbone, ref.Split, lacking)
	}
	return w, w.Check()
}

// Open solves for the constants of the network, which takes up to some seconds the
// first time, and returns a reader that makes rows when they are read.
func (s *Source) Open(ctx context.Context, ref data.Ref, parts data.Parts) (data.Reader, error) {
	w, err := s.get(ref, parts)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := s.solved.of(w)
	if err != nil {
		return nil, err
	}
	return newReader(w, c, ref.Split, parts), nil
}

// Inputs is empty: the sets are the source's own.
func (s *Source) Inputs(data.Ref, data.Parts) []data.Input { return nil }

// of returns the constants of w.
func (s *solutions) of(w Network) (constants, error) {
	key := w.text() + w.Shift.text()
	s.mu.Lock()
	x := s.known[key]
	if x == nil {
		x = sync.OnceValues(func() (constants, error) { return solve(w, s.of) })
		s.known[key] = x
	}
	s.mu.Unlock()
	return x()
}

// Shape returns the rows and classes at ref. It draws and solves nothing.
func (s *Source) Shape(_ context.Context, ref data.Ref) (rows, classes int, err error) {
	w, err := s.get(ref, data.Logits)
	return w.rows(ref.Split), w.Classes, err
}
