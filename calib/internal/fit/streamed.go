package fit

import (
	"context"
	"errors"

	"github.com/qats-bench/qats/data"
)

// Stream is calib.Stream.
type Stream interface {
	Rows() int
	Classes() int
	Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error
}

// readBytes is about the number of bytes that a worker reads from a stream at a time.
const readBytes = 1 << 20

// NewStreamed is NewObjective for streamed rows. Labels are checked when they are
// read.
func NewStreamed(s Stream) (*Objective, error) {
	if s.Rows() < 1 || s.Classes() < 1 {
		return nil, errors.New("the calibration set is empty")
	}
	return &Objective{Logits: data.Matrix{Rows: s.Rows(), Cols: s.Classes()}, stream: s}, nil
}

// read returns rows lo..hi-1 of the stream, which are valid until the next read of w.
// It reads ahead, up to the row end.
func (o *Objective) read(ctx context.Context, w *workspace, lo, hi, end int) ([]float32, []int32, error) {
	k := o.Logits.Cols
	if lo < w.lo || hi > w.lo+len(w.labels) {
		ahead := max(1, readBytes/(4*k*BlockRows)) * BlockRows
		n := min(max(ahead, hi-lo), end-lo)
		if cap(w.labels) < n {
			w.logits, w.labels = make([]float32, n*k), make([]int32, n)
		}
		w.lo, w.logits, w.labels = lo, w.logits[:n*k], w.labels[:n]
		if err := o.stream.Read(ctx, lo, lo+n, w.logits, w.labels); err != nil {
			w.labels = w.labels[:0]
			return nil, nil, err
		}
		if err := checkLabels(w.labels, lo, k); err != nil {
			return nil, nil, err
		}
	}
	return w.logits[(lo-w.lo)*k : (hi-w.lo)*k], w.labels[lo-w.lo : hi-w.lo], nil
}
