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
// for any number of workers. Values are checked in every pass.
//
// The error is that of the first block that has one, whatever the number of
// workers, or that of ctx. A panic of do reaches the caller.
func Scan(ctx context.Context, r Reader, rows, workers int, do func(lo int, block *Set) error) error {
	if rows < 1 {
		panic(fmt.Sprintf("data: blocks of %d rows", rows))
	}
	n := r.Rows()
	blocks := (n + rows - 1) / rows
	memory := make([]*Block, max(1, min(workers, blocks)))
	for w := range memory {
		memory[w] = idle.Get().(*Block)
		defer idle.Put(memory[w])
	}
	err := pool.Each(ctx, blocks, len(memory), func(worker, block int) error {
		lo := block * rows
		set, err := r.ReadInto(ctx, memory[worker], lo, min(lo+rows, n))
		if err != nil {
			return err
		}
		return do(lo, set)
	})
	return cmp.Or(err, r.Unchanged())
}

// Block is the memory that rows of a set are read into. The next read uses it again. The
// zero Block has none yet.
type Block struct {
	Set   Set
	bytes []byte // elements of a file before they are decoded
	under *Block
}

// Under returns another block, which b keeps: the memory of the reader beneath one that
// computes its rows in b.
func (b *Block) Under() *Block {
	if b.under == nil {
		b.under = new(Block)
	}
	return b.under
}

// idle are blocks of earlier scans. Their memory is used again, since a
// run over many small sets would clear much new memory.
var idle = sync.Pool{New: func() any { return new(Block) }}
