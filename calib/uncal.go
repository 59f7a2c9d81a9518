package calib

import (
	"context"

	"github.com/qats-bench/qats/data"
)

// uncalEntry is the network as it is: p = softmax(l). It is a method so that
// the first column of every table comes the same way as the others.
func uncalEntry() Entry {
	return Entry{
		Name:      "uncal",
		Label:     "Uncal",
		Version:   1,
		Summary:   "softmax of the logits, nothing fitted",
		Reference: "the network itself",
		New:       func(func(any) error) (Method, error) { return uncal{}, nil },
		Restore:   restore(func(m uncalMap) (Map, error) { return m, nil }),
	}
}

type uncal struct{}

// Contract asks for no calibration set: what is wrong with one is no matter of
// this column.
func (uncal) Contract() Contract { return Contract{Test: data.Logits, KeepsTop1: true} }

// Fit has nothing to do; the report, the NLL with it, stays empty.
func (uncal) Fit(ctx context.Context, _ Input) (*Fitted, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Fitted{Map: uncalMap{}}, nil
}

type uncalMap struct{}

// Apply writes softmax(l).
func (m uncalMap) Apply(dst data.Probs, set *data.Set) { applyTempered(m, dst, set) }

// Scales writes 1 for every row.
func (uncalMap) Scales(dst []float64, _ *data.Set, _ *Unscaled) { fill(dst, 1) }
