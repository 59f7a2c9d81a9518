package method

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Reported returns the fitted map with the report r, to which it adds the NLL of the map
// on set and the pass for it.
func Reported(ctx context.Context, m calib.Map, set *data.Set, r calib.Report) (*calib.Fitted, error) {
	var failed atomic.Pointer[error]
	nll, err := MeanNLL(ctx, set, func(q data.Probs, lo, hi int) {
		if err := calib.Apply(m, q, set.View(^data.Labels).Rows(lo, hi)); err != nil {
			failed.Store(&err)
		}
	})
	if wrong := failed.Load(); err == nil && wrong != nil {
		err = *wrong
	}
	if err != nil {
		return nil, err
	}
	r.NLL = nll
	r.Passes++
	return &calib.Fitted{Map: m, Report: r}, nil
}

// MeanNLL returns the mean NLL of a labelled set, given a function that writes the
// probabilities of the rows lo..hi-1, on all processors. The NLL has the floor of the
// metric, 1e-300, because isotonic maps give classes a probability of exactly 0.
func MeanNLL(ctx context.Context, set *data.Set, probs func(q data.Probs, lo, hi int)) (float64, error) {
	const few = 64 // rows, whose probabilities stay in the cache
	logs := make([]float64, len(set.Labels))
	err := fit.EachBlock(ctx, len(logs), func(_, lo, hi int) {
		buf := data.NewProbs(min(few, hi-lo), set.Logits.Cols)
		for ; lo < hi; lo += few {
			q := buf.Slice(0, min(few, hi-lo))
			probs(q, lo, lo+q.Rows)
			for i := range q.Rows {
				logs[lo+i] = softmax.Log(max(q.Row(i)[set.Labels[lo+i]], fit.LeastProb))
			}
		}
	})
	sum := 0.0
	for _, log := range logs {
		sum -= log
	}
	return sum / float64(len(logs)), err
}

// Numbered returns parameters of one meaning that are named by their place, from 1 on.
func Numbered(name, meaning string, values []float64) []calib.Parameter {
	list := make([]calib.Parameter, len(values))
	for i, v := range values {
		list[i] = calib.Parameter{Name: fmt.Sprintf(name, i+1), Value: v, Meaning: meaning}
	}
	return list
}

// Objective returns the calibration set, in memory or streamed.
func Objective(in calib.Input) (*fit.Objective, error) {
	return fit.ObjectiveOf(in.Cal, in.Stream, in.Shared)
}

// Temperature returns the calibration set, the temperature of ts on it, at which many
// fits start, and the report of that fit.
func Temperature(ctx context.Context, in calib.Input) (o *fit.Objective, t float64, report calib.Report, err error) {
	if o, err = Objective(in); err != nil {
		return nil, 0, calib.Report{}, err
	}
	t, report, err = fit.Temperature(ctx, o)
	return o, t, report, err
}
