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
// T_i and x are those of line. Where s is too small for a float64, a wrong row has the loss 745
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
// T_i and x are those of line. It takes one pass.
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
