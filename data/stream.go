package data

import (
	"context"
	"fmt"
	"sync"
)

// Stream gives rows of a labelled set that stays in its files, to several
// goroutines at a time and as often as they like: what a fit in constant memory
// reads (calib.Stream). It holds no row; its memory is some megabytes for each
// goroutine that reads at the same time.
type Stream struct {
	r    Reader
	from cursors

	mu   sync.Mutex
	idle []*place
}

// place is a cursor that nobody reads with just now, and the row after the
// last it has read.
type place struct {
	cursor
	next int
}

// NewStream returns the rows of r, which has logits and labels. The Stream
// takes over r and closes it.
func NewStream(r Reader) *Stream { return &Stream{r: r, from: cursorsOf(r)} }

// Rows returns n.
func (s *Stream) Rows() int { return s.r.Rows() }

// Classes returns k.
func (s *Stream) Classes() int { return s.r.Classes() }

// Bytes is the memory that the set would take in memory.
func (s *Stream) Bytes() int64 { return s.r.Bytes() }

// Read writes the logits of rows lo..hi-1, row-major, to logits and their
// classes to labels. Values are checked, in every pass, as by Reader.Read.
// Reading on from where a call ended is cheapest. It panics unless
// 0 <= lo <= hi <= Rows and the slices have (hi-lo) k and hi-lo elements.
func (s *Stream) Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error {
	if lo < 0 || lo > hi || hi > s.Rows() || len(labels) != hi-lo || len(logits) != (hi-lo)*s.Classes() {
		panic(fmt.Sprintf("data: rows %d..%d of %d into %d logits and %d labels", lo, hi, s.Rows(), len(logits), len(labels)))
	}
	p := s.take(lo)
	defer s.give(p, hi)
	return guarded(p.maps, func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c, ok := p.cursor.(*setCursor); ok {
			return c.decode(logits, labels, lo, hi)
		}
		set, err := p.read(ctx, lo, hi)
		if err == nil {
			copy(logits, set.Logits.Data)
			copy(labels, set.Labels)
		}
		return err
	})
}

// take returns the cursor that has last read nearest to row lo, or a new one.
func (s *Stream) take(lo int) *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	if last < 0 {
		return &place{cursor: s.from.cursor()}
	}
	for i, p := range s.idle {
		if max(p.next-lo, lo-p.next) < max(s.idle[last].next-lo, lo-s.idle[last].next) {
			s.idle[i], s.idle[last] = s.idle[last], p
		}
	}
	p := s.idle[last]
	s.idle = s.idle[:last]
	return p
}

func (s *Stream) give(p *place, next int) {
	p.next = next
	s.mu.Lock()
	s.idle = append(s.idle, p)
	s.mu.Unlock()
}

// Close closes the reader; the Stream must not be read any more.
func (s *Stream) Close() error {
	for _, p := range s.idle {
		p.close()
	}
	s.idle = nil
	return s.r.Close()
}

// decode writes rows lo..hi-1 to memory of the caller's.
func (c *setCursor) decode(logits []float32, labels []int32, lo, hi int) error {
	if _, err := c.r.Form(); err != nil {
		return err
	}
	if err := c.logits.decode(c.r.logits, logits, lo, hi); err != nil {
		return err
	}
	return c.r.readLabels(labels, &c.labels.bytes, lo, hi)
}
