package calib

import (
	"context"
)

// Stream gives the logits and labels of a calibration set that stays where it
// is, in blocks of rows, anew for every pass over it: a fit then needs memory
// for some blocks only, beside what its method keeps of a row. A method fits a
// stream and the same rows in memory with the same bits.
type Stream interface {
	Rows() int
	Classes() int

	// Read writes the logits of rows lo..hi-1, row-major, to the (hi-lo) k
	// elements of logits and their classes to the hi-lo elements of labels.
	// Every logit is finite and every label in 0..k-1, or the error names the
	// place. It is called by several goroutines at a time, and for the same
	// rows again in every pass. Most calls ask for some hundred rows or more,
	// next to those of the call before by the same goroutine; first guesses read
	// up to sampleRows single rows and, of millions of rows, some together.
	Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error
}
