package simulate

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/qats-bench/qats/data"
)

// Version is part of every digest. It changes when the same parameters give
// other arrays, as when the constants of a network change.
const Version = 2

// Source serves the arrays of simulated networks. Nothing is stored: rows are made
// when they are read. It is safe for concurrent use.
type Source struct {
	lookup func(data.Ref) (Network, bool)
	known  func() (map[string]Constants, error) // by identityText
}

// New returns the source of the networks that lookup returns. lookup is called
// often and from several goroutines. It returns the same network, except for Shift,
// for all sets of one network. known returns networks with their constants, such as Known; it is
// called once.
func New(lookup func(data.Ref) (Network, bool), known func() ([]Solved, error)) *Source {
	return &Source{lookup: lookup, known: sync.OnceValues(func() (map[string]Constants, error) {
		list, err := known()
		if err != nil {
			return nil, err
		}
		all := make(map[string]Constants, len(list))
		for _, s := range list {
			all[s.identityText()] = s.Constants
		}
		return all, nil
	})}
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
// draws no rows.
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

// Open returns a reader that makes rows when they are read. It is an error if the constants of the
// network are not known.
func (s *Source) Open(ctx context.Context, ref data.Ref, parts data.Parts) (data.Reader, error) {
	w, err := s.get(ref, parts)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, err := s.known()
	if err != nil {
		return nil, err
	}
	c, ok := all[w.identityText()]
	if !ok || c == (Constants{}) {
		return nil, unsolved(w)
	}
	return newReader(w, c, ref.Split, parts), nil
}

// Inputs is empty: the sets are the source's own.
func (s *Source) Inputs(data.Ref, data.Parts) []data.Input { return nil }

// Shape returns the rows and classes at ref. It draws nothing.
func (s *Source) Shape(_ context.Context, ref data.Ref) (rows, classes int, err error) {
	w, err := s.get(ref, data.Logits)
	return w.rows(ref.Split), w.Classes, err
}
