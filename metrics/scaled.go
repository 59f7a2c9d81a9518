package metrics

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// AppendScaled scores a block of n rows under m maps that divide each row by a
// temperature (calib.Tempered): scales is n x m, row-major, the s = 1/T >= 0 of
// map c at row i in scales[i m + c], and its facts go to facts[c], all of which
// have equally many rows so far. No probability but those of the top class and
// of the label is computed, and a row is read once for all maps.
//
// The facts are those of Append with softmax(s l): the same confidence and
// prediction to the bit, Changed false, and NLL and Brier from the sums of
// softmax.Scores instead of from rounded probabilities,
//
//	NLL   = min(log1p(Tail) + s (max - l_y), -ln Floor)
//	Brier = (1 - p_y)^2 + sum of the other p_j^2,
//
// which agrees within 1e-14 (1 + NLL). Errors and panics are those of Append.
func AppendScaled(facts []*Facts, set *data.Set, scales []float64) error {
	m, n, k := len(facts), set.Logits.Rows, set.Logits.Cols
	if len(set.Labels) != n || len(scales) != n*m {
		panic("metrics: logits, labels and scales differ in rows")
	}
	if m == 0 {
		return nil
	}
	for _, f := range facts {
		if f.N() != facts[0].N() {
			panic("metrics: facts of unequal length")
		}
	}
	for i, y := range set.Labels {
		if y < 0 || int(y) >= k {
			return fmt.Errorf("row %d: label %d, but the classes are 0 to %d", facts[0].N()+i, y, k-1)
		}
	}
	const block = 64
	scores, top, gaps := make([]softmax.Score, min(block, n)*m), make([]int32, min(block, n)), make([]float64, min(block, n))
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		rows, labels, s := set.Logits.Slice(lo, hi), set.Labels[lo:hi], scales[lo*m:hi*m]
		softmax.Scores(scores[:len(s)], top[:len(labels)], rows.Data, k, s)
		for i, y := range labels {
			row := rows.Row(i)
			gaps[i] = float64(row[top[i]]) - float64(row[y])
		}
		for c, f := range facts {
			f.appendScores(scores[c:], s[c:], m, top[:len(labels)], labels, gaps)
		}
	}
	return nil
}

// worstNLL is -ln Floor = 300 ln 10.
const worstNLL = 690.7755278982137

// appendScores appends rows with the given top classes and labels: of row i its
// score and scale, at i m, and how much smaller the label's logit is than the
// largest.
func (f *Facts) appendScores(scores []softmax.Score, scales []float64, m int, top, labels []int32, gaps []float64) {
	n := len(labels)
	f.Pred, f.Label = append(f.Pred, top...), append(f.Label, labels...)
	f.Conf, f.NLL, f.Brier = slices.Grow(f.Conf, n), slices.Grow(f.NLL, n), slices.Grow(f.Brier, n)
	at := len(f.Conf)
	conf, nll, brier := f.Conf[at:at+n], f.NLL[at:at+n], f.Brier[at:at+n]
	for i := range nll {
		nll[i] = scores[i*m].Tail
	}
	softmax.Log1ps(nll, nll)
	for i, y := range labels {
		s := scores[i*m]
		s0 := 1 + s.Tail
		conf[i] = 1 / s0
		if top[i] == y {
			// 1 - p_y = Tail/s0, to all digits
			brier[i] = (float64(s.Tail*s.Tail) + s.Squares) / float64(s0*s0)
		} else {
			drop := float64(scales[i*m] * gaps[i])
			nll[i] += drop
			e := softmax.Exp(-drop)
			miss := 1 - e/s0
			brier[i] = float64(miss*miss) + (1+(s.Squares-float64(e*e)))/float64(s0*s0)
		}
		nll[i] = min(nll[i], worstNLL)
	}
	f.Conf, f.NLL, f.Brier = f.Conf[:at+n], f.NLL[:at+n], f.Brier[:at+n]
	f.Changed = append(f.Changed, make([]bool, n)...)
}
