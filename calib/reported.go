package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// reported returns the fitted map with its report: no solver ran, so iterations
// and gradient are 0. The NLL has the floor of the metric, 1e-300, since
// isotonic maps put exact zeros on classes.
func reported(ctx context.Context, m Map, set *data.Set, passes float64) (*Fitted, error) {
	const block = 64
	n, k := set.Logits.Rows, set.Logits.Cols
	buf := data.NewProbs(min(block, n), k)
	sum := 0.0
	for lo := 0; lo < n; lo += block {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		hi := min(lo+block, n)
		q := buf.Slice(0, hi-lo)
		m.Apply(q, set.View(^data.Labels).Rows(lo, hi))
		for i := range q.Rows {
			sum -= softmax.Log(max(q.Row(i)[set.Labels[lo+i]], fit.LeastProb))
		}
	}
	return result(m, fit.Report{NLL: sum / float64(n), Passes: passes + 1}), nil
}
