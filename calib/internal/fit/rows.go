package fit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// CheckLabelled rejects a calibration set without rows, or without a label in 0..k-1
// for each row.
func CheckLabelled(set *data.Set) error {
	n, k := set.Logits.Rows, set.Logits.Cols
	if n == 0 || k == 0 {
		return errors.New("the calibration set is empty")
	}
	if len(set.Labels) != n {
		return fmt.Errorf("%d rows of logits but %d labels", n, len(set.Labels))
	}
	return checkLabels(set.Labels, 0, k)
}

// checkLabels rejects a label outside 0..k-1. from is the row of the first label.
func checkLabels(labels []int32, from, k int) error {
	for i, y := range labels {
		if y < 0 || int(y) >= k {
			return fmt.Errorf("row %d: label %d is outside 0..%d", from+i, y, k-1)
		}
	}
	return nil
}

// EachRow calls do with the softmax probabilities p of every row, in order, and the sum
// of exp(l - max l) over the classes but the top one. It reuses p. It returns the
// context's error when ctx is done.
func EachRow(ctx context.Context, logits data.Matrix, do func(i int, p []float64, tail float64)) error {
	p := make([]float64, logits.Cols)
	for i := range logits.Rows {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		do(i, p, softmax.ProbsAndTail(p, logits.Row(i), 1))
	}
	return ctx.Err()
}

// TopClass returns the lowest index of the largest logit.
func TopClass(row []float32) int { return softmax.Top(row) }

// Hit reports whether the label y is TopClass of the row.
func Hit(row []float32, y int32) bool { return TopClass(row) == int(y) }

// Open returns the number of classes of a row of logits that are not masked.
func Open(row []float32) int {
	open := 0
	for _, l := range row {
		if l != data.Masked {
			open++
		}
	}
	return open
}

// KeepTop divides q by total. A class with a smaller logit than the top class, whose
// q rounding made equal to that of the top class, gets the float64 just below.
func KeepTop(q []float64, row []float32, total float64) {
	top := TopClass(row)
	most := q[top] / total
	below := math.Nextafter(most, 0)
	for j := range q {
		q[j] /= total
		if q[j] >= most && row[j] < row[top] {
			q[j] = below
		}
	}
}

// LeastProb is the floor of the metric NLL.
const LeastProb = data.LeastProb

// Pick returns the given rows of logits, labels and features, copied.
func Pick(set *data.Set, rows []int) *data.Set {
	s := &data.Set{Logits: data.NewMatrix(len(rows), set.Logits.Cols), Labels: make([]int32, len(rows))}
	if set.Features.Present() {
		s.Features = data.NewMatrix(len(rows), set.Features.Cols)
	}
	for to, from := range rows {
		copy(s.Logits.Row(to), set.Logits.Row(from))
		if set.Features.Present() {
			copy(s.Features.Row(to), set.Features.Row(from))
		}
		s.Labels[to] = set.Labels[from]
	}
	return s
}
