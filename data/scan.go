package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Blocks reads the rows of r in blocks of at most budget bytes, but at least
// one row, and hands each to f with the number of its first row. A set within
// the budget is one block. A block is f's until f returns: its memory is used
// again. It ends at the first error, which may be f's.
func Blocks(ctx context.Context, r Reader, budget int64, f func(lo int, block *Set) error) error {
	n := r.Rows()
	if n == 0 {
		return nil
	}
	step := n
	if size := r.Bytes(); size > budget {
		step = max(1, int(float64(n)*(float64(budget)/float64(size))))
	}
	return Scan(ctx, r, step, 1, f)
}

// Scan reads all rows of r once, in blocks of rows rows (the last may be
// shorter), and hands each to do with the number of its first row, which is a
// multiple of rows. It may be called again for another pass. Nothing of the
// set is kept: memory is that of the blocks in work, and files are mapped some
// megabytes at a time.
//
// Up to workers goroutines read, decode and call do, so do runs on several at
// once and in no order. A block is do's until do returns: its memory is used
// again. Whoever adds up the blocks in their order gets the same bits for any
// number of workers. Values are checked in every pass as by Reader.Read.
//
// The error is that of the first block that has one, whatever the number of
// workers, or that of ctx. A panic of do reaches the caller.
func Scan(ctx context.Context, r Reader, rows, workers int, do func(lo int, block *Set) error) error {
	if rows < 1 {
		panic(fmt.Sprintf("data: blocks of %d rows", rows))
	}
	n := r.Rows()
	blocks := (n + rows - 1) / rows
	workers = max(1, min(workers, blocks))
	s := &scan{rows: rows, n: n, blocks: blocks, run: max(1, min(maxRun, blocks/(8*workers))), do: do, failed: blocks}
	source := cursorsOf(r)
	if workers == 1 {
		s.run = blocks
		s.work(ctx, source.cursor())
	} else {
		var wait sync.WaitGroup
		for range workers {
			wait.Go(func() { s.work(ctx, source.cursor()) })
		}
		wait.Wait()
	}
	if s.panicked != nil {
		panic(s.panicked)
	}
	if s.err != nil {
		return s.err
	}
	return ctx.Err()
}

// maxRun is how many consecutive blocks a goroutine takes at a time at most:
// they share a window on the file.
const maxRun = 16

// scan is one pass over a set.
type scan struct {
	rows, n, blocks, run int
	do                   func(lo int, block *Set) error
	next                 atomic.Int64 // first block that nobody has taken
	stop                 atomic.Bool

	mu       sync.Mutex
	failed   int // the lowest block with an error
	err      error
	panicked any
}

