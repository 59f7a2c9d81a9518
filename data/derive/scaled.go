package derive

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
)

// Scaled returns src with the logits of every set and of its augmented views
// multiplied by c > 0 and rounded to float32. It has no features, head and OOD
// logits, which belong to the network before scaling.
func Scaled(src data.Source, c float32) data.Source { return &scaled{src, c} }

type scaled struct {
	data.Source
	c float32
}

func (s *scaled) Has(ref data.Ref) data.Parts {
	parts := s.Source.Has(ref) &^ (data.Features | data.Head | data.OOD)
	if s.Describe(ref).Kind == data.KindConfidence {
		parts &^= data.Logits
	}
	return parts
}

func (s *scaled) Inputs(ref data.Ref, parts data.Parts) []data.Input {
	return []data.Input{{Source: s.Source, Ref: ref, Parts: parts}}
}

func (s *scaled) Digest(ctx context.Context, ref data.Ref, parts data.Parts) (string, error) {
	text, err := s.Source.Digest(ctx, ref, parts)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%slogits times %g\n", endLine(text), s.c), nil
}

func (s *scaled) Open(ctx context.Context, ref data.Ref, parts data.Parts) (data.Reader, error) {
	r, err := s.Source.Open(ctx, ref, parts)
	if err != nil {
		return nil, err
	}
	return scaledReader{r, s.c}, nil
}

type scaledReader struct {
	data.Reader
	c float32
}

func (r scaledReader) ReadInto(ctx context.Context, b *data.Block, lo, hi int) (*data.Set, error) {
	set, err := r.Reader.ReadInto(ctx, b.Under(), lo, hi)
	if err != nil {
		return nil, err
	}
	kept := r.Kept()
	place := func(i int) int { return kept.FileRow(lo + i) }
	if err := scale(&b.Set.Logits, set.Logits, r.c, place); err != nil {
		return nil, err
	}
	b.Set.Augmented = slices.Grow(b.Set.Augmented[:0], len(set.Augmented))[:len(set.Augmented)]
	for v, view := range set.Augmented {
		if err := scale(&b.Set.Augmented[v], view, r.c, place); err != nil {
			return nil, err
		}
	}
	scaled := &data.Set{Logits: b.Set.Logits, Labels: set.Labels} // b keeps its own memory alone
	if set.Augmented != nil {
		scaled.Augmented = b.Set.Augmented
	}
	return scaled, nil
}

// scale sets m to from multiplied by c, in the memory of m. Row i of from is row place(i) in
// errors.
func scale(m *data.Matrix, from data.Matrix, c float32, place func(i int) int) error {
	if !from.Present() {
		*m = data.Matrix{}
		return nil
	}
	m.Rows, m.Cols, m.Data = from.Rows, from.Cols, slices.Grow(m.Data[:0], len(from.Data))[:len(from.Data)]
	for i, v := range from.Data {
		x := v * c
		if v == data.Masked {
			x = v
		}
		if math.IsInf(float64(x), 0) {
			return fmt.Errorf("row %d, class %d: logit %g times %g is too large for float32", place(i/m.Cols), i%m.Cols, v, c)
		}
		m.Data[i] = x
	}
	return nil
}
