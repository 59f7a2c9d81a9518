package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// irTopEntry is isotonic regression of the top label: g is fitted to the n
// pairs (confidence, hit), the predicted class gets g(conf) and the others
// share 1 - g(conf) in proportion, p_j (1 - g) / (1 - conf). The prediction is
// meant to stay that of the network, but where g(conf) is small another class
// of the row may be the larger, so KeepsTop1 is false. Of the two customs for
// the other classes (leave them, or rescale) this is the one that yields
// probabilities.
func irTopEntry() Entry {
	return Entry{
		Name:      "ir-top",
		Label:     "IR-top",
		Version:   1,
		Summary:   "isotonic regression of the confidence on being right; other classes rescaled",
		Reference: "Zadrozny and Elkan 2002; other classes as Xiong et al. 2023",
		New:       func(func(any) error) (Method, error) { return irTop{}, nil },
		Restore:   restore(func(m irTopMap) (Map, error) { return m, m.checkKnots() }),
	}
}

type irTop struct{}

func (irTop) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
}

func (irTop) Fit(ctx context.Context, in Input) (*Fitted, error) {
	set := in.Cal
	if err := checkLabelled(set); err != nil {
		return nil, err
	}
	runs := make([]run, set.Logits.Rows)
	err := eachRow(ctx, set.Logits, func(i int, p []float64) {
		top := topClass(set.Logits.Row(i))
		runs[i] = run{lo: p[top], hi: p[top], weight: 1}
		if int(set.Labels[i]) == top {
			runs[i].sum = 1
		}
	})
	if err != nil {
		return nil, err
	}
	return reported(ctx, irTopMap{regress(runs)}, set, 1)
}

type irTopMap struct{ isotonic }

// Apply writes the n x k probabilities. A single class has probability 1.
func (m irTopMap) Apply(dst data.Probs, set *data.Set) {
	k := set.Logits.Cols
	for i := range set.Logits.Rows {
		row, q := set.Logits.Row(i), dst.Row(i)
		softmax.Probs(q, row, 1)
		if k == 1 {
			continue
		}
		top := topClass(row)
		resetTop(q, top, m.at(q[top]))
	}
}
