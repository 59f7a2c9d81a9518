package data

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Scaled returns src with the logits of every set and of its augmented views
// multiplied by c > 0 and rounded to float32. It has no features, head and OOD
// logits, which belong to the network before scaling.
func Scaled(src Source, c float32) Source { return &scaled{src, c} }

type scaled struct {
	Source
	c float32
}

func (s *scaled) Has(ref Ref) Parts { return s.Source.Has(ref) &^ (Features | Head | OOD) }

func (s *scaled) inputs(ref Ref, parts Parts) []input { return []input{{s.Source, ref, parts}} }

func (s *scaled) Digest(ctx context.Context, ref Ref, parts Parts) (string, error) {
	text, err := s.Source.Digest(ctx, ref, parts)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%slogits times %g\n", endLine(text), s.c), nil
}

func (s *scaled) Open(ctx context.Context, ref Ref, parts Parts) (Reader, error) {
	r, err := s.Source.Open(ctx, ref, parts)
	if err != nil {
		return nil, err
	}
	return scaledReader{r, s.c}, nil
}

// Shape is that of the source.
func (s *scaled) Shape(ctx context.Context, ref Ref) (rows, classes int, err error) {
	return Shape(ctx, s.Source, ref)
}

type scaledReader struct {
	Reader
	c float32
}

func (r scaledReader) Read(ctx context.Context, lo, hi int) (*Set, error) {
	set, err := r.Reader.Read(ctx, lo, hi)
	if err != nil {
		return nil, err
	}
	var scaled Set
	return &scaled, scaled.scale(set, r.c, rowOf(r.Reader, lo))
}

// rowOf returns the place in the files of the rows of r from lo on.
func rowOf(r Reader, lo int) func(i int) int {
	files := filesOf(r)
	return func(i int) int {
		if files != nil && files.kept != nil {
			return files.kept.row(lo + i)
		}
		return lo + i
	}
}

// scale sets s to from with its logits multiplied by c, in the memory of s. Row i of from is
// row place(i) in errors.
func (s *Set) scale(from *Set, c float32, place func(i int) int) error {
	s.Labels = from.Labels
	if from.Augmented == nil {
		s.Augmented = nil
	} else {
		s.Augmented = resize(s.Augmented, len(from.Augmented))
	}
	if err := s.Logits.scale(from.Logits, c, place); err != nil {
		return err
	}
	for v := range s.Augmented {
		if err := s.Augmented[v].scale(from.Augmented[v], c, place); err != nil {
			return err
		}
	}
	return nil
}

func (m *Matrix) scale(from Matrix, c float32, place func(i int) int) error {
	if !from.Present() {
		*m = Matrix{}
		return nil
	}
	m.Rows, m.Cols, m.Data = from.Rows, from.Cols, slices.Grow(m.Data[:0], len(from.Data))[:len(from.Data)]
	for i, v := range from.Data {
		x := v * c
		if v == Masked {
			x = v
		}
		if math.IsInf(float64(x), 0) {
			return fmt.Errorf("row %d, class %d: logit %g times %g is too large for float32", place(i/m.Cols), i%m.Cols, v, c)
		}
		m.Data[i] = x
	}
	return nil
}
