package fit

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// TailOf returns the sum of exp(l_j - max l) over the other classes of a row with the confidence c, (1-c)/c. It is
// limited to [2^-53, 2^53], of which the first is that of the largest float64 below 1. Of logits, a confidence that rounds
// to 1 has log odds of 36.7. Of a confidence alone, exact ones count as others before (calib.Ends).
func TailOf(c float64) float64 { return LimitedTail((1 - c) / c) }

// LimitedTail returns a tail within the limits of TailOf.
func LimitedTail(tail float64) float64 { return min(max(tail, 0x1p-53), 0x1p53) }

// LogOdds returns the log odds of the confidence of a row with the given tail, limited to +-log 2^53 as TailOf limits
// them: a method gets the same number from logits and from the confidence that is computed from them.
func LogOdds(tail float64) float64 {
	return -softmax.Log(LimitedTail(tail))
}

// TopOdds are n rows whose logits are derived from their confidence c: log c for the predicted class and the logarithm
// of an equal share of 1-c for each of the k-1 others. With the log odds z of c and L = log(k-1), dividing them by T
// makes the log odds of the confidence
//
//	(z + L)/T - L.
type TopOdds struct {
	Gap []float64 // z + L, the gap of the two largest logits, below 0 where c < 1/k
	L   float64
	Hit []bool
}

// NewTopOdds returns the rows of some log odds among k >= 2 classes.
func NewTopOdds(odds []float64, hit []bool, k int) *TopOdds {
	t := &TopOdds{Gap: make([]float64, len(odds)), L: softmax.Log(float64(k - 1)), Hit: hit}
	for i, z := range odds {
		t.Gap[i] = z + t.L
	}
	return t
}

// TopScaled returns the confidence of a row with the log odds z among k classes at scale 1/T.
func TopScaled(z, l, scale float64) float64 { return Sigmoid(float64(scale*(z+l)) - l) }

// row returns the NLL of "the prediction is right" of row i at 1/T = beta, with its derivatives in beta. It is that of
// the derived logits but for log(k-1) of each wrong row.
func (t *TopOdds) row(i int, beta float64) (value, first, second float64) {
	x := t.Gap[i]
	s := float64(beta*x) - t.L
	e := softmax.Exp(-math.Abs(s))
	r := 1 / (1 + e)
	value = softmax.Log1p(e)
	sigmoid, other := r, float64(e*r)
	if s < 0 {
		sigmoid, other = other, sigmoid
	}
	if t.Hit[i] {
		value += max(-s, 0)
		first = -float64(x * other)
	} else {
		value += max(s, 0)
		first = float64(x * sigmoid)
	}
	return value, first, float64(float64(x*x) * float64(sigmoid*other))
}

// Scale returns the mean NLL at 1/T = x[0]. It is convex.
func (t *TopOdds) Scale(ctx context.Context, x []float64) (report.Local, error) {
	total, err := t.sum(ctx, 3, func(sum []float64, i int) {
		value, first, second := t.row(i, x[0])
		sum[0] += value
		sum[1] += first
		sum[2] += second
	})
	if err != nil {
		return report.Local{}, err
	}
	return report.Local{Value: total[0], Gradient: total[1:2:2], Hessian: total[2:3:3]}, nil
}

// Line returns the mean NLL at the temperatures T_i = a (1 - q_i) + b, x = (a, b).
func (t *TopOdds) Line(ctx context.Context, q, x []float64) (report.Local, error) {
	scale := lineScale(q, x)
	total, err := t.sum(ctx, 6, func(sum []float64, i int) {
		beta := scale(i)
		value, first, second := t.row(i, beta)
		addLine(sum, 1-q[i], beta, value, first, second)
	})
	if err != nil {
		return report.Local{}, err
	}
	return localOf(total), nil
}

// sum returns the means over the rows of what add adds.
func (t *TopOdds) sum(ctx context.Context, width int, add func(sum []float64, i int)) ([]float64, error) {
	total, err := SumBlocks(ctx, len(t.Gap), width, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			add(sum, i)
		}
	})
	for i := range total {
		total[i] /= float64(len(t.Gap))
	}
	return total, err
}

// Undetermined reports whether T makes no difference: every gap is 0.
func (t *TopOdds) Undetermined() bool {
	for _, x := range t.Gap {
		if x != 0 {
			return false
		}
	}
	return true
}
