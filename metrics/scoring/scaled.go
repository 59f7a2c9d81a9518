package scoring

import (
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// AppendScaled scores a block of n rows under m maps that divide each row by a
// temperature (calib.Tempered). scales is n x m, row-major: the s = 1/T >= 0 of
// map c at row i is scales[i m + c]. The scores of map c are appended to list[c];
// all of list have equally many rows. A row is read once for all maps, and no
// probability is computed except that of the top class and that of the label.
//
// The scores are those of AppendProbs with softmax(s l): the same confidence and
// prediction to the bit, and Changed false. NLL and Brier come from the sums of
// softmax.Scores instead of from rounded probabilities,
//
//	NLL   = min(log1p(Tail) + s (max - l_y), -ln Floor)
//	Brier = (1 - p_y)^2 + sum of the other p_j^2,
//
// which agrees within 1e-14 (1 + NLL). Errors and panics are those of
// AppendProbs.
func AppendScaled(list []*SampleScores, set *data.Set, scales []float64) error {
	m, n, k := len(list), set.Logits.Rows, set.Logits.Cols
	if len(set.Labels) != n || len(scales) != n*m {
		panic("scoring: logits, labels and scales differ in rows")
	}
	if m == 0 {
		return nil
	}
	for _, s := range list {
		if s.Len() != list[0].Len() {
			panic("scoring: sample scores of unequal length")
		}
	}
	for i, y := range set.Labels {
		if y < 0 || int(y) >= k {
			return badLabel(list[0].first+list[0].Len()+i, y, k)
		}
	}
	const block = 64
	sums, top, gaps := make([]softmax.Score, min(block, n)*m), make([]int32, min(block, n)), make([]float64, min(block, n))
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		rows, labels, scale := set.Logits.Slice(lo, hi), set.Labels[lo:hi], scales[lo*m:hi*m]
		softmax.Scores(sums[:len(scale)], top[:len(labels)], rows.Data, k, scale)
		for i, y := range labels {
			row := rows.Row(i)
			gaps[i] = float64(row[top[i]]) - float64(row[y])
		}
		for c, s := range list {
			s.appendSums(sums[c:], scale[c:], m, top[:len(labels)], labels, gaps)
		}
	}
	return nil
}

// worstNLL is -ln Floor = 300 ln 10.
const worstNLL = 690.7755278982137

// appendSums appends rows with the given top classes and labels. The sums and
// the scale of row i are at i m; gaps[i] is the largest logit of row i minus that
// of the label.
func (s *SampleScores) appendSums(sums []softmax.Score, scales []float64, m int, top, labels []int32, gaps []float64) {
	n := len(labels)
	s.Pred, s.Label = append(s.Pred, top...), append(s.Label, labels...)
	s.Conf, s.Rest = slices.Grow(s.Conf, n), slices.Grow(s.Rest, n)
	s.NLL, s.Brier = slices.Grow(s.NLL, n), slices.Grow(s.Brier, n)
	at := len(s.Conf)
	conf, rest, nll, brier := s.Conf[at:at+n], s.Rest[at:at+n], s.NLL[at:at+n], s.Brier[at:at+n]
	for i := range nll {
		nll[i] = sums[i*m].Tail
	}
	softmax.Log1ps(nll, nll)
	for i, y := range labels {
		sum := sums[i*m]
		s0 := 1 + sum.Tail
		conf[i], rest[i] = 1/s0, sum.Tail/s0
		if top[i] == y {
			// 1 - p_y = Tail/s0, to all digits
			brier[i] = (float64(sum.Tail*sum.Tail) + sum.Squares) / float64(s0*s0)
		} else {
			drop := float64(scales[i*m] * gaps[i])
			nll[i] += drop
			e := softmax.Exp(-drop)
			miss := 1 - e/s0
			brier[i] = float64(miss*miss) + (1+(sum.Squares-float64(e*e)))/float64(s0*s0)
		}
		nll[i] = min(nll[i], worstNLL)
	}
	s.Conf, s.Rest, s.NLL, s.Brier = s.Conf[:at+n], s.Rest[:at+n], s.NLL[:at+n], s.Brier[:at+n]
	s.Changed = append(s.Changed, make([]bool, n)...)
}
