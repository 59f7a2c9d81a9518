package data

import (
	"context"
	"fmt"
)

// Stream reads rows of a labelled set, as often as needed and for several
// goroutines at a time: the calibration set of a fit in constant memory
// (calib.Stream). It keeps no rows.
type Stream struct{ source Reader }

// NewStream returns the rows of r, which has logits and labels. The Stream
// takes over r and closes it.
func NewStream(r Reader) *Stream { return &Stream{source: r} }

// Rows returns n.
func (s *Stream) Rows() int { return s.source.Rows() }

// Classes returns k.
func (s *Stream) Classes() int { return s.source.Classes() }

// Bytes is the memory that the whole set would take.
func (s *Stream) Bytes() int64 { return s.source.Bytes() }

// Read writes the logits of rows lo..hi-1, row-major, to logits and their
// classes to labels. Values are checked, in every pass, as by ReadInto. It
// panics unless 0 <= lo <= hi <= Rows and the slices have (hi-lo) k and hi-lo
// elements.
func (s *Stream) Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error {
	if lo < 0 || lo > hi || hi > s.Rows() || len(labels) != hi-lo || len(logits) != (hi-lo)*s.Classes() {
		panic(fmt.Sprintf("data: rows %d..%d of %d into %d logits and %d labels", lo, hi, s.Rows(), len(logits), len(labels)))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b := idle.Get().(*Block)
	b.Set = Set{Logits: Matrix{Data: logits}, Labels: labels} // files are decoded into the caller's memory
	defer func() {
		b.Set = Set{}
		idle.Put(b)
	}()
	set, err := s.source.ReadInto(ctx, b, lo, hi)
	if err != nil {
		return err
	}
	copy(logits, set.Logits.Data) // no copy where they are the same memory
	copy(labels, set.Labels)
	if hi < s.Rows() {
		return nil // checked at the end of a pass only: after each row it would take as long as the reading
	}
	return s.source.Unchanged()
}

// Close closes the reader; the Stream must not be used afterwards.
func (s *Stream) Close() error { return s.source.Close() }