// work takes runs of blocks until there are none. Runs are taken in order, and
// one taken is worked on up to its first error: so the lowest block that has an
// error is always met.
func (s *scan) work(ctx context.Context, c cursor) {
	block := 0
	defer func() {
		if p := recover(); p != nil {
			s.mu.Lock()
			s.panicked = p
			s.mu.Unlock()
			s.stop.Store(true)
		}
	}()
	defer c.close()
	for !s.stop.Load() {
		first := int(s.next.Add(int64(s.run))) - s.run
		if first >= s.blocks {
			return
		}
		err := guarded(c.maps, func() error {
			for block = first; block < min(first+s.run, s.blocks); block++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				lo := block * s.rows
				set, err := c.read(ctx, lo, min(lo+s.rows, s.n))
				if err == nil {
					err = s.do(lo, set)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.fail(block, err)
		}
	}
}

func (s *scan) fail(block int, err error) {
	s.stop.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if block < s.failed {
		s.failed, s.err = block, err
	}
}

// cursor reads blocks for one goroutine. A block is valid until the next one.
type cursor interface {
	read(ctx context.Context, lo, hi int) (*Set, error)
	maps() []*mapping
	close() error
}

// cursors is what several goroutines get their cursors from.
type cursors interface{ cursor() cursor }

// cursorsOf returns the cursors of any Reader.
func cursorsOf(r Reader) cursors {
	switch r := r.(type) {
	case *setReader:
		return r
	case firstReader:
		return cursorsOf(r.Reader) // rows beyond the first are not asked for
	case scaledReader:
		return scaledCursors{cursorsOf(r.Reader), r.c}
	}
	return &plainCursors{r: r}
}

// plainCursors lets goroutines take turns at a Reader.
type plainCursors struct {
	mu sync.Mutex
	r  Reader
}

func (p *plainCursors) cursor() cursor { return &plainCursor{of: p} }

type plainCursor struct {
	of  *plainCursors
	set *Set
}

func (c *plainCursor) read(ctx context.Context, lo, hi int) (*Set, error) {
	if err := c.close(); err != nil {
		return nil, err
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	var err error
	c.set, err = c.of.r.Read(ctx, lo, hi)
	return c.set, err
}

func (c *plainCursor) maps() []*mapping {
	if c.set == nil {
		return nil
	}
	return c.set.maps
}

func (c *plainCursor) close() error {
	if c.set == nil {
		return nil
	}
	set := c.set
	c.set = nil
	return set.Close()
}

func (r *setReader) cursor() cursor { return &setCursor{r: r} }

// setCursor reads blocks of a set from files.
type setCursor struct {
	r                        *setReader
	set                      Set
	logits, labels, features strip
	augmented                []strip
}

func (c *setCursor) read(ctx context.Context, lo, hi int) (_ *Set, err error) {
	r, s := c.r, &c.set
	if _, err := r.Form(); err != nil {
		return nil, err
	}
	if s.Logits, err = c.logits.matrix(r.logits, lo, hi); err != nil {
		return nil, err
	}
	if r.labels != nil {
		c.labels.ints = slices.Grow(c.labels.ints[:0], hi-lo)[:hi-lo]
		s.Labels = c.labels.ints
		if err := r.readLabels(s.Labels, &c.labels.bytes, lo, hi); err != nil {
			return nil, err
		}
	}
	if s.Features, err = c.features.matrix(r.features, lo, hi); err != nil {
		return nil, err
	}
	if r.augmented != nil {
		views := r.augmented.shape[0]
		if c.augmented == nil {
			c.augmented, s.Augmented = make([]strip, views), make([]Matrix, views)
		}
		for v := range views {
			if s.Augmented[v], err = c.augmented[v].matrix(r.augmented, v*r.n+lo, v*r.n+hi); err != nil {
				return nil, err
			}
		}
	}
	return s, r.addNetwork(ctx, s)
}

func (c *setCursor) maps() []*mapping {
	list := []*mapping{c.logits.window, c.features.window}
	for i := range c.augmented {
		list = append(list, c.augmented[i].window)
	}
	return list
}

func (c *setCursor) close() error {
	errs := []error{c.logits.close(), c.features.close()}
	for i := range c.augmented {
		errs = append(errs, c.augmented[i].close())
	}
	return errors.Join(errs...)
}

// strip is the memory of one array of a cursor's blocks.
type strip struct {
	window *mapping // the part of the file in view, nil at first
	at     int64    // where it begins
	floats []float32
	ints   []int32
	bytes  []byte
}

// windowBytes is how much of a file is mapped at a time.
const windowBytes = 4 << 20

// matrix returns rows lo..hi-1 of a, or nothing where a is absent: as they are
// in the file or decoded into the memory of s.
func (s *strip) matrix(a *Array, lo, hi int) (Matrix, error) {
	if a == nil {
		return Matrix{}, nil
	}
	m := Matrix{Rows: hi - lo, Cols: a.Cols()}
	if a.aliases() {
		if src := s.see(a, lo, hi); src != nil {
			m.Data = float32sOf(src)
			return m, a.checkFinite(m.Data, lo, 0)
		}
	}
	n := m.Rows * m.Cols
	s.floats = slices.Grow(s.floats[:0], n)[:n]
	m.Data = s.floats
	return m, s.decode(a, m.Data, lo, hi)
}

// decode writes rows lo..hi-1 of a to dst, from the window or, where nothing
// can be mapped, reading them.
func (s *strip) decode(a *Array, dst []float32, lo, hi int) error {
	src := s.see(a, lo, hi)
	if src == nil {
		return a.readFloats(dst, &s.bytes, lo, hi)
	}
	if bad := decodeFloats(dst, src, a.dtype); bad >= 0 {
		return a.refuse(lo, bad, fault(src, bad, a.dtype, Float32))
	}
	return nil
}

// see returns the bytes of rows lo..hi-1 of a through the window, or nil where
// they must be read.
func (s *strip) see(a *Array, lo, hi int) []byte {
	if a.file == nil || a.reading != asStored || a.fortran || a.bigEndian != nativeBig || nativeBig || lo == hi {
		return nil
	}
	at, n := a.extent(lo, hi)
	if s.window == nil || at < s.at || at+int64(n) > s.at+int64(len(s.window.part)) {
		_, all := a.extent(0, a.Rows())
		size := min(int64(max(n, windowBytes)), a.offset+int64(all)-at)
		w, err := mapFile(a.file, a.name, at, int(size))
		if err != nil {
			return nil
		}
		s.close()
		s.window, s.at = w, at
	}
	return s.window.part[at-s.at:][:n]
}

func (s *strip) close() error {
	if s.window == nil {
		return nil
	}
	w := s.window
	s.window = nil
	return w.release()
}
