package data

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/data/npy"
)

// ReadRows returns a Reader of a set in memory. Its blocks are views of the set, which must
// not be changed.
func ReadRows(set *Set) Reader { return rowsReader{set} }

type rowsReader struct{ set *Set }

func (r rowsReader) Rows() int           { return r.set.Len() }
func (r rowsReader) Classes() int        { return r.set.K() }
func (r rowsReader) Form() (Form, error) { return Form{Confidence: r.set.Confidence != nil}, nil }
func (r rowsReader) Close() error        { return nil }

func (r rowsReader) Bytes() int64 {
	return 4 * (int64(r.set.Logits.Rows)*int64(r.set.Logits.Cols) + int64(len(r.set.Labels)) + 2*int64(len(r.set.Confidence)))
}

func (r rowsReader) Unchanged() error { return nil }
func (r rowsReader) Kept() *npy.Kept  { return nil }

// ReadInto returns rows of the set itself.
func (r rowsReader) ReadInto(ctx context.Context, _ *Block, lo, hi int) (*Set, error) {
	if lo < 0 || lo > hi || hi > r.Rows() {
		panic(fmt.Sprintf("data: rows %d..%d of %d", lo, hi, r.Rows()))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.set.Rows(lo, hi), nil
}
