package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// TopLabel is a Map that keeps the predicted class of every row, the lowest
// index of the largest logit, and gives it a new confidence g in [0, 1]. That
// pair is what the method predicts, and all that its authors score. It says
// nothing about the other classes, so metrics of the whole vector (NLL, Brier
// score) have no value for it.
//
// Apply writes a vector all the same, for those who need one: the predicted
// class has g, and the others share 1 - g in the proportions of the softmax,
// p_j (1 - g)/(1 - conf) (Xiong et al. 2023), evenly where conf rounds to 1.
// Where g is small, another class of that vector may be the largest: scoring
// the vector's argmax would be another method, and on real networks a worse
// one.
type TopLabel interface {
	Map

	// Confidences writes g of the n rows of set to dst. It is row-wise, as
	// Apply is. at is the same rows at T = 1.
	Confidences(dst []float64, set *data.Set, at *Unscaled)
}

// TopLabels returns what m predicts of the n rows of set: the class of each, and
// its confidence.
func TopLabels(m TopLabel, set *data.Set) (class []int32, conf []float64) {
	class, conf = make([]int32, set.Logits.Rows), make([]float64, set.Logits.Rows)
	for i := range class {
		class[i] = int32(fit.TopClass(set.Logits.Row(i)))
	}
	m.Confidences(conf, set, NewUnscaled(set.Logits))
	return class, conf
}

// topClassifier is what the three top-label methods have in common: a function
// of the softmax confidence.
type topClassifier interface {
	// confidence returns g in [0, 1] of the softmax confidence conf.
	confidence(conf float64) float64
}

// writeConfidences is Confidences of a topClassifier. A single class has
// probability 1.
func writeConfidences(g topClassifier, dst []float64, set *data.Set, at *Unscaled) {
	for i, tail := range at.Tails() {
		dst[i] = 1
		if set.Logits.Cols > 1 {
			dst[i] = g.confidence(1 / (1 + tail))
		}
	}
}

// applyTop is Apply of a TopLabel map.
func applyTop(m TopLabel, dst data.Probs, set *data.Set) {
	var buf [fit.BlockRows]float64
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		part := set.Rows(lo, min(lo+fit.BlockRows, set.Logits.Rows))
		g := buf[:part.Logits.Rows]
		m.Confidences(g, part, NewUnscaled(part.Logits))
		for i := range g {
			row := part.Logits.Row(i)
			q := softmax.Probs(dst.Row(lo+i), row, 1)
			if len(q) > 1 {
				resetTop(q, fit.TopClass(row), g[i])
			}
		}
	}
}

// resetTop gives class top of the probabilities q, two or more, the new one g
// in [0, 1] and scales the others to share 1 - g in proportion. Their old sum
// is taken from themselves, so it does not vanish where q[top] rounds to 1;
// where they all underflow, 1 - g is shared evenly.
func resetTop(q []float64, top int, g float64) {
	q[top] = 0
	rest := 0.0
	for _, p := range q {
		rest += p
	}
	for j, p := range q {
		if rest > 0 {
			q[j] = (p / rest) * (1 - g)
		} else {
			q[j] = (1 - g) / float64(len(q)-1)
		}
	}
	q[top] = g
}

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
		rows[i] = topRow{1 / (1 + tail), int(set.Labels[i]) == fit.TopClass(set.Logits.Row(i))}
	}
	return rows, nil
}

// topFitted returns a fitted top-label map: one pass, and no NLL.
func topFitted(m TopLabel) *Fitted { return result(m, fit.Report{Passes: 1}) }

// topContract is that of the top-label methods.
func topContract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true}
}
