package method

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/stretch"
)

// TopRow is one calibration row of a top-label method: its tail sum, see Unscaled.Tails,
// and whether the predicted class is right.
type TopRow struct {
	Tail float64
	Hit  bool
}

// TopConf returns the softmax confidence of a row with the given tail, in (0, 1].
func TopConf(tail float64) float64 { return 1 / (1 + tail) }

// TopStretched returns that confidence stretched (package stretch).
func TopStretched(tail float64) float64 { return stretch.OfTail(TopConf(tail), tail) }

// TopRows returns the rows of a labelled set.
func TopRows(ctx context.Context, set *data.Set) ([]TopRow, error) {
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	t, err := fit.Tails(ctx, set.Logits)
	if err != nil {
		return nil, err
	}
	rows := make([]TopRow, len(t))
	for i, tail := range t {
		rows[i] = TopRow{tail, fit.Hit(set.Logits.Row(i), set.Labels[i])}
	}
	return rows, nil
}

// TopFitted returns a fitted top-label map with its report: one pass, and no NLL.
func TopFitted(m calib.TopLabel) *calib.Fitted {
	return &calib.Fitted{Map: m, Report: fit.Report{Passes: 1}}
}

// EachConfidence writes the new confidence of every row, a function of its tail.
func EachConfidence(dst []float64, at *calib.Unscaled, confidence func(tail float64) float64) {
	for i, tail := range at.Tails() {
		dst[i] = confidence(tail)
	}
}
