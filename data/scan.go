package data

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/qats-bench/qats/internal/pool"
)

// Blocks reads the rows of r in blocks of at most budget bytes, but at least
// one row, and calls do for each, in order, with the number of its first row. A
// set within the budget is one block. See Scan.
func Blocks(ctx context.Context, r Reader, budget int64, do func(lo int, block *Set) error) error {
	n := r.Rows()
	if n == 0 {
		return nil
	}
	step := n
	if size := r.Bytes(); size > budget {
		step = max(1, int(float64(n)*(float64(budget)/float64(size))))
	}
	return Scan(ctx, r, step, 1, do)
}

// Scan reads all rows of r once, in blocks of rows rows (the last may be
// shorter), and calls do for each with the number of its first row, which is a
// multiple of rows. It may be called again for another pass. A block is valid
// until do returns, since its memory is used again.
//
// Up to workers goroutines read and call do, so several calls run at once, in no
// order. Results that are added up in the order of the blocks have the same bits
// for any number of workers. Values are checked in every pass as by Reader.Read.
//
// The error is that of the first block that has one, whatever the number of
// workers, or that of ctx. A panic of do reaches the caller.
func Scan(ctx context.Context, r Reader, rows, workers int, do func(lo int, block *Set) error) error {
	if rows < 1 {
		panic(fmt.Sprintf("data: blocks of %d rows", rows))
	}
	n, source := r.Rows(), share(r)
	blocks := (n + rows - 1) / rows
	memory := make([]*block, max(1, min(workers, blocks)))
	for w := range memory {
		memory[w] = idle.Get().(*block)
		defer idle.Put(memory[w])
	}
	err := pool.Each(ctx, blocks, len(memory), func(worker, block int) error {
		lo := block * rows
		set, err := readInto(ctx, source, memory[worker], lo, min(lo+rows, n))
		if err != nil {
			return err
		}
		return do(lo, set)
	})
	return cmp.Or(err, unchanged(r))
}

// share returns r for several goroutines: files are read by all of them at once,
// other Readers by one at a time.
func share(r Reader) Reader {
	if filesOf(r) != nil {
		return r
	}
	return &inTurn{Reader: r}
}

// inTurn is a Reader of several goroutines, which read one at a time.
type inTurn struct {
	Reader
	mu sync.Mutex
}

func (r *inTurn) Read(ctx context.Context, lo, hi int) (*Set, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Reader.Read(ctx, lo, hi)
}

// filesOf returns the reader of files that r reads, directly or as its first or scaled
// rows; nil if it reads another one.
func filesOf(r Reader) *setReader {
	switch r := r.(type) {
	case *setReader:
		return r
	case firstReader:
		return filesOf(r.Reader)
	case scaledReader:
		return filesOf(r.Reader)
	}
	return nil
}

// readInto reads rows lo..hi-1, into the memory of b where the Reader can.
func readInto(ctx context.Context, r Reader, b *block, lo, hi int) (*Set, error) {
	switch r := r.(type) {
	case *setReader:
		return r.readInto(ctx, b, lo, hi)
	case firstReader:
		return readInto(ctx, r.Reader, b, lo, hi)
	case scaledReader:
		set, err := readInto(ctx, r.Reader, b, lo, hi)
		if err != nil {
			return nil, err
		}
		return &b.scaled, b.scaled.scale(set, r.c, rowOf(r.Reader, lo))
	}
	return r.Read(ctx, lo, hi)
}

// idle are blocks of earlier scans. Their memory is used again, since a
// run over many small sets would clear much new memory.
var idle = sync.Pool{New: func() any { return new(block) }}
