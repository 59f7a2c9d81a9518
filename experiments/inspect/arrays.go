package inspect

import (
	"context"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
)

// Arrays are the logits and labels of a set that is part of no folder: the files that a
// command names, or rows in memory.
type Arrays struct {
	Name string                                     // in findings
	Open func(context.Context) (data.Reader, error) // is called for each pass, and its result closed

	// Brief sets are too large for memory. Nothing is kept of a row, so the ECE is not
	// computed, and rows with logits far apart are not found.
	Brief bool

	Known func(folder.Oddity) (reason string, ok bool) // what a manifest says is right; nil for nothing
}

// Rows returns arrays in memory, with logits and labels.
func Rows(name string, set *data.Set) Arrays {
	return Arrays{Name: name, Open: func(context.Context) (data.Reader, error) { return data.ReadRows(set), nil }}
}

// Pair inspects a calibration set and, unless test is nil, a test set, with the findings and
// the words of Specs. The error is that of ctx.
func Pair(ctx context.Context, cal Arrays, test *Arrays) (*Inspection, error) {
	in := &Inspection{}
	a := &inspected{name: cal.Name, split: data.Cal, source: string(data.Measured), open: cal.Open, known: cal.Known, brief: cal.Brief}
	if err := in.set(ctx, a); err != nil || test == nil {
		in.Sort()
		return in, err
	}
	b := &inspected{name: test.Name, split: data.Test, source: string(data.Measured), open: test.Open, known: test.Known, brief: test.Brief}
	if err := in.set(ctx, b); err != nil {
		return nil, err
	}
	err := in.pair(ctx, a, b, true)
	in.Sort()
	return in, err
}
