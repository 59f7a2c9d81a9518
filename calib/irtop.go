package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/isotonic"
	"github.com/qats-bench/qats/data"
)

// irTopEntry is isotonic regression of the top label: g is fitted to the n
// pairs (confidence, hit), and the predicted class gets g(conf); see TopLabel.
func irTopEntry() Entry {
	return Entry{
		Name:      "ir-top",
		Label:     "IR-top",
		Version:   2,
		Summary:   "isotonic regression of the confidence on being right; a top-label method",
		Reference: "Zadrozny and Elkan 2002",
		New:       func(func(any) error) (Method, error) { return irTop{}, nil },
		Restore:   restore(func(m irTopMap) (Map, error) { return m, m.CheckKnots() }),
	}
}

type irTop struct{}

func (irTop) Contract() Contract { return topContract() }

func (irTop) Fit(ctx context.Context, in Input) (*Fitted, error) {
	rows, err := topRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	runs := make([]isotonic.Run, len(rows))
	for i, r := range rows {
		runs[i] = isotonic.Run{Lo: r.conf, Hi: r.conf, Weight: 1}
		if r.hit {
			runs[i].Sum = 1
		}
	}
	return topFitted(irTopMap{isotonic.Regress(runs)}), nil
}

type irTopMap struct{ isotonic.Function }

func (m irTopMap) confidence(conf float64) float64 { return m.At(conf) }

// Confidences writes g(conf).
func (m irTopMap) Confidences(dst []float64, set *data.Set, at *Unscaled) {
	writeConfidences(m, dst, set, at)
}

// Apply writes the rescaled vector of TopLabel.
func (m irTopMap) Apply(dst data.Probs, set *data.Set) { applyTop(m, dst, set) }
