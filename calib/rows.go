package calib

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// checkLabelled refuses a calibration set without rows or without a label for
// each row.
func checkLabelled(set *data.Set) error {
	n, k := set.Logits.Rows, set.Logits.Cols
	if n == 0 || k == 0 {
		return errors.New("the calibration set is empty")
	}
	if len(set.Labels) != n {
		return fmt.Errorf("%d rows of logits but %d labels", n, len(set.Labels))
	}
	return checkLabels(set.Labels, 0, k)
}

// checkLabels refuses a label that is none of k classes; the first is that of
// row from.
func checkLabels(labels []int32, from, k int) error {
	for i, y := range labels {
		if y < 0 || int(y) >= k {
			return fmt.Errorf("row %d: label %d is outside 0..%d", from+i, y, k-1)
		}
	}
	return nil
}

// eachRow calls do with the softmax probabilities of every row, in order; p is
// reused. It stops with the context's error when ctx is done.
func eachRow(ctx context.Context, logits data.Matrix, do func(i int, p []float64)) error {
	p := make([]float64, logits.Cols)
	for i := range logits.Rows {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		softmax.Probs(p, logits.Row(i), 1)
		do(i, p)
	}
	return ctx.Err()
}

// topClass returns the lowest index of the largest logit.
func topClass(row []float32) int {
	top := 0
	for j, l := range row {
		if l > row[top] {
			top = j
		}
	}
	return top
}

// keepTop divides q by total and lowers what rounding has made equal to the
// top class though its logit is smaller.
func keepTop(q []float64, row []float32, total float64) {
	top := topClass(row)
	most := q[top] / total
	below := math.Nextafter(most, 0)
	for j := range q {
		q[j] /= total
		if q[j] >= most && row[j] < row[top] {
			q[j] = below
		}
	}
}

// normalise divides q by its sum; a row of zeros becomes uniform.
func normalise(q []float64) {
	sum := 0.0
	for _, v := range q {
		sum += v
	}
	for j := range q {
		if sum > 0 {
			q[j] /= sum
		} else {
			q[j] = 1 / float64(len(q))
		}
	}
}

// leastProb is the floor of the metric NLL.
const leastProb = 1e-300

// reported returns the fitted map with its report: no solver ran, so iterations
// and gradient are 0. The NLL has the floor of the metric, 1e-300, since
// isotonic maps put exact zeros on classes.
func reported(ctx context.Context, m Map, set *data.Set, passes float64) (*Fitted, error) {
	const block = 64
	n, k := set.Logits.Rows, set.Logits.Cols
	buf := data.NewProbs(min(block, n), k)
	sum := 0.0
	for lo := 0; lo < n; lo += block {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		hi := min(lo+block, n)
		q := buf.Slice(0, hi-lo)
		m.Apply(q, set.View(^data.Labels).Rows(lo, hi))
		for i := range q.Rows {
			sum -= softmax.Log(max(q.Row(i)[set.Labels[lo+i]], leastProb))
		}
	}
	return &Fitted{Map: m, Report: Report{NLL: sum / float64(n), Passes: passes + 1}}, nil
}
