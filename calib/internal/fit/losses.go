package fit

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// line returns the mean of a loss of the rows at the temperatures
//
//	T_i = a (1 - q_i) + b,
//
// x = (a, b), with its gradient and Hessian in a and b. loss returns the loss of row First+i of a
// block and its first and second derivatives in beta = 1/T. In T they are
//
//	df/dT   = -beta^2 df/dbeta
//	d2f/dT2 = beta^4 d2f/dbeta2 + 2 beta^3 df/dbeta.
//
// It takes one pass.
func (o *Objective) line(ctx context.Context, q, x []float64, loss func(b *RowBlock, i int) (value, first, second float64)) (report.Local, error) {
	total, err := o.Sums(ctx, ByRow(lineScale(q, x)), 6, func(b *RowBlock, sum []float64) {
		for i := range b.Moments {
			value, first, second := loss(b, i)
			addLine(sum, 1-q[b.First+i], b.beta(i), value, first, second)
		}
	})
	if err != nil {
		return report.Local{}, err
	}
	for i := range total {
		total[i] /= float64(o.Rows())
	}
	return localOf(total), nil
}

// lineScale returns 1/T of each row.
func lineScale(q, x []float64) func(i int) float64 {
	return func(i int) float64 { return 1 / (float64(x[0]*(1-q[i])) + x[1]) }
}

// addLine adds to six sums the value of a row and its derivatives in a, b, aa, ab and bb: T = a left + b.
func addLine(sum []float64, left, beta, value, first, second float64) {
	b2 := float64(beta * beta)
	inT := -float64(b2 * first)
	inT2 := float64(b2 * (float64(b2*second) + float64(2*beta*first)))
	sum[0] += value
	sum[1] += float64(left * inT)
	sum[2] += inT
	sum[3] += float64(float64(left*left) * inT2)
	sum[4] += float64(left * inT2)
	sum[5] += inT2
}

func localOf(sum []float64) report.Local {
	return report.Local{Value: sum[0], Gradient: sum[1:3:3], Hessian: []float64{sum[3], sum[4], sum[4], sum[5]}}
}

// TopLine is the mean negative log-likelihood of the statement that the prediction is right, whose
// probability is the confidence c = 1/(1 + s) of the row, with s the Tail of its moments:
//
//	f = log(1 + s) - [wrong] log s
//	f' = S1/(1 + s) - [wrong] S1/s,   f'' = Var_p - [wrong] (S2/s - (S1/s)^2).
//
// T_i and x are as in line. Where s is too small for a float64, a wrong row has the loss 745
// nats, about -log of the smallest float64.
func (o *Objective) TopLine(ctx context.Context, q, x []float64) (report.Local, error) {
	return o.line(ctx, q, x, func(b *RowBlock, i int) (value, first, second float64) {
		m := &b.Moments[i]
		value, first, second = softmax.Log1p(m.Tail), m.S1/(1+m.Tail), m.Variance()
		switch {
		case m.Top == b.Labels[i]:
		case m.Tail == 0:
			value += 745
		default:
			mean := m.S1 / m.Tail
			value -= math.Log(m.Tail)
			first -= mean
			second -= m.S2/m.Tail - float64(mean*mean)
		}
		return value, first, second
	})
}

// GapLine is the mean over the rows of the squared gap of their bin, accuracy minus mean
// confidence. bin holds the bin of each row, below bins, which does not change with x. With c the
// confidence, m = E_p[l - max l] and V = Var_p[l],
//
//	c' = -c m,   c'' = c (m^2 - V).
//
// T_i and x are as in line. It takes one pass.
func (o *Objective) GapLine(ctx context.Context, q, x []float64, bin []int, bins int) (report.Local, error) {
	const width = 6
	total, err := o.Sums(ctx, ByRow(lineScale(q, x)), bins*(width+1), func(b *RowBlock, sum []float64) {
		for i := range b.Moments {
			m := &b.Moments[i]
			c := m.Conf()
			mean := float64(m.S1 * c)
			gap := -c
			if m.Top == b.Labels[i] {
				gap = 1 - c
			}
			at := bin[b.First+i]
			addLine(sum[at*width:(at+1)*width], 1-q[b.First+i], b.beta(i), gap, float64(c*mean), -float64(c*(float64(mean*mean)-m.Variance())))
			sum[bins*width+at]++
		}
	})
	if err != nil {
		return report.Local{}, err
	}
	out := make([]float64, width)
	for at := range bins {
		r, n := total[at*width:(at+1)*width], total[bins*width+at]
		if n == 0 {
			continue
		}
		weight := 1 / float64(n*float64(o.Rows()))
		out[0] += float64(float64(r[0]*r[0]) * weight)
		out[1] += float64(2 * float64(r[0]*r[1]) * weight)
		out[2] += float64(2 * float64(r[0]*r[2]) * weight)
		out[3] += float64(2 * (float64(r[1]*r[1]) + float64(r[0]*r[3])) * weight)
		out[4] += float64(2 * (float64(r[1]*r[2]) + float64(r[0]*r[4])) * weight)
		out[5] += float64(2 * (float64(r[2]*r[2]) + float64(r[0]*r[5])) * weight)
	}
	return localOf(out), nil
}

