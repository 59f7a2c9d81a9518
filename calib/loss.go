package calib

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
)

// TemperatureLoss is the mean NLL of a calibration set, in nats, as a function of
// the temperature of every row,
//
//	1/n sum_i -log softmax(l_i/T_i)_{y_i}.
//
// Methods whose temperature depends on the row minimise it. It belongs to one fit.
type TemperatureLoss struct {
	rows   *fit.Objective
	t      []float64 // n
	slopes []float64 // n x p
}

// NewTemperatureLoss returns the loss of in.Cal, or of in.Stream. It returns an
// error if the set is empty or a row has no label.
func NewTemperatureLoss(in Input) (*TemperatureLoss, error) {
	o, err := in.Objective()
	if err != nil {
		return nil, err
	}
	return &TemperatureLoss{rows: o, t: make([]float64, o.Rows())}, nil
}

// Temperature returns the one temperature with the least loss, in [0.001, 1000]:
// TemperatureScaling, from which many methods start.
func (l *TemperatureLoss) Temperature(ctx context.Context) (float64, error) {
	t, _, err := fit.Temperature(ctx, l.rows)
	return t, err
}

// Passes returns how many times the calibration set was read; see Report.Passes.
func (l *TemperatureLoss) Passes() float64 { return l.rows.Passes }

// At returns the loss and its derivatives in p parameters: one pass. temperature
// is called once for every row i, in order. It returns T_i, finite and above 0,
// and writes the derivatives of T_i in the parameters to slope, which has p
// elements. The gradient is exact. The Hessian leaves out the second derivatives
// of T_i, so it is exact if T_i is linear in the parameters; MinimiseInBox needs
// more steps otherwise.
//
// The bits do not depend on the number of processors.
func (l *TemperatureLoss) At(ctx context.Context, p int, temperature func(i int, slope []float64) float64) (Local, error) {
	n := l.rows.Rows()
	if len(l.slopes) != n*p {
		l.slopes = make([]float64, n*p)
	}
	for i := range l.t {
		l.t[i] = temperature(i, l.slopes[i*p:(i+1)*p])
		if !usable(l.t[i]) {
			return Local{}, fmt.Errorf("row %d: temperature %v: want one in [1e-6, 1e8]", i, l.t[i])
		}
	}
	total, err := l.rows.Sums(ctx, fit.ByRow(func(i int) float64 { return 1 / l.t[i] }), 1+p+p*p, func(b *fit.RowBlock, sum []float64) {
		sum[0] += b.NLL()
		gradient, hessian := sum[1:1+p], sum[1+p:]
		for i := range b.Moments {
			first, second := b.InTemperature(i)
			slope := l.slopes[(b.First+i)*p : (b.First+i+1)*p]
			for r, s := range slope {
				gradient[r] += float64(first * s)
				for c, v := range slope {
					hessian[r*p+c] += float64(float64(second*s) * v)
				}
			}
		}
	})
	if err != nil {
		return Local{}, err
	}
	for i := range total {
		total[i] /= float64(n)
	}
	return Local{Value: total[0], Gradient: total[1 : 1+p], Hessian: total[1+p:]}, nil
}
