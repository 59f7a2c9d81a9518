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

// KeepTop divides q by total. If rounding makes the q of a class with a smaller logit
// equal to the q of the top class, that class gets the float64 just below.
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

// Moments returns the moments of every row at scale 1.
func Moments(logits data.Matrix) []softmax.Moments {
	moments := make([]softmax.Moments, logits.Rows)
	softmax.Rows(moments, logits.Data, logits.Cols, []float64{1})
	return moments
}

// Energy returns -logsumexp of the row of m, moments at scale 1.
func Energy(m *softmax.Moments) float64 { return -(float64(m.Max) + softmax.Log1p(m.Tail)) }

// TopGap returns the difference of the two largest elements of row, 0 if they
// tie or there is one.
func TopGap(row []float32) float64 {
	if len(row) < 2 {
		return 0
	}
	first, second := max(row[0], row[1]), min(row[0], row[1])
	for _, l := range row[2:] {
		switch {
		case l > first:
			first, second = l, first
		case l > second:
			second = l
		}
	}
	return float64(first) - float64(second)
}

// LogEntropy returns log(entropy / log k) of the row of m, moments at scale 1
// of k logits. It is at most 0; with one class it is 0. The entropy underflows
// if every gap to the largest logit is above 745. There, and below 1e-300, the
// floor of the NLL, it counts as 1e-300, so the result is at least -693.
func LogEntropy(m *softmax.Moments, k int) float64 {
	if k < 2 {
		return 0
	}
	return min(softmax.Log(max(Entropy(m), 1e-300))-softmax.Log(softmax.Log(float64(k))), 0)
}

// ScaledEntropy returns entropy / log k of the row of m, in [0, 1].
func ScaledEntropy(m *softmax.Moments, k int) float64 { return min(softmax.Exp(LogEntropy(m, k)), 1) }

// Softmax writes softmax(scale l) to dst, including the values below 1e-291 that
// the kernel leaves at 0, and returns dst.
func Softmax(dst []float64, row []float32, scale float64) []float64 {
	softmax.Probs(dst, row, scale)
	softmax.FillTiny(dst, row, scale)
	return dst
}

// Count returns how many marks are set.
func Count(marks []bool) int {
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}