// BrierLine returns the mean Brier score, over all classes, of the temperatures
//
//	T_i = a (1 - q_i) + b,
//
// x = (a, b), with its gradient and Hessian in a and b. q holds the quantity of every
// row. It takes two passes, at the scales 1/T and 2/T, and keeps 24 bytes a row.
//
// With beta = 1/T, d = l - max l, m = E_p[d] and V = Var_p[d], the score of a row is
// f = sum_k p_k^2 - 2 p_y + 1, and its derivatives in beta are
//
//	f'  = 2 sum_k p_k^2 (d_k - m) - 2 p_y (d_y - m)
//	f'' = 4 sum_k p_k^2 (d_k - m)^2 - 2 V sum_k p_k^2 - 2 p_y ((d_y - m)^2 - V).
//
// The sums over p_k^2 are sums of exp(2 beta d), the moments at 2 beta. In T they are
//
//	df/dT   = -beta^2 f'
//	d2f/dT2 = beta^4 f'' + 2 beta^3 f'.
func (o *Objective) BrierLine(ctx context.Context, q, x []float64) (report.Local, error) {
	scale := func(i int) float64 { return 1 / (float64(x[0]*(1-q[i])) + x[1]) }
	type squares struct{ zero, one, two float64 } // sums over k of exp(2 beta d) times 1, d and d^2
	of := make([]squares, o.Rows())
	_, err := o.Sums(ctx, ByRow(func(i int) float64 { return 2 * scale(i) }), 0, func(b *RowBlock, _ []float64) {
		for i := range b.Moments {
			m := &b.Moments[i]
			of[b.First+i] = squares{zero: 1 + m.Tail, one: m.S1, two: m.S2}
		}
	})
	if err != nil {
		return report.Local{}, err
	}
	return o.line(ctx, q, x, func(b *RowBlock, i int) (value, first, second float64) {
		m, beta := &b.Moments[i], b.beta(i)
		s, inverse := &of[b.First+i], 1/(1+m.Tail)
		mean, variance := float64(m.S1*inverse), m.Variance()
		label := float64(b.LabelLogit[i]) - float64(m.Max)
		p := float64(softmax.Exp(float64(beta*label)) * inverse)
		square := float64(inverse * inverse)
		p2 := float64(s.zero * square)
		away := label - mean
		first = float64(2*(float64(s.one*square)-float64(mean*p2))) - float64(2*p*away)
		spread := float64((s.two - float64(2*mean*s.one) + float64(float64(mean*mean)*s.zero)) * square) // sum of p^2 (d-m)^2
		second = float64(4*spread) - float64(2*variance*p2) - float64(2*p*(float64(away*away)-variance))
		return p2 - float64(2*p) + 1, first, second
	})
}

// TailOf returns the sum of exp(l_j - max l) over the other classes of a row with the confidence c, (1-c)/c. It is
// limited to [2^-53, 2^53]; the largest float64 below 1 has 2^-53. So a confidence of logits that rounds to 1 has log odds
// of 36.7. In a set with a confidence alone, calib.Ends replaces confidences of exactly 0 and 1 first.
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

// row returns the NLL of "the prediction is right" of row i at 1/T = beta, with its derivatives in beta. For a
// wrong row it is smaller by log(k-1) than the NLL of the derived logits.
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

// AddRow adds the derivatives in the parameters of the loss of one row to sum, whose
// first element is for the value. first and second are its derivatives in the temperature
// of the row; for the others see RowTemperature.
func AddRow(sum, slope []float64, first, second, rate, bend float64) {
	p := len(slope)
	inX := float64(first * rate)
	inXX := float64(second*rate*rate) + float64(inX*bend)
	for r, s := range slope {
		sum[1+r] += float64(inX * s)
		for c, v := range slope {
			sum[1+p+r*p+c] += float64(float64(inXX*s) * v)
		}
	}
}

// MeanOf returns the mean loss of n rows near p parameters, given the sums of AddRow.
func MeanOf(sum []float64, n, p int) report.Local {
	for i := range sum {
		sum[i] /= float64(n)
	}
	return report.Local{Value: sum[0], Gradient: sum[1 : 1+p], Hessian: sum[1+p:]}
}
