package fit

import (
	"context"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

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
// The sums over p_k^2 are those of exp(2 beta d), the moments at 2 beta. In T they are
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
