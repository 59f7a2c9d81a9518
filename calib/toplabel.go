package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/isotonic"
	"github.com/qats-bench/qats/data"
)

// topRow is one calibration row of a top-label method: its tail sum, see Unscaled.Tails,
// and whether the predicted class is right.
type topRow struct {
	tail float64
	hit  bool
}

// topConf returns the softmax confidence of a row with the given tail, in (0, 1].
func topConf(tail float64) float64 { return 1 / (1 + tail) }

// topStretched returns that confidence stretched (package stretch).
func topStretched(tail float64) float64 { return isotonic.Stretched(topConf(tail), tail) }

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
		rows[i] = topRow{tail, fit.Hit(set.Logits.Row(i), set.Labels[i])}
	}
	return rows, nil
}

// topFitted returns a fitted top-label map with its report: one pass, and no NLL.
func topFitted(m TopLabel) *Fitted { return result(m, fit.Report{Passes: 1}) }
