package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// blockRows is how many rows are summed on their own before they join the
// total. Totals are reduced in the order of the blocks, so the bits of a fit
// do not depend on who computes which block, nor on how many do.
const blockRows = 256

// objective is a calibration set as temperature methods see it: the row
// kernel run over all rows at given scales 1/T. Beside the logits it holds one
// float32 a row. It belongs to one fit.
type objective struct {
	logits data.Matrix // n x k
	label  []float32   // n, the logit of the true class
	passes int         // reads of the whole set so far
}

// newObjective checks that every row has a label and keeps the views of set.
func newObjective(set *data.Set) (*objective, error) {
	if err := checkLabelled(set); err != nil {
		return nil, err
	}
	o := &objective{logits: set.Logits, label: make([]float32, set.Logits.Rows)}
	for i, y := range set.Labels {
		o.label[i] = set.Logits.Row(i)[y]
	}
	return o, nil
}

func (o *objective) rows() int { return o.logits.Rows }

// pass runs the kernel over all rows and calls visit for every block in turn:
// m holds the moments of rows lo, lo+1, ... The scales are one for each row or
// a single one for all. It returns the context's error when ctx is done.
func (o *objective) pass(ctx context.Context, scale []float64, visit func(lo int, m []softmax.Moments)) error {
	o.passes++
	var block [blockRows]softmax.Moments
	n, k := o.logits.Rows, o.logits.Cols
	for lo := 0; lo < n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+blockRows, n)
		s := scale
		if len(scale) > 1 {
			s = scale[lo:hi]
		}
		m := block[:hi-lo]
		softmax.Rows(m, o.logits.Data[lo*k:hi*k], k, s)
		visit(lo, m)
	}
	return ctx.Err()
}

// nll returns the mean NLL in nats at one temperature: one pass.
func (o *objective) nll(ctx context.Context, t float64) (float64, error) {
	total := 0.0
	scale := 1 / t
	err := o.pass(ctx, []float64{scale}, func(lo int, m []softmax.Moments) {
		sum := 0.0
		for i := range m {
			sum += m[i].NLL(scale, o.label[lo+i])
		}
		total += sum
	})
	return total / float64(o.rows()), err
}
