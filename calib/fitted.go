package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Fitted is a calibrator ready for use.
type Fitted struct {
	Map    Map
	Report Report
}

// Probabilities returns the n x k probabilities of the rows of set; see Apply.
func (f *Fitted) Probabilities(set *data.Set) data.Probs {
	dst := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
	Apply(f.Map, dst, set)
	return dst
}

// Report says how a fit ended.
type Report struct {
	NLL        float64  `json:"nll"`                // mean NLL on the calibration set, nats; 0 if none is computed (uncal, TopLabel)
	Gradient   float64  `json:"gradient"`           // largest absolute component of the projected gradient of the objective
	Iterations int      `json:"iterations"`         // steps taken by the solver
	Passes     float64  `json:"passes"`             // reads of the whole calibration set by the row kernel; reading a part counts as its share, a result from Shared as if it were computed
	AtBound    []string `json:"at_bound,omitempty"` // bounds that are active at the solution, as "a >= 0"
	Warnings   []string `json:"warnings,omitempty"` // one line each; they reach the tables as footnotes
}

// result returns a fitted calibrator.
func result(m Map, r fit.Report) *Fitted { return &Fitted{Map: m, Report: Report(r)} }

// reported returns the fitted map with the report r, to which it adds the NLL of the map
// on set and the pass for it. The NLL has the floor of the metric, 1e-300, because
// isotonic maps give classes a probability of exactly 0.
func reported(ctx context.Context, m Map, set *data.Set, r fit.Report) (*Fitted, error) {
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
		Apply(m, q, set.View(^data.Labels).Rows(lo, hi))
		for i := range q.Rows {
			sum -= softmax.Log(max(q.Row(i)[set.Labels[lo+i]], fit.LeastProb))
		}
	}
	r.NLL = sum / float64(n)
	r.Passes++
	return result(m, r), nil
}
