package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// topRow is one calibration row of a top-label method: the softmax confidence
// and whether the predicted class is right.
type topRow struct {
	conf float64
	hit  bool
}

// topRows returns the rows of a labelled set.
func topRows(ctx context.Context, set *data.Set) ([]topRow, error) {
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	t, err := fit.Tails(ctx, set.Logits)
	if err != nil {
		return nil, err
	}
	rows := make([]topRow, len(t))
	for i, tail := range t {
		rows[i] = topRow{1 / (1 + tail), fit.Hit(set.Logits.Row(i), set.Labels[i])}
	}
	return rows, nil
}

// topFitted returns a fitted top-label map with its report: one pass, and no NLL.
func topFitted(m TopLabel) *Fitted { return result(m, fit.Report{Passes: 1}) }
