package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/softmax"
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

// Contract asks for labels only to report the NLL that the others start from.
func (uncal) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true}
}

func (uncal) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := newObjective(in.Cal)
	if err != nil {
		return nil, err
	}
	nll, err := o.nll(ctx, 1)
	if err != nil {
		return nil, err
	}
	return &Fitted{Map: uncalMap{}, Report: Report{NLL: nll, Passes: o.passes}}, nil
}

type uncalMap struct{}

func (uncalMap) Apply(dst data.Probs, set *data.Set) {
	for i := range set.Logits.Rows {
		softmax.Probs(dst.Row(i), set.Logits.Row(i), 1)
	}
}
