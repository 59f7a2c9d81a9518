package data

import (
	"context"
	"fmt"
	"math"
)

// Scaled returns src with the logits of every set multiplied by c > 0, rounded
// to float32, and those of augmented views with them. Features, head and OOD
// logits are left out: they belong to the network as it was.
func Scaled(src Source, c float32) Source { return &scaled{src, c} }

type scaled struct {
	Source
	c float32
}

func (s *scaled) Has(ref Ref) Parts { return s.Source.Has(ref) &^ (Features | Head | OOD) }

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

type scaledReader struct {
	Reader
	c float32
}

func (r scaledReader) Read(ctx context.Context, lo, hi int) (*Set, error) {
	set, err := r.Reader.Read(ctx, lo, hi)
	if err != nil {
		return nil, err
	}
	for _, m := range append([]Matrix{set.Logits}, set.Augmented...) {
		for i := range m.Data {
			x := m.Data[i] * r.c
			if math.IsInf(float64(x), 0) {
				return nil, fmt.Errorf("row %d, class %d: logit %g times %g is too large for float32", lo+i/m.Cols, i%m.Cols, m.Data[i], r.c)
			}
			m.Data[i] = x
		}
	}
	return set, nil
}
