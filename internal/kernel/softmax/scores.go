package softmax

import (
	"fmt"
	"math"
)

// Score holds the sums of a row of k logits at one scale that confidence, NLL and
// Brier score need. With the row's top class t and largest logit m,
//
//	Tail    = sum over j != t of e_j,    e_j = exp(scale (l_j - m))
//	Squares = sum over j != t of e_j^2
//
// so conf = 1/(1+Tail), NLL of class y = log1p(Tail) - scale (l_y - m), and the
// sum of the squared probabilities is (1+Squares)/(1+Tail)^2.
type Score struct {
	Tail    float64 // >= 0, the Tail of Rows
	Squares float64 // in [0, Tail]
}

// Scores writes the scores of n = len(top) rows of k logits, row-major, at m
// scales each: dst and scales are n x m, row-major; m is len(scales)/n. It
// writes the top class of each row, the lowest index of its largest logit, to
// top. The scales are finite and >= 0. A row is read from memory once for all
// of its scales.
// Tail has the bits of Rows at the same scale. Scores panics if the lengths differ.
func Scores(dst []Score, top []int32, logits []float32, k int, scales []float64) {
	scores(best, dst, top, logits, k, scales)
}

func scores(on instructions, dst []Score, top []int32, logits []float32, k int, scales []float64) {
	n := len(top)
	if len(logits) != n*k || len(dst) != len(scales) || (n == 0 && len(dst) > 0) || (n > 0 && len(dst)%n != 0) {
		panic(fmt.Sprintf("softmax: Scores: %d rows, %d logits of %d classes, %d scales, %d scores",
			n, len(logits), k, len(scales), len(dst)))
	}
	if n == 0 || vectorScores(on, dst, top, logits, k, scales) {
		return
	}
	m := len(scales) / n
	var buf [blockCols]float64
	for i := range top {
		row := logits[i*k : (i+1)*k]
		t, ties := peak(row)
		top[i] = int32(t)
		for c := range m {
			dst[i*m+c] = score(row, t, ties, scales[i*m+c], &buf)
		}
	}
}

// score returns the score of one row whose top class and ties are known; buf is scratch.
func score(row []float32, top, ties int, scale float64, buf *[blockCols]float64) Score {
	r := rateOf(scale)
	if len(row) < narrow {
		e := buf[:len(row)]
		exps(e, row, row[top], r)
		clearTop(e, row, row[top], top, ties)
		var s Score
		for _, v := range e {
			s.Tail += v
			s.Squares = math.FMA(v, v, s.Squares)
		}
		return Score{float64(ties) + s.Tail, float64(ties) + s.Squares}
	}
	var sums scoreLanes
	for start := 0; start < len(row); start += blockCols {
		part := row[start:min(start+blockCols, len(row))]
		e := buf[:len(part)]
		exps(e, part, row[top], r)
		clearTop(e, part, row[top], top-start, ties)
		sums.add(e)
	}
	return Score{float64(ties) + sums.tail.total(), float64(ties) + sums.squares.total()}
}
